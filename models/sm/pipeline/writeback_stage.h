// SPDX-License-Identifier: Apache-2.0
// Write-back: register write ports, and reports of variable-latency completions to the issue stage.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "core/kernel/link.h"
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
        from_shared("from_shared", sm.gate, stage_number(), input(sm)),
        completions("completions", sm.gate, stage_number()),
        sm_(sm),
        inputs_{&from_memory, &from_shared, &from_alu, &from_sfu, &from_fp64},
        group_(sm.statistics, "writeback"),
        packets_(group_, "packets", "packets written back", unit::kInstructions),
        state_(sm.services, sm.path("writeback"), sm.domain()) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const std::string kind = kNames[i];
      LinkIn<PacketHandle>* const in = inputs_[i];
      in->watch(arrived_, static_cast<unsigned>(i));
      written_[i] = state_.signals.pulse(
          kind + "_pc", 32, "program counter of the packet of " + kind + " written back; the last one of a cycle");
      state_.signals.add(kind + "_waiting", 8, "packets of " + kind + " that wait for a write port",
                         [in] { return in->occupancy(); });
      state_.structure(kind + "_latch", "results of " + kind + " on their way to the register file", in->capacity(),
                       {{"values", 32 * sm.parameters.simd_width, 1, 1}, {"lanes", sm.parameters.simd_width, 1, 1}});
    }
  }

  LinkIn<PacketHandle> from_alu, from_sfu, from_fp64, from_memory, from_shared;
  LinkOut<Completion> completions;

  /// Packets that an input takes in a cycle.
  static unsigned width(const SmContext& sm) { return std::max(2u, sm.issue_width); }
  /// Whether a recorder shows its signals.
  bool signals_on() const { return state_.signals.on(); }
  /// Counts packets written back.
  Counter& written() { return packets_; }

  void cycle() override {
    // An input that found no room goes first in the next cycle; one that sent some and had more goes last.
    const std::size_t first = std::exchange(first_, 0);
    bool refused = false;
    for (std::size_t turn = 0; turn < inputs_.size(); ++turn) {
      const std::size_t i = (first + turn) % inputs_.size();
      if ((arrived_ >> i & 1) == 0) continue;
      LinkIn<PacketHandle>* const in = inputs_[i];
      bool sent = false;
      while (PacketHandle* front = in->front()) {
        Packet& packet = **front;
        if (state_.signals.on()) state_.signals.fire(written_[i], packet.op->pc);
        if (packet.latency != 0) {
          if (sm_.watch != nullptr) sm_.watch->entered(packet, PipelineStage::writeback);
          ++packets_;
          sm_.packets.drop(packet);  // its end was scheduled at issue
        } else {
          if (!completions.can_send()) {
            completions.wait_for_room();
            in->look_again();
            if (!std::exchange(refused, true)) first_ = sent ? (i + 1) % inputs_.size() : i;
            break;
          }
          sent = true;
          if (sm_.watch != nullptr) sm_.watch->entered(packet, PipelineStage::writeback);
          Completion completion{&packet};
          completions.send(completion);
          ++packets_;
        }
        in->pop();
      }
    }
  }

 private:
  static LinkParameters input(const SmContext& sm) { return {.width = width(sm), .latency = 1}; }
  SmContext& sm_;
  std::size_t first_ = 0;      // input served first in the next cycle
  std::uint32_t arrived_ = 0;  // one bit per input that holds packets
  std::array<LinkIn<PacketHandle>*, 5> inputs_;
  StatisticsGroup group_;
  Counter packets_;
  static constexpr std::array<const char*, 5> kNames{"memory", "shared", "alu", "sfu", "fp64"};
  ModuleState state_;
  std::array<ProbeGroup::SignalId, 5> written_{};
};

}  // namespace heddle::sm
