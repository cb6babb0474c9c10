// SPDX-License-Identifier: Apache-2.0
// Escapes special registers in inline assembly: nvcc accepts a single % ("mov.u32 %0, %laneid;"), clang requires %%.
#pragma once

#include <string>

namespace heddle::cc {

/// The text with every single % before a word doubled in the templates of asm statements with operands, except before
/// an operand (%0, %c1, %[name]). Statements without operands are unchanged, as clang does not interpret % in them.
std::string with_escaped_registers(const std::string& source);

}  // namespace heddle::cc
