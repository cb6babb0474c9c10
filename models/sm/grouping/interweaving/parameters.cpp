// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/interweaving/parameters.h"

namespace heddle::sm {

void TableParameters::describe(ParameterVisitor& v) {
  v("heap", heap, "how the splits of a warp are kept in order",
    choices<Heap>(
        {{"exact", Heap::exact, "always sorted and without bound: the reference"},
         {"tables", Heap::tables, "hot contexts, and a cold context table with a sorter beside the pipeline"}}));
  v("cold_entries", cold_entries, "rows of the cold context table, for all warps", unit::kEntries, range(1, 4096));
  v("walk_cycles", walk_cycles, "cycles in which the sorter passes one split of a list", unit::kCycles, range(1, 100));
  v("head_swap", head_swap,
    "a cold split at the head of its list replaces a hot one with a higher program counter; with one hot context, "
    "always");
  v("full_wait", full_wait,
    "cycles that an instruction which may split its warp waits for a free row before the split goes to memory",
    unit::kCycles, range(0, 1e6));
}

void SplitParameters::describe(ParameterVisitor& v) {
  v("splits_at_memory", splits_at_memory,
    "threads whose line is not the first one of a global access stay behind as a split and issue again; otherwise the "
    "memory stage replays the access");
  v("divergence_limit", limit, "how at most one split becomes new in a cycle",
    choices<DivergenceLimit>(
        {{"no_coissue", DivergenceLimit::no_coissue,
          "two instructions that may split their warps do not issue together"},
         {"delay_second", DivergenceLimit::delay_second, "they do; the second split waits for a cycle"}}));
}

void BranchParameters::describe_scope(ParameterVisitor& v) {
  v("scope", scope, "which instructions issue beside the first one",
    choices<Scope>({{"same_warp", Scope::same_warp, "the other hot split of its warp"},
                    {"any_secondary", Scope::any_secondary,
                     "the second hot split of any warp; of another warp, only to another unit"},
                    {"fallback", Scope::fallback,
                     "the other hot split of its warp; if it cannot, any split of another warp to another unit"}}));
}

void BranchParameters::describe_constraints(ParameterVisitor& v) {
  v("constraints", constraints,
    "a split that has reached a reconvergence point waits while the other one is between divergence and that point");
  v("sync_cost", sync_cost, "issue slots that the marker at a reconvergence point takes", unit::kNone, range(0, 1));
}

void LookupParameters::describe(ParameterVisitor& v) {
  v("sets", sets,
    "sets of warps, of which the second scheduler searches one; 1: all warps; the number of warps: one warp",
    unit::kSets, range(1, 64));
  v("set_function", set_function, "which set is searched, from the number of the first instruction's warp modulo sets",
    choices<SetFunction>({{"same", SetFunction::same, "its own"},
                          {"xor1", SetFunction::exclusive_or_one, "with the lowest bit inverted"},
                          {"plus1", SetFunction::plus_one, "the next"}}));
  v("policy", policy, "which of the instructions that fit issues",
    choices<Policy>({{"best_fit", Policy::best_fit, "the one that fills most lanes; of several, a random one"},
                     {"fill_order", Policy::fill_order, "the one that sm.fill_order prefers"}}));
  v("shares_memory_pass", shares_memory_pass, "two memory instructions on disjoint lanes may share a pass");
}

void RowParameters::describe(ParameterVisitor& v) {
  v("lane_shuffle", shuffle, "fixed permutation of a warp's threads over the lanes",
    choices<LaneShuffle>(
        {{"identity", LaneShuffle::identity, "thread t on lane t"},
         {"mirror_odd", LaneShuffle::mirror_odd, "odd warps in reverse"},
         {"mirror_half", LaneShuffle::mirror_half, "the second half of the warps in reverse"},
         {"xor", LaneShuffle::exclusive_or, "thread number XOR warp number"},
         {"xor_reversed", LaneShuffle::reversed_or, "thread number XOR warp number with its bits reversed"}}));
  v("segmented_registers", segmented_registers,
    "every lane has a bank of the register file, so that two instructions can read their registers in one row; "
    "without, "
    "two instructions never share a row");
}

}  // namespace heddle::sm
