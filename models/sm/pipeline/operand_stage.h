// SPDX-License-Identifier: Apache-2.0
// Operands: packets gather their source registers from the banks of the register file in collectors, and go to their
// unit when they have them. What a packet needs longer than its loop distance assumes stands in the packet; one that
// leaves when its result was due says so to the issue stage.
#pragma once

#include <array>
#include <vector>

#include "core/kernel/link.h"
#include "sm/messages.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class OperandStage final : public Stage {
 public:
  OperandStage(sc_core::sc_module_name name, SmContext& sm);

  LinkIn<PacketHandle> from_alu, from_sfu, from_fp64, from_memory;  ///< packets for that kind of unit, from issue
  LinkOut<PacketHandle> to_alu, to_sfu, to_fp64, to_memory;
  LinkOut<OperandDelay> delays;

  void cycle() override;

 private:
  static constexpr unsigned kKinds = 4;
  struct Collector {
    PacketHandle packet;
    std::array<std::uint8_t, isa::RegisterUse::kMaxReads> banks{};  ///< of the reads still to do
    unsigned pending = 0;
    Cycle reads_from = 0;
  };
  struct Kind {
    LinkIn<PacketHandle>* in;
    LinkOut<PacketHandle>* out;
    unsigned collectors;
    std::vector<Collector> held;  ///< oldest first
  };
  void accept(Kind& kind);
  void read_banks(Kind& kind);
  /// The packet has its operands and goes to its unit.
  void leave(Packet& packet);
  /// Sends what has its operands. True when the kind must be looked at in the next cycle.
  bool dispatch(Kind& kind);
  void declare_state();

  SmContext& sm_;
  std::array<Kind, kKinds> kinds_;
  std::uint64_t banks_taken_ = 0;  ///< one bit a bank
  StatisticsGroup group_;
  Counter reads_, conflicts_, late_;
  ModuleState state_;
};

}  // namespace heddle::sm
