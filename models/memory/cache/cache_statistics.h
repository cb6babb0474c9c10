// SPDX-License-Identifier: Apache-2.0
// Statistics of a cache.
#pragma once

#include "core/statistics/statistics.h"

namespace heddle::memory {

struct CacheStatistics {
  explicit CacheStatistics(const StatisticsGroup& group);

  Counter requests, replies;
  Counter read_hits, read_misses, read_merges, reads_passed, stores, store_hits, atomics;
  Counter requests_below, replies_below, fills, write_backs, evictions;
  Counter stall_miss_table, stall_merge, stall_ways, stall_miss_queue, stall_replies, stall_writes, stall_bank;
  Counter miss_cycles;
  Maximum most_misses, most_queued_below;
};

}  // namespace heddle::memory
