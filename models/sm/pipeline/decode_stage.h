// SPDX-License-Identifier: Apache-2.0
// Decode: one register between fetch and the instruction buffers. Micro-ops are decoded at load, so only latency and
// width are modelled.
#pragma once

#include "core/kernel/link.h"
#include "sm/messages.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class DecodeStage final : public Stage {
 public:
  DecodeStage(sc_core::sc_module_name name, SmContext& sm)
      : Stage(name, sm.gate),
        fetched("fetched", sm.gate, stage_number(), {.width = sm.parameters.fetch.width, .latency = 1}),
        decoded("decoded", sm.gate, stage_number()),
        group_(sm.statistics, "decode"),
        decoded_(group_, "decoded", "instructions decoded", unit::kInstructions),
        state_(sm.services, sm.path("decode"), sm.domain()),
        context_(state_.signals.pulse("context", 10, "context whose instructions are decoded; the last of a cycle")),
        pc_(state_.signals.pulse("pc", 32, "program counter of the first decoded instruction")),
        count_(state_.signals.pulse("count", 5, "number of decoded instructions")) {
    state_.signals.add("waiting", 8, "fetches that wait to be decoded", [this] { return fetched.occupancy(); });
    state_.structure(
        "latch", "fetches between fetch and decode", fetched.capacity(),
        {{"instructions", sm.parameters.fetch.instructions * sm.parameters.fetch.instruction_bytes * 8, 1, 1},
         {"pc", 32, 1, 1},
         {"context", 9, 1, 1}});
  }

  LinkIn<Fetched> fetched;
  LinkOut<Fetched> decoded;

  /// Counts them.
  Counter& decoded_instructions() { return decoded_; }

  void cycle() override {
    while (Fetched* in = fetched.front()) {
      if (!decoded.can_send()) {
        decoded.wait_for_room();
        return;
      }
      decoded_ += in->request.count;
      if (state_.signals.on()) {
        state_.signals.fire(context_, in->request.context);
        state_.signals.fire(pc_, in->request.pc);
        state_.signals.fire(count_, in->request.count);
      }
      decoded.send(*in);
      fetched.pop();
    }
  }

 private:
  StatisticsGroup group_;
  Counter decoded_;
  ModuleState state_;
  ProbeGroup::SignalId context_, pc_, count_;
};

}  // namespace heddle::sm
