// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/cache_statistics.h"

#include "core/unit.h"

namespace heddle::memory {

CacheStatistics::CacheStatistics(const StatisticsGroup& g)
    : requests(g, "requests", "requests looked up", unit::kRequests),
      replies(g, "replies", "replies sent; equal to requests when nothing is under way", unit::kReplies),
      read_hits(g, "read_hits", "lines read that were present", unit::kAccesses),
      read_misses(g, "read_misses", "lines read that were absent and requested from below", unit::kAccesses),
      read_merges(g, "read_merges", "lines read that were absent and already on their way", unit::kAccesses),
      reads_passed(g, "reads_passed", "lines of coherent loads, which the level below answers", unit::kAccesses),
      stores(g, "stores", "lines written by stores", unit::kAccesses),
      store_hits(g, "store_hits", "lines written by stores that were present", unit::kAccesses),
      atomics(g, "atomics", "lines changed by atomics and reductions, done here or passed on", unit::kAccesses),
      requests_below(g, "requests_below", "requests sent to the level below", unit::kRequests),
      replies_below(g, "replies_below",
                    "replies that came from below; equal to requests_below when nothing is under way", unit::kReplies),
      fills(g, "fills", "sectors that arrived", unit::kEvents),
      write_backs(g, "write_backs", "dirty runs of sectors written below", unit::kTransactions),
      evictions(g, "evictions", "lines with contents that made room, were written elsewhere or invalidated",
                unit::kLines),
      stall_miss_table(g, "stall_miss_table", "time sockets waited for a free entry of the miss table", unit::kCycles),
      stall_merge(g, "stall_merge", "time sockets waited because a miss under way could take no further request",
                  unit::kCycles),
      stall_ways(g, "stall_ways", "time sockets waited because every line of a set was on its way", unit::kCycles),
      stall_miss_queue(g, "stall_miss_queue", "time sockets waited for room among the requests to go below",
                       unit::kCycles),
      stall_replies(g, "stall_replies", "time sockets waited for room among the replies", unit::kCycles),
      stall_writes(g, "stall_writes",
                   "time sockets waited with foreign writes for earlier writes to a memory that takes no byte enables",
                   unit::kCycles),
      stall_bank(g, "stall_bank", "time sockets waited because another look-up or a fill held their line's bank",
                 unit::kCycles),
      miss_cycles(g, "miss_cycles", "sum over misses of the time from request to fill", unit::kCycles),
      most_misses(g, "most_misses", "most entries of the miss table in use", unit::kEntries),
      most_queued_below(g, "most_queued_below", "most requests that waited to go below", unit::kRequests) {
  Derived(g, "read_hit_rate", "share of lines read that were present", unit::kRatio, [this](const StatisticsView& v) {
    return StatisticsView::ratio(v[read_hits], v[read_hits] + v[read_misses] + v[read_merges]);
  });
  Derived(g, "mean_miss", "mean time from the request for a line to its arrival", unit::kCycles,
          [this](const StatisticsView& v) { return v.ratio(miss_cycles, fills); });
}

}  // namespace heddle::memory
