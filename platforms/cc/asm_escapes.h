// SPDX-License-Identifier: Apache-2.0
// One % before a special register in inline assembly: nvcc takes it ("mov.u32 %0, %laneid;"), clang wants
// %%.
#pragma once

#include <string>

namespace heddle::cc {

/// The text with every lone % before a word doubled, in the templates of asm statements that have operands; a %
/// before an operand (%0, %c1, %[name]) stays. Statements without operands are left alone: clang reads no % in them.
std::string with_escaped_registers(const std::string& source);

}  // namespace heddle::cc
