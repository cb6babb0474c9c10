// SPDX-License-Identifier: Apache-2.0
// Where values of virtual registers are needed.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "isa/analysis/control_flow.h"
#include "isa/micro_op.h"

namespace heddle::isa {

/// Op i reads at position 2i and writes at 2i + 1. A value lives over half-open ranges of positions: from its write (or
/// from the reads of that op, where the result must not share a register with them) to behind its last read.
using LiveRange = std::pair<std::uint32_t, std::uint32_t>;

struct Liveness {
  std::vector<std::vector<LiveRange>> ranges;       ///< by register, ascending and disjoint; empty: never occurs
  std::vector<std::vector<std::uint32_t>> live_in;  ///< by block: registers, ascending
};

/// A guarded write does not end the life of the old value; a register lives only where some write can have reached.
/// Threads have registers of their own, so that divergence changes nothing. `registers`: number of virtual registers;
/// those from `first_temporary` on are known to hold nothing at the end of a block, guarded writes or not.
Liveness find_liveness(std::span<const MicroOp> ops, const ControlFlow& flow, std::size_t registers,
                       std::size_t first_temporary = ~std::size_t{0});

/// Whether results of the op must not take the place of its sources: it has several, or cells of different size, or
/// reads other lanes' values.
bool clobbers_early(const MicroOp& op);

}  // namespace heddle::isa
