// SPDX-License-Identifier: Apache-2.0
// Plan of a packet about to issue, made by an issue scheme and carried out by the issue kit: threads, lanes, cost, and
// whether the packet has effects.
#pragma once

#include <cstdint>

#include "sm/grouping/lane_plan.h"
#include "sm/packet.h"

namespace heddle::sm {

/// Bit of an access group whose packets issue over several cycles: no other group's number has it.
inline constexpr std::uint64_t kSpansCycles = std::uint64_t{1} << 63;

struct PacketPlan {
  ContextId context = kNoContext;
  IssueSlot slot;
  const isa::MicroOp* op = nullptr;
  ThreadSet threads;  ///< threads that execute, guard applied, by position in the context; all in its ISA warps
  LanePlan lanes;
  int instance = -1;  ///< unit instance, found by IssueKit::place()

  PacketKind kind = PacketKind::normal;
  std::uint8_t company = 1;          ///< bit i: context + i of the same word of a set issues it too, in slot + i
  const Packet* replayed = nullptr;  ///< for a replay of a memory instruction: the packet whose addresses it repeats
  bool first = true, last = true;    ///< position among the instruction's packets

  // -- cost
  unsigned interval = 0;       ///< cycles a wave occupies its lanes; 0: use the operation's class
  unsigned latency = 0;        ///< issue to dependent issue if fixed; 0: use the operation's class
  bool skips_execute = false;  ///< result known without execution: uses no lanes and no collector
  bool shares_lanes = false;   ///< fills lanes left free by another packet of the cycle and offers none itself

  // -- consequences
  bool holds_context = true;       ///< contexts limited to one instruction in the pipeline wait for this packet
  bool all_hold = false;           ///< and for all later packets of the instruction
  bool resolves = true;            ///< for a branch: this packet determines where the context's threads go
  std::uint64_t access_group = 0;  ///< memory packets of a group coalesce together; 0: by instruction
  /// Memory packets of the group, which issue over several cycles: the access waits for all of them, 1 .. 64. 0: those
  /// of a cycle. The group then has the bit kSpansCycles.
  std::uint8_t access_packets = 0;
};

}  // namespace heddle::sm
