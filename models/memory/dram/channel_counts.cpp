// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/channel_counts.h"

#include "core/unit.h"

namespace heddle::memory {

ChannelCounts::ChannelCounts(const StatisticsGroup& s)
    : activates(s, "activates", "rows opened", unit::kCommands),
      precharges(s, "precharges", "rows closed by a per-bank precharge", unit::kCommands),
      rank_precharges(s, "rank_precharges", "all-bank precharges of a rank", unit::kCommands),
      reads(s, "reads", "read column commands, one burst each", unit::kCommands),
      writes(s, "writes", "write column commands, one burst each", unit::kCommands),
      rank_refreshes(s, "rank_refreshes", "refreshes of all banks of a rank", unit::kCommands),
      bank_refreshes(s, "bank_refreshes", "refreshes of one bank", unit::kCommands),
      row_hits(s, "row_hits", "requests that found their row open", unit::kRequests),
      row_closed(s, "row_closed", "requests that found no row open in their bank", unit::kRequests),
      row_conflicts(s, "row_conflicts", "requests for which another row was closed first", unit::kRequests),
      forwarded(s, "forwarded", "reads answered from the write queue", unit::kRequests),
      data_cycles(s, "data_cycles", "cycles in which the data bus moved a burst", unit::kCycles),
      command_cycles(s, "command_cycles", "cycles in which a command was issued", unit::kCycles),
      write_drains(s, "write_drains", "times writes gained priority over reads", unit::kEvents),
      turnarounds(s, "turnarounds", "times the data bus changed direction", unit::kEvents),
      overdue(s, "overdue", "requests served before all others because they had waited too long", unit::kRequests),
      open_cycles(s, "open_cycles", "cycles with a row open, summed over ranks", unit::kCycles),
      cycles(s, "cycles", "cycles of the command clock", unit::kCycles) {
  Derived(s, "row_hit_rate", "share of requests that found their row open", unit::kRatio,
          [this](const StatisticsView& v) {
            return StatisticsView::ratio(v[row_hits], v[row_hits] + v[row_closed] + v[row_conflicts]);
          });
  Derived(s, "bus_utilisation", "share of cycles in which the data bus moved a burst", unit::kRatio,
          [this](const StatisticsView& v) { return StatisticsView::ratio(v[data_cycles], v[cycles]); });
  Derived(s, "command_bus_utilisation", "share of cycles in which a command was issued", unit::kRatio,
          [this](const StatisticsView& v) { return StatisticsView::ratio(v[command_cycles], v[cycles]); });
}

}  // namespace heddle::memory
