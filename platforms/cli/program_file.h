// SPDX-License-Identifier: Apache-2.0
// Checks on a program file before `heddle run` starts it.
#pragma once

#include <string>

namespace heddle::cli {

/// How a program uses the CUDA runtime, as far as visible in its file.
enum class RuntimeKind {
  none,         ///< no sign of CUDA: a script, or a program that loads CUDA code dynamically
  none_static,  ///< no sign of CUDA, and linked statically: it loads nothing
  shared,       ///< needs libcudart.so
  static_,      ///< contains device code and its own runtime
};

struct RuntimeLink {
  RuntimeKind kind = RuntimeKind::none;
  std::string library;  ///< name of the shared runtime it needs, "libcudart.so.11.0"
};

/// Inspects an ELF program; anything else is kNone. Throws Error(kUsage) for a file that is no program at all, with
/// what it is and what to do instead, and Error(kIo) when it cannot be read.
RuntimeLink runtime_link(const std::string& path);

/// Throws Error(kUsage) for a command without a program: what there is under that name, and what to do.
[[noreturn]] void no_program(const std::string& command);

/// Throws Error(kUsage) for a file that visibly is not PTX, with what to do instead.
void check_ptx_file(const std::string& path);

/// The file a command refers to: itself when it contains a '/', else found through PATH; empty when there is none.
std::string find_program(const std::string& command);

}  // namespace heddle::cli
