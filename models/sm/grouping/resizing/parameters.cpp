// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/resizing/parameters.h"

namespace heddle::sm {

void ResizingParameters::describe(ParameterVisitor& v) {
  v("partners", partners, "sub-warps that may form one large warp", unit::kWarps, one_of({2, 4, 8}));
  v("barrier", barrier, "what the barrier of partners before a large-warp-intensive instruction costs",
    choices<Barrier>({{"paper", Barrier::paper, "time only: it takes no issue slot and is no instruction"},
                      {"real_isa", Barrier::real_isa,
                       "it is an instruction, `bar.synch_partner`, which kernels get when they are loaded"}}));
  v("sync_mode", sync_mode, "how the SM knows where sub-warps have to meet their partners",
    choices<Synch>({{"static", Synch::by_compiler, "from the compiler: at each large-warp-intensive instruction"},
                    {"dynamic", Synch::learned,
                     "by itself: at instructions that it has decoded before, kept in a list like the ignore list"}}));
  v("lat_global", lat.global, "accesses to global memory are large-warp-intensive");
  v("lat_local", lat.local, "so are accesses to local memory");
  v("lat_param", lat.param, "so are accesses to parameters");
  v("barrier_latency", barrier_latency, "a sub-warp reaches the barrier to the time when that takes effect",
    unit::kCycles, range(1, 1000));
  v("lat_release", lat_release, "when a sub-warp goes on after an access that it shares with partners",
    choices<Release>({{"per_subwarp", Release::per_subwarp, "when its own threads have their data"},
                      {"per_largewarp", Release::per_largewarp, "when all of them have"}}));
  v("ilt_sets", ilt.sets, "ignore list: sets", unit::kSets, power_of_two(1, 64));
  v("ilt_ways", ilt.ways, "ignore list: ways; 0: there is none", unit::kWays, range(0, 64));
  v("ilt_unlimited", ilt.unlimited, "ignore list: keeps all that is inserted; sets and ways do not matter");
  v("ilt_index_shift", ilt.index_shift,
    "ignore list: lowest bits of a PC that are not used; PCs count instructions, not bytes", unit::kBits, range(0, 8));
  v("ilt_hit_latency", ilt_hit_latency,
    "barrier=paper: cycles that a sub-warp waits at an instruction in the ignore list", unit::kCycles, range(0, 1000));
  v("ilt_flush_on_launch", ilt_flush_on_launch, "the ignore list is emptied when a kernel is launched");
  v("ilt_insert_on_barrier", ilt_insert_on_barrier,
    "also ignore instructions whose barrier was released by a partner that waited at a block barrier or collective");
}

void ResizingParameters::check(ParameterChecks& checks) const {
  checks.require(sync_mode == Synch::by_compiler || barrier == Barrier::paper, "sync_mode",
                 "with barrier=real_isa, kernels say where sub-warps meet: use sync_mode=static");
  checks.require(ilt_hit_latency == 0 || barrier == Barrier::paper, "ilt_hit_latency",
                 "with barrier=real_isa, the instruction `bar.synch_partner` has its own latency");
}

}  // namespace heddle::sm
