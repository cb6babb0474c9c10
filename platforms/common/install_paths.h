// SPDX-License-Identifier: Apache-2.0
// Where the parts of an installation lie. A build tree and an install prefix have the same shape:
//   <home>/bin/heddle                 the command; heddle-cc beside it names the compiler driver alone
//   <home>/share/heddle/cuda/         laid out as build systems expect a toolkit: include, lib64, bin/nvcc
//   <home>/share/heddle/presets/      machine descriptions
//   <home>/share/heddle/report.html   template of the page that heddle report writes
#pragma once

#include <filesystem>

namespace heddle {

/// Folders of one installation. None is promised to exist: who needs one checks it and says what is missing.
struct InstallPaths {
  std::filesystem::path home;             ///< prefix of everything below
  std::filesystem::path program;          ///< the running command, wherever home is
  std::filesystem::path cuda_root;        ///< folder shaped like a toolkit
  std::filesystem::path cuda_include;     ///< CUDA headers, links resolved
  std::filesystem::path runtime_library;  ///< folder that holds libcudart.so, links resolved
  std::filesystem::path presets;          ///< machine descriptions
  std::filesystem::path report_template;  ///< page of heddle report, without data
};

/// The paths of the installation whose prefix is `home`; its command is taken to be the running one.
InstallPaths install_paths_at(const std::filesystem::path& home);

/// The paths of the running program: environment variable HEDDLE_HOME when set, else the folder above the one
/// that holds the executable. Fails (kIo) when the executable cannot be located.
InstallPaths find_install_paths();

}  // namespace heddle
