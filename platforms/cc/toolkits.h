// SPDX-License-Identifier: Apache-2.0
// Keeps an installed CUDA toolkit out of a build, where its headers and libraries would mix with ours.
#pragma once

#include <filesystem>

#include "cc/options.h"
#include "common/install_paths.h"

namespace heddle::cc {

/// Whether a folder of -I or -L belongs to a CUDA toolkit other than the installation at `paths`: it contains the
/// runtime's header or library, or is below a folder that contains bin/nvcc and the header.
bool is_foreign_toolkit(const InstallPaths& paths, const std::filesystem::path& folder);

/// Removes such folders from the options, with a note each, and silently from compiler and linker environment variables
/// (CPATH and similar), which are not part of this command.
void leave_out_toolkits(const InstallPaths& paths, Options& options);

}  // namespace heddle::cc
