// SPDX-License-Identifier: Apache-2.0
// The `.sync` operations as meetings: which threads of a warp an instruction waits for, which instructions are one
// operation, and its execution for threads that came to it at several places in the program.
#pragma once

#include <array>
#include <cstdint>

#include "isa/execute.h"

namespace heddle::isa {

/// cond_acc and tree_traverse: what a thread does depends on the prefix sum of a predicate over the threads that meet.
/// Their execution: isa/prefix_operations.h.
inline bool sums_predicates(const MicroOp& op) {
  return op.opcode == Opcode::cond_acc || op.opcode == Opcode::tree_traverse;
}

/// vote, shfl, match, redux, elect, and those that sum predicates: a thread's result comes from operands of others.
inline bool exchanges_values(const MicroOp& op) {
  return op.opcode == Opcode::vote || op.opcode == Opcode::shfl || op.opcode == Opcode::match ||
         op.opcode == Opcode::redux || op.opcode == Opcode::elect || sums_predicates(op);
}

/// Operations whose `.sync` form names threads that wait for each other: those that exchange values, and bar.warp,
/// which only waits. Not activemask: it is about whoever is there, and nobody waits to be.
inline bool may_meet(const MicroOp& op) { return exchanges_values(op) || op.opcode == Opcode::bar_warp; }

/// Operations whose result depends on which threads of a warp execute together: those that exchange values, and
/// activemask, which names them. Not bar.warp: it has no result, so its threads may execute it apart once they have
/// met.
inline bool crosses_lanes(const MicroOp& op) { return exchanges_values(op) || op.opcode == Opcode::activemask; }

/// Index of the operand that names the threads that meet; of operations that may_meet(), in `.sync` form.
unsigned member_mask_source(const MicroOp& op);

/// Whether threads at `a` meet threads at `b`: one collective operation, written once or twice. A compiler may copy the
/// code around an operation into both sides of a branch, and threads that the mask names are then at different copies.
bool same_collective(const MicroOp& a, const MicroOp& b);

/// Where each thread of a warp meets the others; the entries of absent threads mean nothing.
using MeetingPlaces = std::array<const MicroOp*, kWordThreads>;

/// Executes a collective that does not sum predicates once for the threads in `mask`, lane i as its instruction
/// places[i] says.
void execute_collective(const MeetingPlaces& places, WarpState& warp, std::uint32_t mask);

}  // namespace heddle::isa
