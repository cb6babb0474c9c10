// SPDX-License-Identifier: Apache-2.0
// One bank: its row, its timing state, its activity. It acts only when it is told to; an illegal command is an error of
// the one who gives it.
#pragma once

#include <cstdint>
#include <optional>

#include "memory/dram/dram_timing.h"

namespace heddle::memory {

/// What a channel asks of a bank, and all that a model of a bank must answer.
class BankInterface {
 public:
  virtual ~BankInterface() = default;
  virtual std::optional<std::uint64_t> open_row() const = 0;
  /// First cycle in which the bank itself permits the command, whatever its row.
  virtual Cycle earliest(DramCommand command) const = 0;
  /// Carries out a command in cycle now; commands to a rank go to each of its banks. row: of an activation. Fails with
  /// kInternal when the command is not legal.
  virtual void issue(DramCommand command, std::uint64_t row, Cycle now) = 0;
};

class BankState final : public BankInterface {
 public:
  /// rules: of level kBank; they outlive this object. one_command_row_switch: as in DramDevice.
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
