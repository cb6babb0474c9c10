// SPDX-License-Identifier: Apache-2.0
// The module of one DRAM bank: state, timings and row behind a call socket of its controller. It has no process.
#pragma once

#include <systemc>

#include "core/call.h"
#include "core/services.h"
#include "memory/dram_bank_state.h"

namespace heddle::memory {

/// The call interface of a bank.
class DramBankCall : public sc_core::sc_interface, public BankInterface {};

class DramBank final : public sc_core::sc_module, private DramBankCall {
 public:
  /// rules: of level kBank; they outlive the module.
  DramBank(sc_core::sc_module_name name, const TimingRules& rules, bool one_command_row_switch,
           const StatisticsGroup& statistics, Services& services, const std::string& clock_name);

  CallExport<DramBankCall> call;

 private:
  std::optional<std::uint64_t> open_row() const override { return state_.open_row(); }
  Cycle earliest(DramCommand command) const override { return state_.earliest(command); }
  void issue(DramCommand command, std::uint64_t row, Cycle now) override;

  BankState state_;
  Counter activates_, precharges_, reads_, writes_, refreshes_;
  Structure row_register_;
  ProbeGroup probe_;
  ProbeGroup::SignalId command_;
};

}  // namespace heddle::memory
