// SPDX-License-Identifier: Apache-2.0
// Operand stage: packets gather their source registers from the register-file banks in collectors and then go to their
// unit. Each packet records any delay beyond its loop distance; one that leaves only when its result was already due is
// reported to the issue stage.
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

  LinkIn<PacketHandle> from_alu, from_sfu, from_fp64, from_memory;  ///< packets from issue, by kind of unit
  LinkOut<PacketHandle> to_alu, to_sfu, to_fp64, to_memory;
  LinkOut<OperandDelay> delays;

  void cycle() override;

 private:
  static constexpr unsigned kKinds = 4;
  struct Collector {
    PacketHandle packet;
    std::array<std::uint8_t, isa::RegisterUse::kMaxReads> banks{};  ///< banks of the outstanding reads
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
  /// The packet has its operands and leaves for its unit.
  void leave(Packet& packet);
  /// Sends packets that have their operands. True if the kind needs the next cycle.
  bool dispatch(Kind& kind);
  void declare_state();

  SmContext& sm_;
  std::array<Kind, kKinds> kinds_;
  std::uint64_t banks_taken_ = 0;  ///< one bit per bank
  StatisticsGroup group_;
  Counter reads_, conflicts_, late_;
  ModuleState state_;
};

}  // namespace heddle::sm
