// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/cache_parameters.h"

#include "core/unit.h"

namespace heddle::memory {

void CacheParameters::describe(ParameterVisitor& v) {
  v("kind", kind, "which module is the cache; another than set_associative takes of the rest what it has use for");
  tags.describe(v);
  v("miss_table", miss_table, "misses under way");

  const Legal cycles = range(0, 10000);
  v("lookup_latency", lookup_latency, "arrival of a request to its tag look-up", unit::kCycles, range(1, 10000));
  v("data_latency", data_latency, "look-up to the reply of a hit; a hit takes lookup_latency + data_latency",
    unit::kCycles, cycles);
  v("miss_latency", miss_latency,
    "look-up to the request below; a miss leaves lookup_latency + miss_latency after arrival", unit::kCycles, cycles);
  v("fill_latency", fill_latency, "arrival of a line to the replies that waited for it", unit::kCycles,
    range(1, 10000));

  v("ports", ports, "tag look-ups a cycle", unit::kPorts, range(1, 64));
  v("banks", banks,
    "banks of tags and data, by the set's number, each good for one look-up or fill at a time; 1: no banks, any "
    "look-ups "
    "of a cycle go together",
    unit::kBanks, power_of_two(1, 64));
  v("data_bytes_per_cycle", data_bytes_per_cycle,
    "width of the data port, of each bank's where there are several: a hit of more bytes holds it longer; 0: a hit "
    "takes "
    "one cycle",
    unit::kBytesPerCycle, range(0, 4096));
  v("fill_bytes_per_cycle", fill_bytes_per_cycle,
    "width of the fill port: a larger fill holds it longer; 0: a fill takes one cycle", unit::kBytesPerCycle,
    range(0, 4096));
  v("input_queue", input_queue, "requests that may wait at a socket, beside those on their way to the look-up",
    unit::kRequests, range(1, 4096));
  v("miss_queue", miss_queue, "requests that may wait to go below, beside those within miss_latency", unit::kRequests,
    range(1, 4096));
  v("reply_queue", reply_queue, "replies that may wait at a socket, beside hits within data_latency", unit::kReplies,
    range(1, 4096));

  const auto policies = choices<WritePolicy>({{"write_through", WritePolicy::write_through, "written below at once"},
                                              {"write_back", WritePolicy::write_back, "written below on eviction"}});
  v("global_store", global_store, "stores to memory that others can reach", policies);
  v("local_store", local_store, "stores to local memory", policies);
  v("store_hit", store_hit, "what a store that is written through does to a line it hits",
    choices<StoreHit>({{"update", StoreHit::update, "the line stays, with the new bytes"},
                       {"evict", StoreHit::evict, "the line goes"}}));
  v("allocate", allocate, "when a line that is fetched takes the place of another",
    choices<Allocate>({{"on_miss", Allocate::on_miss,
                        "when it is asked for: a set whose lines are all on their way makes others wait"},
                       {"on_fill", Allocate::on_fill, "when it comes"}}));
  v("allocate_on_store", allocate_on_store,
    "whether a store allocates the line it misses; without, it goes below and leaves no line");
  v("fetch_on_whole_store", fetch_on_whole_store,
    "whether a store that allocates fetches its sectors even when it writes all their bytes");
  v("read_only", read_only, "whether stores are refused");
  v("executes_atomics", executes_atomics, "whether atomics and reductions are done here; without, they go below");
  v("atomic_interval", atomic_interval, "between two atomic requests done here", unit::kCycles, range(1, 10000));
  v("owner_follows_merge", owner_follows_merge,
    "whether a request that joins a miss under way becomes the line's owner", unit::kNone, {},
    "spec/cache-conscious-and-divergence-aware.md, 2.3.3");
}

void CacheParameters::check(ParameterChecks& checks) const {
  tags.check(checks);
  checks.require(tags.line_bytes <= 512, "line_bytes", "a line of a cache has at most 512 bytes");
  checks.require(banks == 1 || tags.sets % banks == 0, "banks", "banks share the sets evenly: sets / banks is whole");
  const unsigned sectors = tags.sector_bytes == 0 ? 1 : tags.line_bytes / tags.sector_bytes;
  checks.require(miss_table.entries == 0 || miss_table.entries >= sectors, "miss_table.entries",
                 "a request for a whole line needs an entry for each of its sectors");
  checks.require(!executes_atomics || (global_store == WritePolicy::write_back && allocate_on_store),
                 "executes_atomics",
                 "needs global_store write_back and allocate_on_store: what an atomic changes stays in the line");
}

}  // namespace heddle::memory
