// SPDX-License-Identifier: Apache-2.0
// A part's constraints sorted for use, and the timing state of what banks share: command buses, data bus, groups,
// ranks.
#pragma once

#include <array>
#include <vector>

#include "memory/address_map.h"
#include "memory/dram/dram_timing.h"

namespace heddle::memory {

/// A part with its constraints sorted by level.
struct DramTables {
  explicit DramTables(const DramDevice& part);
  DramDevice device;
  std::array<TimingRules, kDramLevels> levels;
  const TimingRules& level(DramLevel which) const { return levels[static_cast<unsigned>(which)]; }

  struct Follow {
    DramCommand command;
    Cycle distance;
  };
  /// By the command that went before: what may follow only `distance` cycles later in the same group, in another group
  /// of the rank, in another rank. Without what holds within a bank, and windows of several commands.
  using Distances = std::array<std::vector<Follow>, kDramCommands>;
  Distances same_group, same_rank, other_rank;
  bool windows = false;  ///< there are constraints over several commands above the banks
};

class SharedTiming {
 public:
  /// tables: outlive this object.
  SharedTiming(const DramTables& tables, const ChannelGeometry& geometry);

  /// First cycle in which a command to the bank is legal as far as group, rank and channel go. Stays at its place.
  const Cycle& earliest(unsigned bank, DramCommand command) const {
    return earliest_[bank / geometry_.banks_per_group][static_cast<unsigned>(command)];
  }
  /// bank: of commands to a rank, any of its banks.
  void issued(DramCommand command, unsigned bank, Cycle now);

 private:
  void note_windows(DramCommand command, unsigned group, Cycle now);

  const DramTables& tables_;
  ChannelGeometry geometry_;
  std::vector<std::array<Cycle, kDramCommands>> earliest_;  // by group
  // Kept only where there are constraints over several commands.
  TimingNode channel_;
  std::vector<TimingNode> ranks_, groups_;
};

}  // namespace heddle::memory
