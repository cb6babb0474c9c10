// SPDX-License-Identifier: Apache-2.0
// Visibility into the issue stage: waveform signals and declared storage.
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

/// Signals for the packet issued by each slot.
class PacketSignals {
 public:
  /// Declares the signals of each slot of `account`. contexts: number in the SM.
  PacketSignals(ModuleState& state, const SmContext& sm, IssueAccount& account, unsigned contexts);
  /// Whether the signals are being recorded.
  bool on() const { return signals_.on(); }
  void show(IssueSlot slot, const Packet& packet);

 private:
  struct Slot {
    ProbeGroup::SignalId context, pc, opcode, threads, lanes;
  };
  ProbeGroup& signals_;
  std::vector<Slot> slots_;
};

/// Signals for the state of each context.
class ContextSignals {
 public:
  /// contexts: number in the SM.
  ContextSignals(SmContext& sm, IssueUnits& units, unsigned contexts);

 private:
  /// ContextState of each context at the end of the current cycle, as planes (ProbeGroup::add_planes()).
  void read(std::uint64_t* planes);

  SmContext& sm_;
  IssueUnits& units_;
  unsigned contexts_;
  ModuleState state_;
};

/// Declares the context sets as signals.
void declare_context_sets(ModuleState& state, const ContextTable& contexts, unsigned count);
/// Declares contexts, instruction buffers, barriers and meetings, for waveforms and the storage cost.
void declare_issue_storage(ModuleState& state, const SmContext& sm, unsigned contexts,
                           const InstructionBuffers& buffers, const BarrierTable& barriers, const Rendezvous& meetings);

}  // namespace heddle::sm
