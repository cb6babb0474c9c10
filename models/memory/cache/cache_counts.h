// SPDX-License-Identifier: Apache-2.0
// Statistics of a cache.
#pragma once

#include "core/statistics/statistics.h"

namespace heddle::memory {

struct CacheCounts {
  explicit CacheCounts(const StatisticsGroup& group);

  Counter requests, replies;
  Counter read_hits, read_misses, read_merges, reads_passed, stores, store_hits, atomics;
  Counter requests_below, replies_below, fills, write_backs, evictions;
  /// Time that sockets waited, by what for.
  struct Stalls {
    Counter miss_table, merge, ways, miss_queue, replies, writes, bank;
  } stalls;
  Counter miss_cycles;
  Maximum most_misses, most_queued_below;
};

}  // namespace heddle::memory
