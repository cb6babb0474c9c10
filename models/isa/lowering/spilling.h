// SPDX-License-Identifier: Apache-2.0
// Values in local memory instead of registers, where a kernel may have fewer registers than it needs.
#pragma once

#include <cstdint>

#include "isa/lowering/ir.h"

namespace heddle::isa {

struct SpillRequest {
  std::uint32_t limit = 0;                      ///< 32-bit registers a thread may have, at least 1
  std::uint32_t first_byte = 0;                 ///< of local memory: where the values begin, a multiple of 8
  std::uint32_t load_text = 0, store_text = 0;  ///< of the inserted ops, in Kernel::texts
};

struct Spilled {
  std::uint32_t need = 0, registers = 0;  ///< before and after
  std::uint32_t values = 0;               ///< virtual registers that lie in local memory
  std::uint32_t bytes = 0;  ///< they take of it; values that are never needed at the same time share a place
};

/// Moves values to local memory until the registers that allocate_units() gives are no more than the limit, or no value
/// is left whose move would help; in that case as few registers as can be. A moved value is stored behind each op that
/// writes it and loaded before each that reads it, under the op's guard. Predicates stay: they have registers of their
/// own. The ops must be laid out; their blocks and the order of these stay as they are. Source: the spill everywhere of
/// G. Chaitin, "Register Allocation and Spilling via Graph Coloring", PLDI 1982, with his measure (accesses, ten times
/// as many a loop, over what is gained) on the ranges of a linear scan.
Spilled spill_registers(Ir& ir, SpillRequest request);

}  // namespace heddle::isa
