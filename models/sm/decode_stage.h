// SPDX-License-Identifier: Apache-2.0
// Decode: one register between fetch and the instruction buffers. Micro-ops are decoded at load; what is modelled is
// the time and the width.
#pragma once

#include "core/link.h"
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
        decoded_(group_, "decoded", "instructions decoded", unit::kInstructions) {}

  LinkIn<Fetched> fetched;
  LinkOut<Fetched> decoded;

  void cycle() override {
    while (Fetched* in = fetched.front()) {
      if (!decoded.can_send()) {
        decoded.wait_for_room();
        return;
      }
      decoded_ += in->request.count;
      decoded.send(*in);
      fetched.pop();
    }
  }

 private:
  StatisticsGroup group_;
  Counter decoded_;
};

}  // namespace heddle::sm
