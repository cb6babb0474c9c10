// SPDX-License-Identifier: Apache-2.0
// State of one bank: open row, timing and activity. Purely reactive; an illegal command is an error of the caller.
#pragma once

#include <cstdint>
#include <optional>

#include "memory/dram/dram_timing.h"

namespace heddle::memory {

/// The complete interface between a channel and a bank model.
class BankInterface {
 public:
  virtual ~BankInterface() = default;
  virtual std::optional<std::uint64_t> open_row() const = 0;
  /// First cycle in which the bank itself permits the command, whatever its row.
  virtual Cycle earliest(DramCommand command) const = 0;
  /// Executes a command in cycle now; commands to a rank go to each of its banks. row: for an activation. Fails with
  /// kInternal if the command is illegal.
  virtual void issue(DramCommand command, std::uint64_t row, Cycle now) = 0;
};

class BankState final : public BankInterface {
 public:
  /// rules: of level `bank`; they outlive this object. one_command_row_switch: as in DramDevice.
  BankState(const TimingRules& rules, bool one_command_row_switch)
      : node_(rules), one_command_row_switch_(one_command_row_switch) {}

  std::optional<std::uint64_t> open_row() const override { return open_row_; }
  Cycle earliest(DramCommand command) const override { return node_.earliest(command); }
  void issue(DramCommand command, std::uint64_t row, Cycle now) override;
  std::uint64_t issued(DramCommand command) const { return issued_[static_cast<unsigned>(command)]; }

 private:
  TimingNode node_;
  bool one_command_row_switch_;
  std::optional<std::uint64_t> open_row_;
  std::array<std::uint64_t, kDramCommands> issued_{};
};

}  // namespace heddle::memory
