// SPDX-License-Identifier: Apache-2.0
// What `heddle run` must know of a program before it starts it.
#pragma once

#include <string>

namespace heddle::cli {

/// How a program reaches the CUDA runtime, as far as its file tells.
enum class RuntimeKind {
  kNone,    ///< no sign of CUDA in it: a script, or a program that loads what uses CUDA
  kShared,  ///< asks for libcudart.so
  kStatic,  ///< holds device code and a runtime of its own
};

struct RuntimeLink {
  RuntimeKind kind = RuntimeKind::kNone;
  std::string library;  ///< the name a shared runtime is asked for by, "libcudart.so.11.0"
};

/// Reads an ELF program; anything else is kNone. Throws Error(kIo) when the file cannot be read.
RuntimeLink runtime_link(const std::string& path);

/// The file a command names: itself when it has a '/', else what PATH finds; empty when there is none.
std::string find_program(const std::string& command);

}  // namespace heddle::cli
