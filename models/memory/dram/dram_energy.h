// SPDX-License-Identifier: Apache-2.0
// Energy of a channel from command counts and supply currents, following JEDEC's IDD definitions: current of a command
// above standby, times its duration, times the supply voltage.
// Source: Micron TN-46-03, "Calculating memory system power for DDR".
#pragma once

#include "memory/dram/channel_counts.h"
#include "memory/dram/dram_timing.h"

namespace heddle::memory {

/// Picojoules for all chips of a channel; 0 if the part specifies no current.
struct DramEnergy {
  /// clock_ns: cycle time of the command clock.
  DramEnergy(const DramDevice& device, double clock_ns, unsigned banks_of_rank);

  double activate = 0;         ///< an activate and the precharge that ends it, above standby
  double read = 0, write = 0;  ///< one burst, above standby
  double rank_refresh = 0, bank_refresh = 0;
  double open_cycle = 0, closed_cycle = 0;  ///< standby of a rank, per cycle with and without an open row
};

/// Declares energies in nanojoules, by cause and in total. counts: outlives the statistics.
void declare_energy(const StatisticsGroup& statistics, const DramEnergy& energy, const ChannelCounts& counts,
                    unsigned ranks);

}  // namespace heddle::memory
