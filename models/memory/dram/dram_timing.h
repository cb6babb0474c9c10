// SPDX-License-Identifier: Apache-2.0
// DRAM timing as a table. A standard is a list of constraints between commands; the state of a bank, group, rank or
// channel is the earliest cycle in which each command may follow.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/kernel/cycle.h"

namespace heddle::memory {

/// Commands to a bank, then to all banks of a rank, then the refresh of one bank.
enum class DramCommand : std::uint8_t { activate, precharge, read, write, precharge_all, refresh_all, refresh_bank };
inline constexpr unsigned kDramCommands = 7;
/// "ACT", "PRE", "RD", "WR", "PREab", "REFab", "REFpb": as JEDEC abbreviates them.
const char* name_of(DramCommand command);
/// Moves data. The others are row commands.
inline bool is_column(DramCommand command) { return command == DramCommand::read || command == DramCommand::write; }

/// Where a constraint holds: between commands to the same channel, rank, bank group or bank.
enum class DramLevel : std::uint8_t { channel, rank, bank_group, bank };
inline constexpr unsigned kDramLevels = 4;

/// After `window` commands of `preceding`, none of `following` until `latency` cycles after the first of them.
struct DramConstraint {
  DramLevel level = DramLevel::bank;
  std::vector<DramCommand> preceding, following;
  Cycle latency = 0;
  unsigned window = 1;   ///< tFAW: 4
  bool sibling = false;  ///< holds for the other ranks (groups, banks) beside the one commanded, not for itself
};

/// Supply currents of one chip, as data sheets state them, in milliamperes; 0: not known.
struct DramCurrents {
  unsigned supply_millivolts = 0;
  unsigned idd0 = 0;   ///< one bank, activate and precharge every tRC
  unsigned idd2n = 0;  ///< all rows closed
  unsigned idd3n = 0;  ///< a row open
  unsigned idd4r = 0, idd4w = 0;
  unsigned idd5b = 0;  ///< refresh of all banks every tRFCab
  unsigned chips = 1;  ///< side by side on the channel
};

/// What a controller needs to know of a memory part.
struct DramDevice {
  std::vector<DramConstraint> constraints;
  Cycle read_latency = 1;  ///< command to first data, cycles
  Cycle write_latency = 1;
  Cycle burst_cycles = 1;                             ///< of the data bus, a column command
  unsigned beats_per_cycle = 2;                       ///< that a data line moves in a cycle of the command clock
  Cycle row_miss_cycles = 0;                          ///< by how much a row conflict takes longer than a row hit
  Cycle row_cycle = 0, row_active = 0;                ///< tRC, tRAS
  Cycle refresh_interval = 0;                         ///< average, of a row of every bank; 0: needs no refresh
  Cycle refresh_cycles = 0, bank_refresh_cycles = 0;  ///< tRFCab, tRFCpb; 0: has no such command
  bool two_command_buses = false;                     ///< a row command and a column command may go out in one cycle
  DramCurrents currents;
  /// Simplified memories: an activation takes the place of the open row by itself, and commands cost no bus.
  bool row_switch_is_one_command = false;
};

/// The constraints of one level, sorted by the command that starts them.
class TimingRules {
 public:
  struct Rule {
    DramCommand following;
    Cycle latency;
    unsigned window;
    unsigned history;  ///< number of the history a windowed rule keeps
  };
  TimingRules() = default;
  TimingRules(const std::vector<DramConstraint>& constraints, DramLevel level);
  const std::vector<Rule>& own(DramCommand command) const { return own_[static_cast<unsigned>(command)]; }
  const std::vector<Rule>& sibling(DramCommand command) const { return sibling_[static_cast<unsigned>(command)]; }
  bool has_siblings() const { return has_siblings_; }
  /// Window of each history.
  const std::vector<unsigned>& windows() const { return windows_; }

 private:
  std::array<std::vector<Rule>, kDramCommands> own_, sibling_;
  std::vector<unsigned> windows_;
  bool has_siblings_ = false;
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
    std::vector<Cycle> times;  // a ring of the last `window` issues
    unsigned next = 0, held = 0;
  };
  void apply(const std::vector<TimingRules::Rule>& rules, Cycle now);

  const TimingRules* rules_;
  std::array<Cycle, kDramCommands> earliest_{};
  std::vector<History> histories_;
};

}  // namespace heddle::memory
