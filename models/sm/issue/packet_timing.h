// SPDX-License-Identifier: Apache-2.0
// From issue to release: when a packet's registers are released, and when a context that waits for its instruction to
// leave the pipeline may issue again.
#pragma once

#include <array>

#include "sm/hazards/hazard_tracker.h"
#include "sm/issue/context_states.h"
#include "sm/issue/issue_events.h"
#include "sm/issue/packet_plan.h"
#include "sm/issue/resident_blocks.h"
#include "sm/issue/waiting_threads.h"

namespace heddle::sm {

class PacketTiming {
 public:
  PacketTiming(SmContext& sm, GroupingUnit& grouping, HazardTracker& hazards, const HazardTraits& traits,
               IssueEvents& events, ContextStates& states, const WaitingThreads& waiting, InstructionEffects& effects,
               ResidentBlocks& blocks);

  /// A packet issued. latency: cycles until a dependent instruction may issue; 0: until its completion says so.
  void issued(Packet& packet, Cycle latency);
  /// Holds the context until the packet has left the pipeline, where the plan says so and the shape keeps a context to
  /// one instruction. After issued().
  void hold_context(Packet& packet, const PacketPlan& plan);
  /// A packet of variable latency is complete.
  void completed(Packet& packet);
  /// The packet got its operands when its result was due: puts its events off.
  void gathered_late(Packet& packet);
  /// A line that the packet waits for was not in its cache.
  void missed(Packet& packet);
  /// Packets that missed and that the context waits for.
  unsigned missed_of(ContextId context) const { return missed_[context]; }
  /// IssueEvent::Kind::release and leave_pipeline.
  void due(const IssueEvent& event);

 private:
  void release(const Packet& packet, bool variable);
  /// A packet that its context waited for has left the pipeline.
  void leave_pipeline(ContextId context);
  /// Puts an event off whose packet got its operands late, or has not got them yet. False: it happens now.
  bool put_off(IssueEvent event);

  SmContext& sm_;
  ContextTable& contexts_;
  GroupingUnit& grouping_;
  HazardTracker& hazards_;
  const HazardTraits hazard_traits_;
  IssueEvents& events_;
  ContextStates& states_;
  const WaitingThreads& waiting_;
  InstructionEffects& effects_;
  ResidentBlocks& blocks_;
  std::array<std::uint16_t, kMaxContexts> kept_{};    ///< packets the context waits for
  std::array<std::uint16_t, kMaxContexts> missed_{};  ///< of them those that missed
};

}  // namespace heddle::sm
