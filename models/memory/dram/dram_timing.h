// SPDX-License-Identifier: Apache-2.0
// Table-driven DRAM timing. A standard is a list of constraints between commands; the state of a bank, group, rank or
// channel is the earliest cycle in which each command may issue.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/kernel/cycle.h"

namespace heddle::memory {

/// Commands to a bank, then to all banks of a rank, then per-bank refresh.
enum class DramCommand : std::uint8_t { activate, precharge, read, write, precharge_all, refresh_all, refresh_bank };
inline constexpr unsigned kDramCommands = 7;
/// "ACT", "PRE", "RD", "WR", "PREab", "REFab", "REFpb": as JEDEC abbreviates them.
const char* name_of(DramCommand command);
/// Whether a command moves data; the others are row commands.
inline bool is_column(DramCommand command) { return command == DramCommand::read || command == DramCommand::write; }

/// Scope of a constraint: commands to the same channel, rank, bank group or bank.
enum class DramLevel : std::uint8_t { channel, rank, bank_group, bank };
inline constexpr unsigned kDramLevels = 4;

/// After `window` commands of `preceding`, none of `following` may issue until `latency` cycles after the first.
struct DramConstraint {
  DramLevel level = DramLevel::bank;
  std::vector<DramCommand> preceding, following;
  Cycle latency = 0;
  unsigned window = 1;   ///< tFAW: 4
  bool sibling = false;  ///< applies to the other ranks (groups, banks), not to the one commanded
};

/// Supply currents of one chip in milliamperes, as in data sheets; 0: unknown.
struct DramCurrents {
  unsigned supply_millivolts = 0;
  unsigned idd0 = 0;   ///< one bank, activated and precharged every tRC
  unsigned idd2n = 0;  ///< all rows closed
  unsigned idd3n = 0;  ///< a row open
  unsigned idd4r = 0, idd4w = 0;
  unsigned idd5b = 0;  ///< all-bank refresh every tRFCab
  unsigned chips = 1;  ///< in parallel on the channel
};

/// Properties of a memory part that a controller needs.
struct DramDevice {
  std::vector<DramConstraint> constraints;
  Cycle read_latency = 1;  ///< command to first data, cycles
  Cycle write_latency = 1;
  Cycle burst_cycles = 1;               ///< data bus cycles per column command
  unsigned beats_per_cycle = 2;         ///< transfers per data line and command clock cycle
  Cycle row_miss_cycles = 0;            ///< extra latency of a row conflict over a row hit
  Cycle row_cycle = 0, row_active = 0;  ///< tRC, tRAS
  Cycle refresh_interval = 0;           ///< average all-bank refresh interval (tREFI); 0: needs no refresh
  Cycle refresh_cycles = 0, bank_refresh_cycles = 0;  ///< tRFCab, tRFCpb; 0: no such command
  bool two_command_buses = false;                     ///< a row and a column command may issue in one cycle
  DramCurrents currents;
  /// Simplified memories: an activation implicitly closes the open row, and commands occupy no command bus.
  bool row_switch_is_one_command = false;
};

/// The constraints of one level, indexed by preceding command.
class TimingRules {
 public:
  struct Rule {
    DramCommand following;
    Cycle latency;
    unsigned window;
    unsigned history;  ///< index of the history kept by a windowed rule
  };
  TimingRules() = default;
  TimingRules(const std::vector<DramConstraint>& constraints, DramLevel level);
  const std::vector<Rule>& own(DramCommand command) const { return own_[static_cast<unsigned>(command)]; }
  const std::vector<Rule>& sibling(DramCommand command) const { return sibling_[static_cast<unsigned>(command)]; }
  /// Window of each history.
  const std::vector<unsigned>& windows() const { return windows_; }

 private:
  std::array<std::vector<Rule>, kDramCommands> own_, sibling_;
  std::vector<unsigned> windows_;
};

/// The timing state of one bank, group, rank or channel.
class TimingNode {
 public:
  explicit TimingNode(const TimingRules& rules);
  Cycle earliest(DramCommand command) const { return earliest_[static_cast<unsigned>(command)]; }
  /// A command went to this node.
  void issued(DramCommand command, Cycle now);
  /// A command went to another node of this level under the same parent.
  void issued_beside(DramCommand command, Cycle now);

 private:
  struct History {
    std::vector<Cycle> times;  // ring of the last `window` issue times
    unsigned next = 0, held = 0;
  };
  void apply(const std::vector<TimingRules::Rule>& rules, Cycle now);

  const TimingRules* rules_;
  std::array<Cycle, kDramCommands> earliest_{};
  std::vector<History> histories_;
};

}  // namespace heddle::memory
