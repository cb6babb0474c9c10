// SPDX-License-Identifier: Apache-2.0
// Response files: options kept in a file, named by @file, --options-file file or -optf file.
#pragma once

#include <string>
#include <vector>

namespace heddle::cc {

/// Splits text as a shell would split words: blanks separate, single and double quotes group, a backslash takes the
/// next character as it is (inside double quotes only before a quote or a backslash).
std::vector<std::string> split_words(const std::string& text);

/// Replaces every response file by what it holds, nested ones too. Fails (kIo) when a file cannot be read, (kUsage)
/// when files name each other in a circle.
std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments);

}  // namespace heddle::cc
