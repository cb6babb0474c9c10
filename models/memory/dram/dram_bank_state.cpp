// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_bank_state.h"

#include "core/error.h"

namespace heddle::memory {

void BankState::issue(DramCommand command, std::uint64_t row, Cycle now) {
  const bool open = open_row_.has_value();
  bool row_allows = true;  // all-bank precharge is legal in any row state
  switch (command) {
    case DramCommand::activate:
      row_allows = !open || one_command_row_switch_;
      break;
    case DramCommand::precharge:
    case DramCommand::read:
    case DramCommand::write:
      row_allows = open;
      break;
    case DramCommand::refresh_all:
    case DramCommand::refresh_bank:
      row_allows = !open;
      break;
    case DramCommand::precharge_all:
      break;
  }
  if (!row_allows || now < node_.earliest(command)) {
    fail(ExitCode::internal, "{} in cycle {} to a bank whose row is {}; legal from cycle {}", name_of(command), now,
         open ? "open" : "closed", node_.earliest(command));
  }
  if (command == DramCommand::activate) open_row_ = row;
  if (command == DramCommand::precharge || command == DramCommand::precharge_all) open_row_.reset();
  node_.issued(command, now);
  ++issued_[static_cast<unsigned>(command)];
}

}  // namespace heddle::memory
