// SPDX-License-Identifier: Apache-2.0
// What the issue stage shows of itself: signals for waveforms, and the storage that it declares.
#pragma once

#include <array>
#include <vector>

#include "core/kernel/module_state.h"
#include "sm/issue/barrier_unit.h"
#include "sm/issue/instruction_supply.h"
#include "sm/issue/issue_account.h"
#include "sm/issue/issue_units.h"
#include "sm/sm_context.h"

namespace heddle::sm {

/// Of each slot the packet that issues.
class PacketSignals {
 public:
  /// Declares the signals of `slots` slots; contexts: of the SM.
  PacketSignals(ModuleState& state, const SmContext& sm, IssueAccount& account, unsigned contexts);
  /// Whether somebody samples them.
  bool on() const { return signals_.on(); }
  void show(std::size_t slot, const Packet& packet);

 private:
  struct Slot {
    ProbeGroup::SignalId context, pc, opcode, threads, lanes;
  };
  ProbeGroup& signals_;
  std::vector<Slot> slots_;
};

/// Of each context what it does.
class ContextSignals {
 public:
  /// contexts: of the SM.
  ContextSignals(SmContext& sm, IssueUnits& units, unsigned contexts);

 private:
  /// ContextState of a context at the end of this cycle.
  std::uint8_t state_of(unsigned context);

  SmContext& sm_;
  IssueUnits& units_;
  ModuleState state_;
  std::array<std::uint8_t, kMaxContexts> states_{};
  Cycle known_at_ = kNever;
};

/// Declares the sets of contexts, as signals.
void declare_context_sets(ModuleState& state, const ContextTable& contexts, unsigned count);
/// Declares contexts, instruction buffers, barriers and meetings, for waveforms and the storage cost.
void declare_issue_storage(ModuleState& state, const SmContext& sm, unsigned contexts,
                           const InstructionBuffers& buffers, const BarrierTable& barriers, const Rendezvous& meetings);

}  // namespace heddle::sm
