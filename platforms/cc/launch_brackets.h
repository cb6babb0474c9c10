// SPDX-License-Identifier: Apache-2.0
// Launches whose brackets are written apart, `kernel<< <grid, block>> >(arguments)`, as an old clang-format left them.
// nvcc takes them; clang wants each bracket in one piece. Sources that have such launches are read by clang from
// corrected copies, under their own names and with every character but the brackets where it was.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::cc {

/// The text with launch brackets in one piece, of the same length and lines; nothing else is changed, in particular no
/// shift, no `operator<< <T>` and no end of template arguments. Empty when there is nothing to do.
std::string with_joined_brackets(const std::string& text);

/// Files that an `#include` of the text names, in quotes or angle brackets, whatever conditions stand around it.
std::vector<std::string> included_names(const std::string& text);

/// Corrected copies of the source and of the files it includes, directly or not, that are found beside their includer
/// or in `folders`; written into `copies`. Returns the overlay file that puts them in place of the originals, empty
/// when no file needs one. A file that cannot be read is left to the compiler to report.
std::string bracket_overlay(const std::string& source, const std::vector<std::string>& folders,
                            const std::filesystem::path& copies);

}  // namespace heddle::cc
