// SPDX-License-Identifier: Apache-2.0
// Module of the prefix-sum network: the logic of isa/prefix_sum.h behind a call socket of the issue stage, which passes
// the predicates of the threads that met. It has no process and no state. sm.blocks.prefix_sum selects the model, RTL
// or both. Its latency is accounted for by its users: sm.latency.prefix and sm.prefix_stages.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "core/kernel/call.h"
#include "isa/prefix_sum.h"
#include "sm/prefix_sum/prefix_sum_unit.h"
#include "sm/sm_context.h"

namespace heddle::sm {

/// Interface to the owner.
class PrefixSumCall : public virtual sc_core::sc_interface {
 public:
  virtual unsigned lanes() const = 0;
  /// predicates: bit i is lane i.
  virtual isa::PrefixSums sum(std::uint64_t predicates) = 0;
};

class PrefixSumBlock final : public sc_core::sc_module, private PrefixSumCall {
 public:
  /// lanes: a power of two, 2 .. 64.
  PrefixSumBlock(sc_core::sc_module_name name, SmContext& sm, unsigned lanes);

  CallExport<PrefixSumCall> call;

  const isa::PrefixSum& network() const { return network_; }

 private:
  unsigned lanes() const override { return network_.lanes(); }
  isa::PrefixSums sum(std::uint64_t predicates) override;

  isa::PrefixSum network_;
  std::unique_ptr<PrefixSumUnit> unit_;
  StatisticsGroup group_;
  Counter sums_, lanes_held_;
  ModuleState state_;
  ProbeGroup::SignalId predicates_, total_;
};

}  // namespace heddle::sm
