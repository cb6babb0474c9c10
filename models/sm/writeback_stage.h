// SPDX-License-Identifier: Apache-2.0
// Write-back: register write ports, and the report of variable-latency completions to the issue stage.
#pragma once

#include <array>

#include "core/link.h"
#include "sm/messages.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class WritebackStage final : public Stage {
 public:
  WritebackStage(sc_core::sc_module_name name, SmContext& sm)
      : Stage(name, sm.gate),
        from_alu("from_alu", sm.gate, stage_number(), input(sm)),
        from_sfu("from_sfu", sm.gate, stage_number(), input(sm)),
        from_fp64("from_fp64", sm.gate, stage_number(), input(sm)),
        from_memory("from_memory", sm.gate, stage_number(), input(sm)),
        completions("completions", sm.gate, stage_number()),
        sm_(sm),
        inputs_{&from_memory, &from_alu, &from_sfu, &from_fp64},
        group_(sm.statistics, "writeback"),
        packets_(group_, "packets", "packets written back", unit::kInstructions) {}

  LinkIn<Packet*> from_alu, from_sfu, from_fp64, from_memory;
  LinkOut<Completion> completions;

  void cycle() override {
    for (LinkIn<Packet*>* in : inputs_) {
      while (Packet** front = in->front()) {
        Packet& packet = **front;
        if (packet.latency != 0) {
          sm_.packets.drop(packet);  // its end was scheduled when it issued
        } else {
          if (!completions.can_send()) {
            completions.wait_for_room();
            in->look_again();
            break;
          }
          Completion completion{&packet};
          completions.send(completion);
        }
        ++packets_;
        in->pop();
      }
    }
  }

 private:
  static LinkParameters input(const SmContext& sm) {
    return {.width = std::max(2u, sm.parameters.schedulers), .latency = 1};
  }
  SmContext& sm_;
  std::array<LinkIn<Packet*>*, 4> inputs_;
  StatisticsGroup group_;
  Counter packets_;
};

}  // namespace heddle::sm
