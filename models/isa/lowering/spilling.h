// SPDX-License-Identifier: Apache-2.0
// Register spilling, for kernels whose register limit is below their need.
#pragma once

#include <cstdint>

#include "isa/lowering/ir.h"

namespace heddle::isa {

struct SpillRequest {
  std::uint32_t limit = 0;                      ///< 32-bit registers per thread, at least 1
  std::uint32_t first_byte = 0;                 ///< offset of the first spill slot in local memory, a multiple of 8
  std::uint32_t load_text = 0, store_text = 0;  ///< Kernel::texts indices for the inserted ops
};

struct Spilled {
  std::uint32_t need = 0, registers = 0;  ///< before and after
  std::uint32_t values = 0;               ///< virtual registers spilled to local memory
  std::uint32_t bytes = 0;  ///< size of the spill slots; values that are never live at the same time share a slot
};

/// Spills values until allocate_units() needs no more registers than the limit, or until no further spill helps; the
/// register count is then the lowest achievable. A spilled value is stored after each op that writes it and loaded
/// before each that reads it, under the op's guard. Predicates are not spilled: they have their own registers. The ops
/// must be laid out; blocks and their order are preserved. Source: spill-everywhere after G. Chaitin, "Register
/// Allocation and Spilling via Graph Coloring", PLDI 1982, with its cost function (accesses, weighted by ten per loop
/// level, over the relief) on the ranges of a linear scan.
Spilled spill_registers(Ir& ir, SpillRequest request);

}  // namespace heddle::isa
