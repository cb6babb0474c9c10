// SPDX-License-Identifier: Apache-2.0
// Sources that nvcc takes and clang does not are compiled from corrected copies, under their own names and with their
// own line numbers: launch brackets that are written apart (launch_brackets.h), one % before a register in inline
// assembly (asm_escapes.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::cc {

/// Files that an `#include` of the text names, in quotes or angle brackets, whatever conditions stand around it.
std::vector<std::string> included_names(const std::string& text);

/// Folders that preprocessor flags name with -I or -isystem, joined or apart.
std::vector<std::string> include_folders(const std::vector<std::string>& flags);

/// Writes corrected copies of the source and of the files it includes, directly or not, that are found beside their
/// includer or in `folders`, into `copies`. Returns the file for clang's -ivfsoverlay that puts them in place of the
/// originals, empty when no file needs one. A file that cannot be read is left to the compiler to report.
std::string source_overlay(const std::string& source, const std::vector<std::string>& folders,
                           const std::filesystem::path& copies);

}  // namespace heddle::cc
