// SPDX-License-Identifier: Apache-2.0
// Operand stage: packets gather their source registers from the register-file banks in collectors and then go to their
// unit. A packet that takes longer than its loop distance assumes is reported to the issue stage.
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "core/kernel/link.h"
#include "sm/messages.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class OperandStage final : public Stage {
 public:
  /// report_all: reports every packet that has its operands, not only late ones.
  OperandStage(sc_core::sc_module_name name, SmContext& sm, bool report_all);

  LinkIn<PacketHandle> from_alu, from_sfu, from_fp64, from_memory;  ///< packets from issue, by kind of unit
  LinkOut<PacketHandle> to_alu, to_sfu, to_fp64, to_memory;
  LinkOut<OperandReport> reports;
  /// Width for `reports`.
  static unsigned reports_per_cycle(const SmContext& sm) { return 2 * kKinds * sm.issue_width; }

  void cycle() override;

 private:
  static constexpr unsigned kKinds = 4, kMemory = 3;
  using Banks = std::array<std::uint8_t, isa::RegisterUse::kMaxReads>;
  struct Collector {
    PacketHandle packet;
    Banks banks{};  ///< banks of the outstanding reads
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
  /// Offset by warp, so that equal registers of different warps do not always collide.
  std::uint8_t bank_of(isa::RegisterId id, WarpId warp) const {
    const unsigned banks = sm_.parameters.operands.banks, at = unsigned{id} + warp;
    return static_cast<std::uint8_t>(std::has_single_bit(banks) ? at & (banks - 1) : at % banks);
  }
  /// The banks of the registers that a packet reads. Returns their number.
  unsigned banks_of(const Packet& packet, Banks& banks) const;
  /// Reads as many of the first `pending` banks as are free, and moves the others to the front. Returns their number.
  unsigned read(Banks& banks, unsigned pending);
  void read_banks(Kind& kind);
  /// accept(), read_banks() and, while none of its packets has to wait, dispatch() of the only kind with packets.
  void pass(Kind& kind);
  /// Sends what has its operands; asks for the cycles in which the kind has more to do.
  void finish(Kind& kind);
  /// The packet has its operands and leaves for its unit.
  void leave(Packet& packet);
  /// Whether the packet can leave on a link with room for `room` packets.
  bool has_room(const Kind& kind, const Packet& packet, unsigned room);
  /// Sends packets that have their operands. True if the kind needs the next cycle.
  bool dispatch(Kind& kind);
  /// Reports packets left behind whose result is about to be due. A report may have to wait for its time: then the
  /// stage wakes for it.
  void report_waiting(Kind& kind);
  void report_waiting(Packet& packet);
  void declare_state();

  SmContext& sm_;
  const bool report_all_;
  std::array<Kind, kKinds> kinds_;
  std::uint32_t arrived_ = 0;      ///< one bit per kind with packets on its link
  std::uint64_t banks_taken_ = 0;  ///< one bit per bank
  std::uint64_t last_access_ = 0;  ///< access group of the last packet that left for the memory stage
  StatisticsGroup group_;
  Counter reads_, conflicts_, late_;
  ModuleState state_;
};

}  // namespace heddle::sm
