// SPDX-License-Identifier: Apache-2.0
// Warp-wide `.sync` operations: which threads of a warp an instruction waits for, which instructions count as the same
// operation, and how it executes for threads that reached it at different program counters.
#pragma once

#include <array>
#include <cstdint>

#include "isa/execute.h"

namespace heddle::isa {

/// cond_acc and tree_traverse, which use the prefix sum of a predicate over the participating threads. Executed by
/// isa/prefix_operations.h.
inline bool sums_predicates(const MicroOp& op) {
  return op.opcode == Opcode::cond_acc || op.opcode == Opcode::tree_traverse;
}

/// Operations whose result depends on other threads' operands: vote, shfl, match, redux, elect, and the prefix-sum
/// operations.
inline bool exchanges_values(const MicroOp& op) {
  return op.opcode == Opcode::vote || op.opcode == Opcode::shfl || op.opcode == Opcode::match ||
         op.opcode == Opcode::redux || op.opcode == Opcode::elect || sums_predicates(op);
}

/// Operations whose `.sync` form makes the named threads wait for each other: those that exchange values, and bar.warp.
/// Not activemask, which reports the threads that happen to be active and waits for none.
inline bool may_meet(const MicroOp& op) { return exchanges_values(op) || op.opcode == Opcode::bar_warp; }

/// Operations whose result depends on which threads of a warp execute together: those that exchange values, and
/// activemask. Not bar.warp: it has no result, so its threads may execute it separately once all have arrived.
inline bool crosses_lanes(const MicroOp& op) { return exchanges_values(op) || op.opcode == Opcode::activemask; }

/// Index of the member-mask operand of an operation that may_meet(), in `.sync` form.
unsigned member_mask_source(const MicroOp& op);

/// Whether `a` and `b` are the same collective operation. A compiler may duplicate the code around an operation into
/// both sides of a branch, so threads named by one mask can arrive at different copies.
bool same_collective(const MicroOp& a, const MicroOp& b);

/// The instruction at which each thread of a warp arrived; entries of absent threads are unspecified.
using MeetingPlaces = std::array<const MicroOp*, kWordThreads>;

/// Executes a collective other than the prefix-sum operations once for the threads in `mask`; lane i executes
/// places[i].
void execute_collective(const MeetingPlaces& places, WarpState& warp, std::uint32_t mask);

}  // namespace heddle::isa
