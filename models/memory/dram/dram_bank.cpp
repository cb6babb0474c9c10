// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_bank.h"

#include "core/unit.h"

namespace heddle::memory {
namespace {

const TextTable kCommandNames = {"ACT", "PRE", "RD", "WR", "PREab", "REFab", "REFpb"};
constexpr unsigned kRowBits = 32;

}  // namespace

DramBank::DramBank(sc_core::sc_module_name name, const TimingRules& rules, bool one_command_row_switch,
                   const StatisticsGroup& statistics, Services& services, const std::string& clock_name)
    : sc_module(name),
      call("call"),
      state_(rules, one_command_row_switch),
      activates_(statistics, "activates", "rows opened", unit::kCommands),
      precharges_(statistics, "precharges", "rows closed by a precharge of this bank", unit::kCommands),
      reads_(statistics, "reads", "bursts read from the bank", unit::kCommands),
      writes_(statistics, "writes", "bursts written to the bank", unit::kCommands),
      refreshes_(statistics, "refreshes", "refreshes of this bank, per-bank or all-bank", unit::kCommands),
      row_register_(services.structures, statistics.owner().name() + "." + statistics.name() + ".row",
                    "the open row of a bank, as tracked by its controller", 1,
                    {{"row", kRowBits, 1, 1}, {"open", 1, 1, 1}}),
      probe_(services.probes, statistics.owner().name() + "." + statistics.name(), clock_name) {
  call.bind(*this);
  probe_.add("open", 1, "whether a row is open", [this] { return state_.open_row().has_value() ? 1U : 0U; });
  probe_.add("row", kRowBits, "the open row", [this] { return state_.open_row().value_or(0); });
  command_ = probe_.pulse("command", 3, "command of this cycle", &kCommandNames);
}

void DramBank::issue(DramCommand command, std::uint64_t row, Cycle now) {
  state_.issue(command, row, now);
  switch (command) {
    case DramCommand::activate:
      ++activates_;
      break;
    case DramCommand::precharge:
      ++precharges_;
      break;
    case DramCommand::read:
      ++reads_;
      break;
    case DramCommand::write:
      ++writes_;
      break;
    case DramCommand::refresh_all:
    case DramCommand::refresh_bank:
      ++refreshes_;
      break;
    case DramCommand::precharge_all:
      break;
  }
  if (probe_.on()) probe_.fire(command_, static_cast<std::uint64_t>(command));
}

HEDDLE_REGISTER(DramBankCall, DramBank, "timed", "row state and timings of the memory's standard",
                "docs/mechanisms/dram.md");

}  // namespace heddle::memory
