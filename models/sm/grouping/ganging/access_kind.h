// SPDX-License-Identifier: Apache-2.0
// What the memory unit of a sliced SM tells apart: it serves one kind of access in a cycle.
// Source: docs/sources/variable-warp-size.md, 2.9; decisions.md, variable warp size. Logic only.
#pragma once

#include <cstdint>

#include "isa/micro_op.h"

namespace heddle::sm {

/// 1 .. 15; 0: the instruction is not a memory access. A generic access counts as global.
std::uint8_t access_kind(const isa::MicroOp& op);

}  // namespace heddle::sm
