// SPDX-License-Identifier: Apache-2.0
// Fetch of a sliced SM: the gang front end and one front end per slice share the ports of the instruction cache. Gangs
// go first and fetch once for all their warps; a slice looks up its L0 store first.
// Source: docs/sources/variable-warp-size.md, 2.7 and 3.2.
#pragma once

#include <vector>

#include "core/kernel/call.h"
#include "core/kernel/instruction_store.h"
#include "sm/grouping/ganging/variable_warps.h"
#include "sm/issue/fetch_scheme.h"
#include "sm/issue/instruction_supply.h"

namespace heddle::sm {

/// Decides which slices get the ports that the gangs leave free. Logic only.
class FetchPortArbiter {
 public:
  explicit FetchPortArbiter(unsigned slices) : slices_(slices) {}
  /// wanting: slices that ask for a port. Grants at most `ports`, in turn.
  SliceMask grant(SliceMask wanting, unsigned ports);

 private:
  unsigned slices_;
  unsigned first_ = 0;  ///< slice that is asked first
};

/// Instructions that the L0 stores had when they were looked up.
class L0Outputs final : public sc_core::sc_module, private InstructionStore {
 public:
  explicit L0Outputs(sc_core::sc_module_name name) : sc_module(name), look_ups("look_ups") { look_ups.bind(*this); }
  CallExport<InstructionStore> look_ups;

 private:
  Answer look_up(std::uint64_t, InstructionReturn&) override { return Answer::hit; }
  unsigned line_bytes() const override { return L0Store::kLineBytes; }
};

class GangFetch final : public FetchScheme {
 public:
  explicit GangFetch(VariableWarps& warps);
  void cycle(InstructionSupply& supply, const ContextSet& wanting) override;
  bool wants(const InstructionSupply& supply, const ContextSet& wanting) const override {
    return for_gangs(supply, wanting).any() || wanting.intersects(warps_.unit().alone());
  }

 private:
  /// Those of `wanting` whose gang may want to fetch: with one instruction ahead, only where none is buffered or on its
  /// way.
  ContextSet for_gangs(const InstructionSupply& supply, const ContextSet& wanting) const {
    ContextSet gangs = wanting - warps_.unit().single();
    if (parameters_.gang_buffer == 1) gangs &= supply.empty();
    return gangs;
  }
  /// Requests for gangs; returns the number of ports that they take.
  unsigned fetch_for_gangs(InstructionSupply& supply, const ContextSet& wanting, unsigned ports);
  /// Requests instructions for one gang.
  void fetch_for(InstructionSupply& supply, unsigned set, unsigned way);
  void fetch_for_slices(InstructionSupply& supply, const ContextSet& wanting, unsigned ports);
  /// Whether the gang has fewer instructions ahead than its warps may share.
  bool has_room(const InstructionSupply& supply, unsigned set, SliceMask gang) const;
  /// Address of the context's next instruction to fetch.
  std::uint64_t address_of(const InstructionSupply& supply, ContextId context) const;

  VariableWarps& warps_;
  const GangingParameters& parameters_;
  const unsigned instruction_bytes_;
  FetchPortArbiter arbiter_;
  unsigned last_gang_ = 0;            ///< entry that was fetched for last
  std::vector<ContextId> last_;       ///< by slice: warp that was fetched for last
  std::vector<ContextId> candidate_;  ///< by slice, in a cycle
  unsigned denied_ = 0;               ///< cycles since a slice got a port, while gangs kept it from one
  StatisticsGroup group_;
  Counter gang_fetches_, slice_fetches_, l0_hits_, cache_fetches_, refused_;
  ModuleState state_;
  ProbeGroup::SignalId gang_ports_, slice_ports_, from_l0_;
};

}  // namespace heddle::sm
