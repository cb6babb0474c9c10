// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/cache_parameters.h"

#include "core/unit.h"

namespace heddle::memory {

void CacheParameters::describe(ParameterVisitor& v) {
  v("kind", kind, "cache model; kinds other than set_associative use only the parameters that apply to them");
  tags.describe(v);
  v("miss_table", miss_table,
    "outstanding misses (MSHRs), one entry for each sector; a line is one sector if it has no smaller ones");

  const Legal cycles = range(0, 10000);
  v("lookup_latency", lookup_latency, "from arrival of a request to its tag look-up", unit::kCycles, range(1, 10000));
  v("data_latency", data_latency, "from look-up to the reply of a hit; a hit takes lookup_latency + data_latency",
    unit::kCycles, cycles);
  v("miss_latency", miss_latency,
    "from look-up to the request below; a miss leaves lookup_latency + miss_latency after arrival", unit::kCycles,
    cycles);
  v("fill_latency", fill_latency, "from arrival of a line to the replies that waited for it", unit::kCycles,
    range(1, 10000));

  v("ports", ports, "tag look-ups per cycle", unit::kPorts, range(1, 64));
  v("banks", banks,
    "banks of tags and data, interleaved by set, each serving one look-up or fill at a time; 1: no bank conflicts",
    unit::kBanks, power_of_two(1, 64));
  v("data_bytes_per_cycle", data_bytes_per_cycle,
    "width of the data port, per bank if there are several: a larger hit occupies it longer; 0: a hit takes one cycle",
    unit::kBytesPerCycle, range(0, 4096));
  v("fill_bytes_per_cycle", fill_bytes_per_cycle,
    "width of the fill port: a larger fill occupies it longer; 0: a fill takes one cycle", unit::kBytesPerCycle,
    range(0, 4096));
  v("input_queue", input_queue, "requests that may wait at an input port, besides those within lookup_latency",
    unit::kRequests, range(1, 4096));
  v("miss_queue", miss_queue, "requests that may wait to go below, besides those within miss_latency", unit::kRequests,
    range(1, 4096));
  v("reply_queue", reply_queue, "replies that may wait at an input port, besides hits within data_latency",
    unit::kReplies, range(1, 4096));

  const auto policies = choices<WritePolicy>({{"write_through", WritePolicy::write_through, "written below at once"},
                                              {"write_back", WritePolicy::write_back, "written below on eviction"}});
  v("global_store", global_store, "write policy for memory other than local", policies);
  v("local_store", local_store, "write policy for local memory", policies);
  v("store_hit", store_hit, "effect of a write-through store on the line it hits",
    choices<StoreHit>(
        {{"update", StoreHit::update, "the line is updated"}, {"evict", StoreHit::evict, "the line is evicted"}}));
  v("allocate", allocate, "when a fetched line replaces another",
    choices<Allocate>({{"on_miss", Allocate::on_miss,
                        "on the request: further misses stall once all lines of the set are outstanding"},
                       {"on_fill", Allocate::on_fill, "on arrival"}}));
  v("allocate_on_store", allocate_on_store,
    "whether a store that misses allocates the line; otherwise it goes below without allocating");
  v("fetch_on_whole_store", fetch_on_whole_store,
    "whether an allocating store fetches its sectors even if it writes all their bytes");
  v("read_only", read_only, "whether the cache rejects stores");
  v("executes_atomics", executes_atomics, "whether atomics and reductions execute here; otherwise they go below");
  v("atomic_interval", atomic_interval, "cycles between two atomic requests executed here", unit::kCycles,
    range(1, 10000));
  v("owner_follows_merge", owner_follows_merge,
    "whether a request that merges into an outstanding miss becomes the line's owner", unit::kNone, {},
    "docs/sources/cache-conscious-and-divergence-aware.md, 2.3.3");
}

void CacheParameters::check(ParameterChecks& checks) const {
  tags.check(checks);
  checks.require(tags.line_bytes <= 512, "line_bytes", "a cache line has at most 512 bytes");
  checks.require(banks == 1 || tags.sets % banks == 0, "banks", "must divide the number of sets");
  const unsigned sectors = tags.sector_bytes == 0 ? 1 : tags.line_bytes / tags.sector_bytes;
  checks.require(miss_table.entries == 0 || miss_table.entries >= sectors, "miss_table.entries",
                 "a request for a whole line needs an entry for each of its sectors");
  checks.require(!executes_atomics || (global_store == WritePolicy::write_back && allocate_on_store),
                 "executes_atomics",
                 "needs global_store write_back and allocate_on_store, because atomics modify the line in place");
}

}  // namespace heddle::memory
