// SPDX-License-Identifier: Apache-2.0
// Who caused hits, why loads missed, and replays. Terms: docs/sources/cache-conscious-and-divergence-aware.md, 2.0, 7.
#include "memory/locality/locality_analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "traces.h"

namespace heddle::memory {
namespace {

using test::kernel;
using test::machine;
using test::Trace;

RunLocality analysed(const TracedMachine& machine, const TracedLaunch& launch,
                     const LocalityRequest& request = {{{ReplayPolicy::lru}, {ReplayPolicy::unbounded}}, {}}) {
  LocalityAnalysis analysis(request, machine);
  analysis.add(kernel(), launch);
  return analysis.result();
}

const LocalityCounts& replay(const RunLocality& all, std::size_t i) { return all.kernels[0].loads[0].replays[i]; }

TEST(LocalityAnalysis, AHitIsOfTheSameThreadOfItsWarpOrOfAnotherWarp) {
  Trace trace(2);
  trace.load(0, "A", 1, 0b0011).load(0, "A", 1, 0b0010).load(0, "A", 1, 0b0100).load(1, "A", 1, 0b0001);
  const RunLocality all = analysed(machine(1, 4), trace.launch("moox"));
  const LocalityCounts& run = all.kernels[0].loads[0].counts;
  EXPECT_EQ(run.misses, 1u);
  EXPECT_EQ(run.intra_thread, 1u);
  EXPECT_EQ(run.inter_thread, 1u);
  EXPECT_EQ(run.inter_warp, 1u);
  for (const std::size_t i : {0, 1}) {
    EXPECT_EQ(replay(all, i).intra_thread, 1u);
    EXPECT_EQ(replay(all, i).inter_thread, 1u);
    EXPECT_EQ(replay(all, i).inter_warp, 1u);
    EXPECT_EQ(replay(all, i).misses, 1u);
  }
}

TEST(LocalityAnalysis, TheOwnerInAFiniteCacheIsTheLastToReserveInAnUnboundedOneTheFirst) {
  Trace trace(2);
  // Warp 1 brings A back; then warp 0 hits.
  trace.load(0, "A").load(0, "B").load(1, "A").load(0, "A");
  const RunLocality all = analysed(machine(1, 1), trace.launch("mmmx"));
  EXPECT_EQ(replay(all, 0).inter_warp, 1u);
  EXPECT_EQ(replay(all, 0).misses, 3u);
  EXPECT_EQ(replay(all, 1).inter_warp, 1u) << "warp 1 on warp 0's line";
  EXPECT_EQ(replay(all, 1).intra_thread, 1u);
}

TEST(LocalityAnalysis, AHitInALoopIsOfThisTripTheLastOrOther) {
  Trace trace(1);
  trace.load(0, "A", 1).load(0, "A", 1).load(0, "A", 2).load(0, "A", 4).load_behind_loop(0, 'A').load(0, "A", 5);
  const RunLocality all = analysed(machine(1, 4), trace.launch("mooooo"));
  const LocalityCounts& in_loop = all.kernels[0].loads[0].counts;
  EXPECT_EQ(in_loop.this_trip, 1u);
  EXPECT_EQ(in_loop.last_trip, 1u);
  EXPECT_EQ(in_loop.other_trip, 2u) << "two trips ago, and by a load outside the loop";
  const LocalityCounts& behind = all.kernels[0].loads[1].counts;
  EXPECT_EQ(behind.this_trip + behind.last_trip + behind.other_trip, 0u);
  EXPECT_EQ(behind.intra_thread, 1u);
}

TEST(LocalityAnalysis, AMissHasOneCause) {
  Trace trace(2);
  // Two lines of cache. A: first; B, C: first, and C evicts A.
  trace.load(0, "A").load(1, "B").load(1, "C").load(0, "A");
  // Warp 1 never touched A and misses it since warp 0 did. Warp 0 sees four other lines before A: too far.
  trace.load(0, "DEF").load(1, "A").load(0, "A");
  trace.store(1, 'D').load(0, "D");
  const RunLocality all = analysed(machine(1, 2), trace.launch("mmmmmmmmm-m"));
  const MissCauses& why = all.kernels[0].loads[0].causes;
  EXPECT_EQ(why.first, 6u);
  EXPECT_EQ(why.lost, 1u) << "A would have stayed in a cache of warp 0's own";
  EXPECT_EQ(why.too_far, 1u);
  EXPECT_EQ(why.other_warps, 1u);
  EXPECT_EQ(why.stored, 1u);
}

TEST(LocalityAnalysis, StoresDoWhatTheyDoInTheRecordedCache) {
  Trace trace(1);
  trace.load(0, "A").store(0, 'A').load(0, "A");
  TracedMachine machine = test::machine(1, 2);
  EXPECT_EQ(replay(analysed(machine, trace.launch("m-m")), 0).misses, 2u);
  machine.cache.global_store = StoreEffect::updates;
  EXPECT_EQ(replay(analysed(machine, trace.launch("m-o")), 0).misses, 1u);
  Trace first(1);
  first.store(0, 'A').load(0, "A");
  EXPECT_EQ(replay(analysed(machine, first.launch("-m")), 0).misses, 1u);
  machine.cache.global_store = StoreEffect::allocates;
  EXPECT_EQ(replay(analysed(machine, first.launch("mo")), 0).misses, 0u);
}

TEST(LocalityAnalysis, EveryLaunchBeginsWithAnEmptyCache) {
  Trace trace(1);
  trace.load(0, "A").load(0, "A");
  LocalityAnalysis analysis({{{ReplayPolicy::lru}}, {}}, machine(1, 2));
  for (int i = 0; i < 2; ++i) analysis.add(kernel(), trace.launch("mo"));
  const RunLocality all = analysis.result();
  ASSERT_EQ(all.kernels.size(), 1u);
  EXPECT_EQ(all.kernels[0].launches, 2u);
  EXPECT_EQ(all.kernels[0].warp_instructions, 200u);
  EXPECT_EQ(replay(all, 0).misses, 2u);
  EXPECT_EQ(replay(all, 0).intra_thread, 2u);
}

TEST(LocalityAnalysis, LargerLinesMergeTheAccessesOfAnInstructionSmallerOnesSplitThem) {
  Trace trace(1);
  trace.load(0, "AB").load(0, "A");
  trace.sm.accesses[2].sectors = 0b0101;
  const LocalityRequest request{{{ReplayPolicy::lru, 2048, 0, 256}, {ReplayPolicy::lru, 0, 0, 64}}, {}};
  const RunLocality all = analysed(machine(1, 8), trace.launch("mmo"), request);
  EXPECT_EQ(replay(all, 0).accesses(), 2u);
  EXPECT_EQ(replay(all, 0).misses, 1u);
  EXPECT_EQ(replay(all, 1).accesses(), 6u);
  EXPECT_EQ(replay(all, 1).misses, 4u);
}

TEST(LocalityAnalysis, ACacheThatCannotBeIsRefused) {
  const auto message = [](const ReplayRequest& replay, const TracedMachine& machine) {
    try {
      LocalityAnalysis({{replay}, {}}, machine);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message({ReplayPolicy::lru, 1000}, machine(4, 4)), testing::HasSubstr("must be a multiple of 512 bytes"));
  EXPECT_THAT(message({ReplayPolicy::belady}, machine(0, 0)), testing::HasSubstr("the recorded cache is unlimited"));
  EXPECT_EQ(message({ReplayPolicy::unbounded}, machine(0, 0)), "no error");
  EXPECT_EQ(message({ReplayPolicy::lru, 3 * 4 * 128, 4}, machine(4, 4)), "no error") << "three sets";
}

TEST(LocalityAnalysis, LimitsAreListedUpToTheWarpsThatThereAre) {
  Trace trace(4);
  for (unsigned trip = 1; trip < 5; ++trip) {
    for (unsigned warp = 0; warp < 4; ++warp) trace.load(warp, std::string(1, static_cast<char>('A' + warp)), trip);
  }
  const RunLocality all = analysed(machine(1, 2), trace.launch(), {{}, {1, 2, 3, 8, 16}});
  const RunLocality::Kernel& kernel = all.kernels[0];
  EXPECT_EQ(kernel.warps, 4u);
  ASSERT_EQ(kernel.limits.size(), 4u);
  EXPECT_EQ(kernel.limits[0].warps, 1u);
  EXPECT_EQ(kernel.limits[2].warps, 3u);
  EXPECT_EQ(kernel.limits[3].warps, 4u);
  EXPECT_EQ(kernel.limits[0].hits, 12u);
  ASSERT_EQ(kernel.loops[0].limits.size(), 4u);
  EXPECT_EQ(kernel.loops[0].limits[0].hits, 12u);
}

}  // namespace
}  // namespace heddle::memory
