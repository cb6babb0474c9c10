// SPDX-License-Identifier: Apache-2.0
// Kernel arguments in command-line syntax, and buffer contents as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/image.h"

namespace heddle::ptx_runner {

/// One argument: the bytes of a scalar, or the initial contents of a buffer.
struct Argument {
  bool is_buffer = false;
  isa::DataType element = isa::DataType::b8;  ///< buffer: element type for printing
  std::vector<std::byte> bytes;
};

/// Reads an argument for a parameter. A buffer is zeros:TYPE:COUNT, iota:TYPE:COUNT, fill:TYPE:COUNT:VALUE,
/// random:TYPE:COUNT[:SEED], file:[TYPE:]PATH, or the path of a file; a scalar a number of the parameter's type, null,
/// or hex:DIGITS for its bytes. Throws Error(kUsage), or kIo for a file, that names parameter and text.
Argument read_argument(const isa::Parameter& parameter, const std::string& text);

/// Looks up an element type: u8 to s64, b8 to b64, f32, f64. Throws Error(kUsage).
isa::DataType element_type(const std::string& name);

/// The first `count` elements of a buffer as text, separated by spaces.
std::string elements_text(const std::vector<std::byte>& bytes, isa::DataType element, std::size_t count);

/// X, X,Y or X,Y,Z, separated by x or a comma; each at least 1. `what` names the option. Throws Error(kUsage).
struct Extents {
  unsigned x = 1, y = 1, z = 1;
};
Extents read_extents(const std::string& text, const std::string& what);

}  // namespace heddle::ptx_runner
