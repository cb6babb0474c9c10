// SPDX-License-Identifier: Apache-2.0
// Module of one DRAM bank: state, timing and open row behind a call socket of its controller. It has no process.
#pragma once

#include <systemc>

#include "core/config/mechanism.h"
#include "core/kernel/call.h"
#include "core/kernel/services.h"
#include "memory/dram/dram_bank_state.h"

namespace heddle::memory {

/// Construction arguments of a bank. rules (of level `bank`) and services outlive the bank.
struct DramBankSite {
  const char* name;  ///< of the module
  const TimingRules& rules;
  bool one_command_row_switch;  ///< as in DramDevice
  const StatisticsGroup& statistics;
  Services& services;
  const std::string& clock_name;
};

/// Interface of a bank, called within the controller's cycle. A kind is one self-registering file, selected by
/// memory.controller.bank.
class DramBankCall : public sc_core::sc_interface, public BankInterface {
 public:
  using MakeArguments = void(const DramBankSite&);
};

class DramBank final : public sc_core::sc_module, public DramBankCall {
 public:
  explicit DramBank(const DramBankSite& site)
      : DramBank(site.name, site.rules, site.one_command_row_switch, site.statistics, site.services, site.clock_name) {}
  /// rules: of level `bank`; they outlive the module.
  DramBank(sc_core::sc_module_name name, const TimingRules& rules, bool one_command_row_switch,
           const StatisticsGroup& statistics, Services& services, const std::string& clock_name);

  CallExport<DramBankCall> call;

  std::optional<std::uint64_t> open_row() const override { return state_.open_row(); }
  Cycle earliest(DramCommand command) const override { return state_.earliest(command); }
  void issue(DramCommand command, std::uint64_t row, Cycle now) override;

 private:
  BankState state_;
  Counter activates_, precharges_, reads_, writes_, refreshes_;
  Structure row_register_;
  ProbeGroup probe_;
  ProbeGroup::SignalId command_;
};

}  // namespace heddle::memory
