// SPDX-License-Identifier: Apache-2.0
// Result queue: results of a unit wait here for write-back, oldest first. The worked example of a stage.
#pragma once

#include "core/kernel/link.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class ResultQueue final : public Stage {
 public:
  ResultQueue(sc_core::sc_module_name name, SmContext& sm)
      : Stage(name, sm.gate),
        results("results", sm.gate, stage_number(), {.width = 2, .latency = 1, .capacity = 8}),
        to_writeback("to_writeback", sm.gate, stage_number()),
        group_(sm.statistics, "result_queue"),
        passed_(group_, "passed", "results that went through the queue", unit::kInstructions),
        held_(group_, "held", "times a result found no room at write-back", unit::kEvents),
        held_share_(group_, "held_share", "times without room, a result", unit::kRatio,
                    [this](const StatisticsView& v) { return v.ratio(held_, passed_); }),
        state_(sm.services, sm.path("result_queue"), sm.domain()),
        passed_pc_(state_.signals.pulse("passed_pc", 32, "program counter of the result that goes on")) {
    state_.signals.add("waiting", 4, "results in the queue", [this] { return results.occupancy(); });
    state_.structure("queue", "results between a unit and write-back", results.capacity(),
                     {{"values", 32 * sm.parameters.simd_width, 1, 1}, {"lanes", sm.parameters.simd_width, 1, 1}});
  }

  LinkIn<PacketHandle> results;
  LinkOut<PacketHandle> to_writeback;

  void cycle() override {
    while (PacketHandle* front = results.front()) {
      if (!to_writeback.can_send()) {
        ++held_;
        to_writeback.wait_for_room();
        return;
      }
      if (state_.signals.on()) state_.signals.fire(passed_pc_, (*front)->op->pc);
      ++passed_;
      to_writeback.send(*front);
      results.pop();
    }
  }

 private:
  StatisticsGroup group_;
  Counter passed_, held_;
  Derived held_share_;
  ModuleState state_;
  ProbeGroup::SignalId passed_pc_;
};

}  // namespace heddle::sm
