// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/cache_counts.h"

#include "core/unit.h"

namespace heddle::memory {

CacheCounts::CacheCounts(const StatisticsGroup& g)
    : requests(g, "requests", "requests looked up", unit::kRequests),
      replies(g, "replies", "replies sent; equal to requests when idle", unit::kReplies),
      read_hits(g, "read_hits", "lines read that were present", unit::kAccesses),
      read_misses(g, "read_misses", "lines read that were absent and requested from below", unit::kAccesses),
      read_merges(g, "read_merges", "lines read that were absent and already requested", unit::kAccesses),
      reads_passed(g, "reads_passed", "lines of coherent loads, answered by the level below", unit::kAccesses),
      stores(g, "stores", "lines written by stores", unit::kAccesses),
      store_hits(g, "store_hits", "lines written by stores that were present", unit::kAccesses),
      atomics(g, "atomics", "lines modified by atomics and reductions, executed here or passed on", unit::kAccesses),
      requests_below(g, "requests_below", "requests sent to the level below", unit::kRequests),
      replies_below(g, "replies_below", "replies from below; equal to requests_below when idle", unit::kReplies),
      fills(g, "fills", "sectors that arrived", unit::kEvents),
      write_backs(g, "write_backs", "runs of dirty sectors written below", unit::kTransactions),
      evictions(g, "evictions", "valid lines replaced or invalidated", unit::kLines),
      stalls{
          Counter(g, "stall_miss_table", "time the oldest request at an input port waited for a free miss-table entry",
                  unit::kCycles),
          Counter(g, "stall_merge",
                  "time the oldest request at an input port waited because an outstanding miss could merge no further "
                  "request",
                  unit::kCycles),
          Counter(g, "stall_ways",
                  "time the oldest request at an input port waited because every line of a set was outstanding",
                  unit::kCycles),
          Counter(g, "stall_miss_queue",
                  "time the oldest request at an input port waited for room in the queue to the level below",
                  unit::kCycles),
          Counter(g, "stall_replies", "time the oldest request at an input port waited for room in the reply queue",
                  unit::kCycles),
          Counter(g, "stall_writes", "time foreign writes waited for earlier writes to a memory without byte enables",
                  unit::kCycles),
          Counter(g, "stall_bank",
                  "time the oldest request at an input port waited because of a bank conflict with a look-up or fill",
                  unit::kCycles)},
      miss_cycles(g, "miss_cycles", "sum over misses of the time from request to fill", unit::kCycles),
      most_misses(g, "most_misses", "most miss-table entries in use", unit::kEntries),
      most_queued_below(g, "most_queued_below", "most requests that waited to go below", unit::kRequests) {
  Derived(g, "read_hit_rate", "share of lines read that were present", unit::kRatio, [this](const StatisticsView& v) {
    return StatisticsView::ratio(v[read_hits], v[read_hits] + v[read_misses] + v[read_merges]);
  });
  Derived(g, "mean_miss", "mean time from the request for a line to its arrival", unit::kCycles,
          [this](const StatisticsView& v) { return v.ratio(miss_cycles, fills); });
}

}  // namespace heddle::memory
