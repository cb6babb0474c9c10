// SPDX-License-Identifier: Apache-2.0
// One kind of execution unit: its instances, their initiation intervals, and when packets leave for write-back.
#pragma once

#include <optional>
#include <vector>

#include "core/kernel/link.h"
#include "sm/issue/event_wheel.h"
#include "sm/pipeline/unit_occupancy.h"
#include "sm/pipeline/unseen_packets.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class WritebackStage;

class ExecuteStage final : public Stage {
 public:
  ExecuteStage(sc_core::sc_module_name name, SmContext& sm, const UnitParameters& unit,
               const std::string& statistics_name, PipelineStage stage);

  LinkIn<PacketHandle> packets;
  LinkOut<PacketHandle> done;

  /// `done` leads to this stage without anything between: packets that nobody watches may skip the way there.
  void leads_to(WritebackStage& writeback);
  /// Counts packets that skipped write-back, up to and including cycle `now`. Call between cycles.
  void settle(Cycle now) {
    if (unseen_) unseen_->settle(now);
  }

  void cycle() override;

 private:
  /// Whether a packet that enters now may skip the rest of its way: nobody watches, none is on that way, and the issue
  /// stage holds the packet until its release.
  bool unseen(const Packet& packet) const;

  SmContext& sm_;
  PipelineStage stage_;
  UnitOccupancy lanes_;
  EventWheel<PacketHandle> leaving_;
  std::vector<PacketHandle> left_;  ///< packets waiting for room at write-back
  const WritebackStage* writeback_ = nullptr;
  std::optional<UnseenPackets> unseen_;
  StatisticsGroup group_;
  Counter packets_, lane_operations_, busy_cycles_;
  ModuleState state_;
  ProbeGroup::SignalId opcode_, pc_, threads_;
};

}  // namespace heddle::sm
