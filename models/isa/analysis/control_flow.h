// SPDX-License-Identifier: Apache-2.0
// Basic blocks of a list of micro-ops.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/analysis/dominators.h"
#include "isa/analysis/flow_graph.h"
#include "isa/micro_op.h"

namespace heddle::isa {

/// A block ends at a branch, at an exit, or before a branch target. Targets are op indices. A `call` has edges to its
/// target and to the next op, a `ret` to the exit (subroutines of the lowering, ir.h).
struct ControlFlow {
  struct Block {
    std::uint32_t first = 0, last = 0;
  };
  std::vector<Block> blocks;            ///< in the order of the ops
  std::vector<std::uint32_t> block_of;  ///< per op
  FlowGraph graph;                      ///< node = block
  Exits exits;                          ///< exit and trap, guarded ones under `sometimes`

  ControlFlow(std::span<const MicroOp> ops, const std::vector<std::vector<std::uint32_t>>& target_lists);
};

/// Whether a thread that executes the op with its guard true does not fall through to the next one.
bool leaves_sequence(Opcode opcode);

}  // namespace heddle::isa
