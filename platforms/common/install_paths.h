// SPDX-License-Identifier: Apache-2.0
// Paths of an installation. A build tree and an install prefix have the same layout:
//   <home>/bin/heddle                 the command; heddle-cc next to it is the compiler driver alone
//   <home>/share/heddle/cuda/         laid out as build systems expect a toolkit: include, lib64, bin/nvcc
//   <home>/share/heddle/presets/      machine descriptions
//   <home>/share/heddle/report.html   template of the page that heddle report writes
#pragma once

#include <filesystem>

namespace heddle {

/// Folders of one installation. None is guaranteed to exist; users of a folder must check.
struct InstallPaths {
  std::filesystem::path home;             ///< prefix of everything below
  std::filesystem::path program;          ///< the running command, wherever home is
  std::filesystem::path cuda_root;        ///< folder with a toolkit's layout
  std::filesystem::path cuda_include;     ///< CUDA headers, links resolved
  std::filesystem::path runtime_library;  ///< folder of libcudart.so, links resolved
  std::filesystem::path presets;          ///< machine descriptions
  std::filesystem::path report_template;  ///< page of heddle report, without data
};

/// The paths of the installation with prefix `home`, assuming that the running command belongs to it.
InstallPaths install_paths_at(const std::filesystem::path& home);

/// The paths of the running program: environment variable HEDDLE_HOME when set, else the folder above the one
/// that holds the executable. Fails (kIo) when the executable cannot be located.
InstallPaths find_install_paths();

}  // namespace heddle
