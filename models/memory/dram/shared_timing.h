// SPDX-License-Identifier: Apache-2.0
// A part's constraints in look-up form, and the timing state of shared resources: command buses, data bus, bank groups
// and ranks.
#pragma once

#include <array>
#include <vector>

#include "memory/address_map.h"
#include "memory/dram/dram_timing.h"

namespace heddle::memory {

/// A part with its constraints grouped by level.
struct DramTables {
  explicit DramTables(const DramDevice& part);
  DramDevice device;
  std::array<TimingRules, kDramLevels> levels;
  const TimingRules& level(DramLevel which) const { return levels[static_cast<unsigned>(which)]; }

  struct Follow {
    DramCommand command;
    Cycle distance;
  };
  /// By preceding command: commands that may follow only `distance` cycles later in the same group, in another group of
  /// the rank, or in another rank. Excludes constraints within a bank and windows of several commands.
  using Distances = std::array<std::vector<Follow>, kDramCommands>;
  Distances same_group, same_rank, other_rank;
  bool windows = false;  ///< there are windows of several commands above bank level
};

class SharedTiming {
 public:
  /// tables: outlive this object.
  SharedTiming(const DramTables& tables, const ChannelGeometry& geometry);

  /// First cycle in which group, rank and channel permit a command to the bank. The reference stays valid.
  const Cycle& earliest(unsigned bank, DramCommand command) const {
    return earliest_[bank / geometry_.banks_per_group][static_cast<unsigned>(command)];
  }
  /// bank: for commands to a rank, any of its banks.
  void issued(DramCommand command, unsigned bank, Cycle now);

 private:
  void note_windows(DramCommand command, unsigned group, Cycle now);

  const DramTables& tables_;
  ChannelGeometry geometry_;
  std::vector<std::array<Cycle, kDramCommands>> earliest_;  // by group
  // Used only if there are windows of several commands.
  TimingNode channel_;
  std::vector<TimingNode> ranks_, groups_;
};

}  // namespace heddle::memory
