// SPDX-License-Identifier: Apache-2.0
// Checks on a program file before `heddle run` starts it.
#pragma once

#include <string>

namespace heddle::cli {

/// How a program uses the CUDA runtime, as far as visible in its file.
enum class RuntimeKind {
  none,     ///< no sign of CUDA: a script, or a program that loads CUDA code dynamically
  shared,   ///< needs libcudart.so
  static_,  ///< contains device code and its own runtime
};

struct RuntimeLink {
  RuntimeKind kind = RuntimeKind::none;
  std::string library;  ///< name of the shared runtime it needs, "libcudart.so.11.0"
};

/// Inspects an ELF program; anything else is kNone. Throws Error(kIo) when the file cannot be read.
RuntimeLink runtime_link(const std::string& path);

/// The file a command refers to: itself when it contains a '/', else found through PATH; empty when there is none.
std::string find_program(const std::string& command);

}  // namespace heddle::cli
