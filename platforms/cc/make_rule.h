// SPDX-License-Identifier: Apache-2.0
// Make rules as compilers write them with -MD: one rule, "targets: files", long lines continued by a backslash.
#pragma once

#include <string>
#include <vector>

namespace heddle::cc {

struct MakeRule {
  std::string targets;             ///< as written, escapes kept
  std::vector<std::string> files;  ///< as written, escapes kept, in order, each once
};

/// Reads the first rule of `text`, ignoring the rest (the empty rules of -MP).
MakeRule parse_make_rule(const std::string& text);

/// One rule for a source read in two passes: the targets of `first`, the files of both without those under `excluded`.
MakeRule merge_make_rules(const MakeRule& first, const MakeRule& second, const std::string& excluded);

/// The rule as text; with `phony_targets`, also an empty rule for every file except the first (-MP).
std::string make_rule_text(const MakeRule& rule, bool phony_targets);

}  // namespace heddle::cc
