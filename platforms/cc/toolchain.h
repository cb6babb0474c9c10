// SPDX-License-Identifier: Apache-2.0
// The programs that `heddle cc` runs, and their folders.
#pragma once

#include <string>

#include "cc/options.h"
#include "common/install_paths.h"

namespace heddle::cc {

struct Toolchain {
  InstallPaths paths;
  std::string clang;           ///< clang++: both passes over CUDA sources
  int clang_version = 14;      ///< its major version
  std::string host_compiler;   ///< C++ sources and links: -ccbin, else g++, else clang
  std::string c_compiler;      ///< C sources
  std::string archiver;        ///< ar
  std::string openmp_library;  ///< clang's OpenMP library, with its header installed; empty when there is none
  std::string gcc_include;     ///< g++'s own headers (omp.h), used when clang has no OpenMP; empty when not needed
};

/// Finds the programs through environment variable HEDDLE_CLANG and PATH. Fails (kConfiguration) when there is no clang
/// of a supported version (14 to 19), naming the packages to install.
Toolchain find_toolchain(const InstallPaths& paths, const std::string& host_compiler_option);

/// Full path of a program found in PATH, or empty.
std::string find_program(const std::string& name);

}  // namespace heddle::cc
