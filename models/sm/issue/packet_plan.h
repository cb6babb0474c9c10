// SPDX-License-Identifier: Apache-2.0
// What is about to issue: a plan on the stack, made by an issue scheme and carried out by the issue kit. It says which
// threads, on which lanes, at what cost, and whether the packet has effects.
#pragma once

#include <cstdint>

#include "sm/grouping/lane_plan.h"
#include "sm/packet.h"

namespace heddle::sm {

struct PacketPlan {
  ContextId context = kNoContext;
  std::uint16_t slot = 0;
  const isa::MicroOp* op = nullptr;
  ThreadSet threads;  ///< that execute, guard applied, by place in the context
  LanePlan lanes;
  int instance = -1;  ///< of the unit; IssueKit::place() finds one

  PacketKind kind = PacketKind::normal;
  const Packet* replayed = nullptr;  ///< replay of a memory instruction: the packet whose addresses it sends again
  bool first = true, last = true;    ///< of the instruction's packets

  // -- cost
  unsigned interval = 0;       ///< cycles that a wave keeps its lanes; 0: of the operation's class
  unsigned latency = 0;        ///< issue to dependent issue of an operation of fixed latency; 0: of the class
  bool skips_execute = false;  ///< its result is there without the unit: it takes no lanes and no collector
  bool shares_lanes = false;   ///< it takes lanes that another packet of the cycle left free: it offers none of its own

  // -- what follows it
  bool holds_context = true;       ///< where a context waits for its instruction to leave the pipeline: for this packet
  bool all_hold = false;           ///< and for every further packet of the instruction
  bool resolves = true;            ///< of a branch: from this packet on it is known where the context's threads go
  std::uint64_t access_group = 0;  ///< memory packets of one group coalesce together; 0: those of one instruction
};

}  // namespace heddle::sm
