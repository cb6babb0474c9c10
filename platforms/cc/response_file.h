// SPDX-License-Identifier: Apache-2.0
// Response files: options in a file, given by @file, --options-file file or -optf file.
#pragma once

#include <string>
#include <vector>

namespace heddle::cc {

/// Splits text into words like a shell: blanks separate, single and double quotes group, a backslash escapes the next
/// character (inside double quotes only a quote or a backslash).
std::vector<std::string> split_words(const std::string& text);

/// Replaces every response file by its contents, recursively. Fails (kIo) when a file cannot be read, (kUsage) when
/// files include each other in a cycle.
std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments);

}  // namespace heddle::cc
