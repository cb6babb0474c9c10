// SPDX-License-Identifier: Apache-2.0
// Liveness of virtual registers.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "isa/analysis/control_flow.h"
#include "isa/micro_op.h"

namespace heddle::isa {

/// Op i reads at position 2i and writes at 2i + 1. A value is live over half-open ranges of positions: from its write
/// (or from the reads of that op, where the result must not share a register with them) to just after its last read.
using LiveRange = std::pair<std::uint32_t, std::uint32_t>;

struct Liveness {
  std::vector<std::vector<LiveRange>> ranges;       ///< by register, ascending and disjoint; empty: never occurs
  std::vector<std::vector<std::uint32_t>> live_in;  ///< by block: registers, ascending
};

/// A guarded write does not kill the old value; a register is live only where some write may reach. Registers are per
/// thread, so divergence does not affect liveness. `registers`: number of virtual registers; those from
/// `first_temporary` on are dead at the end of every block, even after guarded writes.
Liveness find_liveness(std::span<const MicroOp> ops, const ControlFlow& flow, std::size_t registers,
                       std::size_t first_temporary = ~std::size_t{0});

/// Whether the op's results must not share registers with its sources: it has several results, cells of different size,
/// or reads other lanes' values.
bool clobbers_early(const MicroOp& op);

}  // namespace heddle::isa
