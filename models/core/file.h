// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace heddle {

/// Writes a file so that it is there whole or not at all: to a temporary name in the same folder, then renamed. Creates
/// the folder. Throws Error(kIo) that names the file and the cause (disk full, no permission); nothing is left behind
/// then.
void write_file_atomically(const std::filesystem::path& file, std::string_view text);

}  // namespace heddle
