// SPDX-License-Identifier: Apache-2.0
// One % before a special register in inline assembly: nvcc takes it ("mov.u32 %0, %laneid;"), clang wants %%. Sources
// that have it are compiled from a copy in which it is doubled, under their own names and with their own line numbers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::cc {

/// The text with every lone % before a word doubled, in the templates of asm statements that have operands; a %
/// before an operand (%0, %c1, %[name]) stays. Statements without operands are left alone: clang reads no % in them.
std::string with_escaped_registers(const std::string& source);

/// The files among `source` and what it includes, by name or from the folders, that with_escaped_registers changes;
/// copies of them are written to `work`. Returns an overlay for clang's -ivfsoverlay, or nothing when none does.
std::string escape_overlay(const std::filesystem::path& source, const std::vector<std::filesystem::path>& folders,
                           const std::filesystem::path& work);

/// The folders that preprocessor flags name with -I, joined or apart.
std::vector<std::filesystem::path> include_folders(const std::vector<std::string>& flags);

}  // namespace heddle::cc
