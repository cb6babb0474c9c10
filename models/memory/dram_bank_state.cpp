// SPDX-License-Identifier: Apache-2.0
#include "memory/dram_bank_state.h"

#include "core/error.h"

namespace heddle::memory {

void BankState::issue(DramCommand command, std::uint64_t row, Cycle now) {
  const bool open = open_row_.has_value();
  bool row_allows = true;  // of all-bank precharge, whatever the row
  switch (command) {
    case DramCommand::kActivate:
      row_allows = !open || one_command_row_switch_;
      break;
    case DramCommand::kPrecharge:
    case DramCommand::kRead:
    case DramCommand::kWrite:
      row_allows = open;
      break;
    case DramCommand::kRefreshAll:
    case DramCommand::kRefreshBank:
      row_allows = !open;
      break;
    case DramCommand::kPrechargeAll:
      break;
  }
  if (!row_allows || now < node_.earliest(command)) {
    fail(ExitCode::kInternal, "{} in cycle {} to a bank whose row is {}; legal from cycle {}", name_of(command), now,
         open ? "open" : "closed", node_.earliest(command));
  }
  if (command == DramCommand::kActivate) open_row_ = row;
  if (command == DramCommand::kPrecharge || command == DramCommand::kPrechargeAll) open_row_.reset();
  node_.issued(command, now);
  ++issued_[static_cast<unsigned>(command)];
}

}  // namespace heddle::memory
