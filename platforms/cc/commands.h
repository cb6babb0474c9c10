// SPDX-License-Identifier: Apache-2.0
// Builds the command lines for the options: pure functions from options to argument vectors, so that every option is
// testable without running a compiler.
#pragma once

#include <string>
#include <vector>

#include "cc/architecture.h"
#include "cc/options.h"
#include "cc/toolchain.h"

namespace heddle::cc {

using Command = std::vector<std::string>;

/// Version of the CUDA interface reported to programs (__CUDACC_VER_MAJOR__, --version): the headers' CUDA_VERSION.
struct InterfaceVersion {
  int major;
  int minor;
};
constexpr InterfaceVersion kInterfaceVersion{11, 8};

/// Settings shared by the commands of one run.
struct Build {
  const Options& options;
  const Toolchain& tools;
  Architecture architecture;
  std::string empty_folder;  ///< passed to clang as the CUDA toolkit, so that it does not search for one
  std::string overlay = {};  ///< overlay of the current source (source_overlay.h); empty: not needed
};

/// Whether the device code gets source lines.
bool has_lines(const Options& options);
/// Whether device code is optimised.
bool optimizes_device(const Options& options);
/// Device pass: CUDA source to PTX text; with source lines to optimised LLVM IR, from which code_command() goes on.
Command device_command(const Build& build, const std::string& source, const std::string& output);
/// The device pass as two: CUDA source to LLVM IR before optimisation, and from there to what device_command() gives.
Command unoptimized_command(const Build& build, const std::string& source, const std::string& ir);
Command optimization_command(const Build& build, const std::string& ir, const std::string& output);
/// Second half of the device pass with source lines: LLVM IR to the PTX text that one pass would give.
Command code_command(const Build& build, const std::string& ir, const std::string& ptx);

/// Host pass: CUDA source to an object with the PTX text in `ptx` embedded.
Command host_command(const Build& build, const std::string& source, const std::string& ptx, const std::string& object);

/// Host pass that stops after preprocessing (-E), or writes a make rule only (-M). Output goes to standard output
/// when `output` is empty.
Command preprocess_command(const Build& build, const std::string& source, Language language, const std::string& output);

/// Compiles a C or C++ source with the host compiler.
Command plain_command(const Build& build, const std::string& source, Language language, const std::string& object);

/// Flags that make a pass write its make rule to `file`.
Command dependency_flags(const Options& options, const std::string& object, const std::string& file);

/// Link of `items` (objects, libraries, flags in their order) into `output`.
Command link_command(const Build& build, const std::vector<std::string>& items, const std::string& output);

/// Compilation of the source the device link generates.
Command registration_command(const Build& build, const std::string& source, const std::string& object);

Command archive_command(const Build& build, const std::vector<std::string>& objects, const std::string& output);

/// Whether OpenMP is requested but unavailable for CUDA sources.
bool drops_openmp(const Build& build);

/// A command quoted for a shell.
std::string shell_text(const Command& command);

}  // namespace heddle::cc
