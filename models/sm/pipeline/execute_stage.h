// SPDX-License-Identifier: Apache-2.0
// One kind of execution unit: its instances, their initiation intervals, and when packets leave for write-back.
#pragma once

#include <vector>

#include "core/kernel/link.h"
#include "sm/issue/event_wheel.h"
#include "sm/pipeline/unit_occupancy.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class ExecuteStage final : public Stage {
 public:
  ExecuteStage(sc_core::sc_module_name name, SmContext& sm, const UnitParameters& unit,
               const std::string& statistics_name, PipelineStage stage);

  LinkIn<PacketHandle> packets;
  LinkOut<PacketHandle> done;

  void cycle() override;

 private:
  SmContext& sm_;
  PipelineStage stage_;
  UnitOccupancy lanes_;
  EventWheel<PacketHandle> leaving_;
  std::vector<PacketHandle> left_;  ///< packets waiting for room at write-back
  StatisticsGroup group_;
  Counter packets_, lane_operations_, busy_cycles_;
  ModuleState state_;
  ProbeGroup::SignalId opcode_, pc_, threads_;
};

}  // namespace heddle::sm
