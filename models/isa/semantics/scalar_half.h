// SPDX-License-Identifier: Apache-2.0
// Half-precision addition on single values, for atomics.
#pragma once

#include <cstdint>

#include "isa/types.h"

namespace heddle::isa {

/// a + b rounded to nearest even, subnormals kept, NaN as 0x7fff. type: f16 or bf16.
std::uint16_t add_half(std::uint16_t a, std::uint16_t b, DataType type);
/// The same on both halves. type: f16x2 or bf16x2.
std::uint32_t add_half_pair(std::uint32_t a, std::uint32_t b, DataType type);

}  // namespace heddle::isa
