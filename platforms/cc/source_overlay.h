// SPDX-License-Identifier: Apache-2.0
// Sources that nvcc accepts but clang rejects are compiled from corrected copies, keeping names and line numbers.
// Corrects split launch brackets (launch_brackets.h) and a single % before a register in inline assembly
// (asm_escapes.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::cc {

/// Files that an `#include` of the text names, in quotes or angle brackets, whatever conditions stand around it.
std::vector<std::string> included_names(const std::string& text);

/// Folders given by -I or -isystem flags, joined or separate.
std::vector<std::string> include_folders(const std::vector<std::string>& flags);

/// Writes corrected copies of the source and of files it includes, directly or indirectly, to `copies`. Searches next
/// to the includer and in `folders`. Returns the file for clang's -ivfsoverlay that substitutes the copies; empty when
/// none is needed. A file that cannot be read is left to the compiler to report.
std::string source_overlay(const std::string& source, const std::vector<std::string>& folders,
                           const std::filesystem::path& copies);

}  // namespace heddle::cc
