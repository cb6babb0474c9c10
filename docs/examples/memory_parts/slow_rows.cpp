// SPDX-License-Identifier: Apache-2.0
// A DRAM bank that is some cycles later than its standard says to read or write a row it has opened.
#include <algorithm>

#include "memory/dram/dram_bank.h"

namespace {

using heddle::Cycle;
using heddle::memory::DramCommand;

class SlowRows final : public heddle::memory::DramBankCall {
 public:
  struct Parameters {
    unsigned cycles = 10;
    void describe(heddle::ParameterVisitor& v) {
      v("cycles", cycles, "beyond what the standard asks from an activation to a column", heddle::unit::kCycles,
        heddle::range(0, 1000));
    }
  };

  SlowRows(const Parameters& parameters, const heddle::memory::DramBankSite& site)
      : late_(parameters.cycles), state_(site.rules, site.one_command_row_switch) {}

  std::optional<std::uint64_t> open_row() const override { return state_.open_row(); }
  Cycle earliest(DramCommand command) const override {
    const bool column = command == DramCommand::read || command == DramCommand::write;
    return std::max(state_.earliest(command), column ? columns_from_ : 0);
  }
  void issue(DramCommand command, std::uint64_t row, Cycle now) override {
    state_.issue(command, row, now);
    if (command == DramCommand::activate) columns_from_ = state_.earliest(DramCommand::read) + late_;
  }

 private:
  Cycle late_, columns_from_ = 0;
  heddle::memory::BankState state_;
};

HEDDLE_REGISTER(heddle::memory::DramBankCall, SlowRows, "slow_rows", "columns follow an activation later",
                "docs/guide-memory-kind.md");

}  // namespace
