// SPDX-License-Identifier: Apache-2.0
// Keeps an installed CUDA toolkit out of a build: its headers and libraries would be mixed with ours.
#pragma once

#include <filesystem>

#include "cc/options.h"
#include "common/install_paths.h"

namespace heddle::cc {

/// Whether a folder of -I or -L belongs to a CUDA toolkit other than the installation at `paths`: it holds the
/// runtime's header or library, or lies below a folder that holds bin/nvcc and the header.
bool is_foreign_toolkit(const InstallPaths& paths, const std::filesystem::path& folder);

/// Takes such folders out of the options, with a note each, and out of the environment variables by which compilers and
/// linkers are given folders (CPATH and its like), without one: nobody asked for them in this command.
void leave_out_toolkits(const InstallPaths& paths, Options& options);

}  // namespace heddle::cc
