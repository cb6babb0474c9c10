// SPDX-License-Identifier: Apache-2.0
// Statistics of a memory channel.
#pragma once

#include "core/statistics/statistics.h"

namespace heddle::memory {

struct ChannelCounts {
  explicit ChannelCounts(const StatisticsGroup& group);

  Counter activates, precharges, rank_precharges, reads, writes, rank_refreshes, bank_refreshes;
  Counter row_hits, row_closed, row_conflicts, forwarded;
  Counter data_cycles, command_cycles, write_drains, turnarounds, overdue, open_cycles, cycles;
};

}  // namespace heddle::memory
