// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/parameters.h"

namespace heddle::sm {

void GangingParameters::describe(ParameterVisitor& v) {
  v("mode", mode, "who schedules the warps",
    choices<Mode>({{"mixed", Mode::mixed, "warps start in gangs; those left alone are scheduled by their slice"},
                   {"slice_only", Mode::slice_only, "every slice schedules all of its warps: static narrow warps"},
                   {"gang_only", Mode::gang_only,
                    "the slices' own front ends and schedulers are off; a warp has as many threads as a gang"}}));
  v("path_order", path_order, "which path a warp runs first whose threads diverge",
    choices<PathOrder>({{"not_taken_first", PathOrder::not_taken_first, "the one behind the branch"},
                        {"taken_first", PathOrder::taken_first, "the one at the branch's target"},
                        {"larger_first", PathOrder::larger_first, "the one with more threads"}}));
  v("memory_split", memory_split, "what happens to a gang whose warps get their data in different cycles",
    choices<MemorySplit>({{"none", MemorySplit::none, "it waits for the last one"},
                          {"group", MemorySplit::group, "warps that get their data in the same cycle form a gang"},
                          {"impatient", MemorySplit::impatient, "it dissolves into single warps"}}));
  v("reform", reform, "whether gangs and single warps of an original gang merge again",
    choices<Reform>({{"none", Reform::none, "never"},
                     {"opportunistic", Reform::opportunistic,
                      "when they are at the same program counter; one original gang is compared in a cycle"}}));
  v("merge_items", merge_items, "gangs or single warps that merge into one gang in a cycle", unit::kNone, range(2, 8));
  v("merges_equal_ready", merges_equal_ready,
    "with a split on memory: merge only parts that are all ready, or all wait for memory");
  v("sync_wait", sync_wait,
    "longest time that a warp or gang waits at a reconvergence point for the others of its original gang; 0: none",
    unit::kCycles, range(0, 1000));
  v("split_latency", split_latency, "split of a gang to the first issue of its parts", unit::kCycles, range(0, 16));
  v("reform_latency", reform_latency, "merge of parts to the first issue of their gang", unit::kCycles, range(0, 16));
  v("gang_order", gang_order, "which gang issues first",
    choices<GangOrder>(
        {{"bgto", GangOrder::big_then_oldest, "the one with most warps; among equals greedy, then the oldest"},
         {"gto", GangOrder::greedy_then_oldest, "greedy, then the oldest"},
         {"lrr", GangOrder::round_robin, "loose round robin"},
         {"lpc", GangOrder::lowest_pc, "the one at the lowest program counter"},
         {"lgto", GangOrder::little_then_oldest, "the one with fewest warps; among equals greedy, then the oldest"}}));
  v("gangs_per_cycle", gangs_per_cycle, "gangs that issue in a cycle at most; 4: no limit, as a gang has two warps",
    unit::kNone, range(1, kGangWays));
  v("aging", aging,
    "cycles in which gangs keep a slice from a ready single warp before the slice goes to that warp; 0: no limit",
    unit::kCycles, range(0, 1e6));
  v("fetch_ports", fetch_ports, "fetches from the instruction cache per cycle, by the gang front end and all slices",
    unit::kPorts, range(1, 16));
  v("gang_fetches", gang_fetches, "of these, fetches for gangs at most", unit::kRequests, range(1, 16));
  v("gang_buffer", gang_buffer, "instructions that are fetched ahead for a gang", unit::kInstructions, range(1, 64));
  v("l0_bytes", l0_bytes, "instruction store of a slice, for single warps; 0: none", unit::kBytes,
    one_of({0, 32, 64, 128, 256, 512, 1024}));
}

void GangingParameters::check(ParameterChecks& checks) const {
  const bool gangs = mode == Mode::mixed;
  checks.require(gangs || memory_split == MemorySplit::none, "memory_split",
                 "there are no gangs to split in this mode");
  checks.require(gangs || reform == Reform::none, "reform", "there are no gangs to merge in this mode");
  checks.require(sync_wait == 0 || reform != Reform::none, "sync_wait",
                 "warps that wait for each other need reform=opportunistic");
}

}  // namespace heddle::sm
