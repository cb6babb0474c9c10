// SPDX-License-Identifier: Apache-2.0
// Timing from issue to release: when a packet's registers are released, and when a context limited to one instruction
// in the pipeline may issue again.
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

  const HazardTraits& hazard_traits() const { return hazard_traits_; }
  void track_with(HazardTracker& hazards) { hazards_ = &hazards; }  ///< packets take and release registers there
  /// A packet issued. latency: cycles until a dependent instruction may issue; 0: variable, until its completion.
  void issued(Packet& packet, Cycle latency);
  /// A packet takes its registers; issued() follows in a later cycle, when the packet leaves its latch.
  void latched(Packet& packet, bool variable) {
    packet.hazard_token = hazards_->issued(contexts_, packet, variable);
    packet.latched = true;
  }
  /// Holds the context until the packet has left the pipeline, if the plan asks for it and the shape limits a context
  /// to one instruction in flight. Call after issued().
  void hold_context(Packet& packet, const PacketPlan& plan);
  /// A variable-latency packet is complete.
  void completed(Packet& packet);
  /// The operand stage reports on a packet; postpones its events if its operands are late.
  void operands(const OperandReport& report);
  /// A line needed by the packet was not in its cache.
  void missed(Packet& packet);
  /// Number of the context's outstanding packets that missed.
  unsigned missed_of(ContextId context) const { return missed_[context]; }
  /// Handles IssueEvent::Kind::release and leave_pipeline.
  void due(const IssueEvent& event);
  /// Releases what the tracker held back and now lets go. Call once a cycle, after the events.
  void advance() {
    if (hazard_traits_.commits) release_committed();
  }

 private:
  void give_back_registers(const Packet& packet);
  void release_committed();
  Cycle stay_of(Cycle latency) const {
    const SmParameters& p = sm_.parameters;
    const Cycle depth = p.shape == PipelineShape::barrel ? p.pipeline_depth : 1;
    return p.refetch != 0 ? p.refetch : std::max(depth, latency);
  }
  /// The packet's registers are due for release.
  void release(Packet& packet);
  void release_now(Packet& packet);
  /// A packet its context waited for has left the pipeline.
  void leave_pipeline(ContextId context);
  /// Postpones an event whose packet got its operands late or still lacks them. False: the event happens now.
  bool put_off(IssueEvent event);

  SmContext& sm_;
  ContextTable& contexts_;
  GroupingUnit& grouping_;
  HazardTracker* hazards_;
  const HazardTraits hazard_traits_;
  const bool by_context_;  ///< a release concerns the packet's own contexts only
  IssueEvents& events_;
  ContextStates& states_;
  const WaitingThreads& waiting_;
  InstructionEffects& effects_;
  ResidentBlocks& blocks_;
  std::array<std::uint16_t, kMaxContexts> kept_{};    ///< packets the context waits for
  std::array<std::uint16_t, kMaxContexts> missed_{};  ///< those of kept_ that missed
  std::vector<PacketHandle> committed_;               ///< handed out by the tracker in this cycle
};

}  // namespace heddle::sm
