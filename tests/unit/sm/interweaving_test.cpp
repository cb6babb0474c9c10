// SPDX-License-Identifier: Apache-2.0
// Tables and lane permutations of interweaving, with the worked examples of
// docs/sources/branch-and-warp-interweaving.md, 3.
#include <gtest/gtest.h>

#include <set>

#include "sm/grouping/interweaving/hot_contexts.h"
#include "sm/grouping/interweaving/lane_shuffle.h"
#include "zero_latency_warp.h"

namespace heddle::sm {
namespace {

class SomeWait : public WaitingSplits {
 public:
  std::uint64_t waiting = 0;
  bool waits(WarpId, std::uint64_t threads) const override { return (threads & waiting) != 0; }
};

std::vector<std::string> from_second(const ZeroLatencyWarp::Result& result) {
  return {result.trace.begin() + 1, result.trace.end()};
}

TEST(InterweavingVectors, V1OneSplitAtATime) {
  const auto result = ZeroLatencyWarp(4, two_ways, 1).run();
  EXPECT_EQ(from_second(result),
            (std::vector<std::string>{"1:1111", "2:1001", "3:1001", "4:1001", "5:0110", "6:1111"}));
}

TEST(InterweavingVectors, V1TwoSplits) {
  const auto result = ZeroLatencyWarp(4, two_ways).run();
  EXPECT_EQ(from_second(result),
            (std::vector<std::string>{"1:1111", "2:1001|5:0110", "3:1001|6:0110", "4:1001", "6:1001"}));
  EXPECT_EQ(result.issues - 1, 7u);
}

TEST(InterweavingVectors, V1TwoSplitsThatReconverge) {
  const auto result = ZeroLatencyWarp(4, two_ways).constrain({{6, 1}}).run();
  EXPECT_EQ(from_second(result),
            (std::vector<std::string>{"1:1111", "2:1001|5:0110", "3:1001|[6:0110]", "4:1001|[6:0110]", "6:1111"}));
  EXPECT_EQ(result.issues - 1, 6u);
  EXPECT_EQ(result.thread_instructions - 4, 16u);
}

TEST(InterweavingVectors, V2WhoWaitsAtTheInnerAndTheOuterPoint) {
  const isa::SyncPoint inner{16, 11}, outer{18, 1};
  for (std::uint32_t primary = 12; primary < 16; ++primary) EXPECT_TRUE(waits_at(inner, primary)) << primary;
  for (std::uint32_t primary = 0; primary <= 11; ++primary) EXPECT_FALSE(waits_at(inner, primary)) << primary;
  EXPECT_FALSE(waits_at(inner, 16)) << "they merge";
  for (std::uint32_t primary = 2; primary < 18; ++primary) EXPECT_TRUE(waits_at(outer, primary)) << primary;
}

TEST(InterweavingVectors, V3ConstraintsSaveInstructions) {
  const auto off = ZeroLatencyWarp(4, nested(0b0111, 0b1000)).run();
  EXPECT_EQ(off.cycles, 12u);
  EXPECT_EQ(off.issues, 20u);
  EXPECT_EQ(off.thread_instructions, 46u);
  const auto on = ZeroLatencyWarp(4, nested(0b0111, 0b1000)).constrain(kNestedPoints).run();
  EXPECT_EQ(on.cycles, 12u);
  EXPECT_EQ(on.issues, 18u);
  EXPECT_EQ(on.thread_instructions, 46u);
  EXPECT_EQ(on.trace[6], "6:0111|16:1000");
  EXPECT_EQ(on.trace[8], "8:0111|[18:1000]");
  EXPECT_EQ(on.trace[10], "18:1111");
}

TEST(InterweavingVectors, V4ALiteralTableLosesReconvergence) {
  const auto next = nested(0b0001, 0b0010);
  for (const bool exact : {false, true}) {
    auto warp = ZeroLatencyWarp(4, next);
    if (exact) warp.exact();
    const auto swap = warp.constrain(kNestedPoints).run();
    EXPECT_EQ(swap.cycles, 12u);
    EXPECT_EQ(swap.issues, 20u);
    EXPECT_EQ(swap.trace[6], "6:0001|14:1100");
    EXPECT_EQ(swap.trace[8], "8:0001|16:1110");
    EXPECT_EQ(swap.trace[10], "18:1111");
    const auto free = warp.constrain({}).run();
    EXPECT_EQ(free.cycles, 12u);
    EXPECT_EQ(free.issues, 20u);
  }
  const auto literal = ZeroLatencyWarp(4, next).literal().constrain(kNestedPoints).run();
  EXPECT_EQ(literal.cycles, 16u);
  EXPECT_EQ(literal.issues, 22u);
  EXPECT_EQ(literal.trace[6], "6:0001|16:0010") << "F is entered without E";
  EXPECT_EQ(literal.trace[8], "8:0001|[18:0010]");
  EXPECT_EQ(literal.trace[10], "14:1100|[18:0011]");
  EXPECT_EQ(literal.trace[14], "18:1111");
  const auto free = ZeroLatencyWarp(4, next).literal().run();
  EXPECT_EQ(free.cycles, 16u);
  EXPECT_EQ(free.issues, 26u);
}

TEST(InterweavingVectors, V7LanePermutations) {
  const auto row = [](LaneShuffle shuffle, unsigned warp) {
    std::string lanes;
    for (unsigned t = 0; t < 4; ++t) lanes += static_cast<char>('0' + (t ^ lane_key(shuffle, warp, 4, 4)));
    return lanes;
  };
  const auto rows = [&](LaneShuffle shuffle) {
    return row(shuffle, 0) + " " + row(shuffle, 1) + " " + row(shuffle, 2) + " " + row(shuffle, 3);
  };
  EXPECT_EQ(rows(LaneShuffle::identity), "0123 0123 0123 0123");
  EXPECT_EQ(rows(LaneShuffle::mirror_odd), "0123 3210 0123 3210");
  EXPECT_EQ(rows(LaneShuffle::mirror_half), "0123 0123 3210 3210");
  EXPECT_EQ(rows(LaneShuffle::exclusive_or), "0123 1032 2301 3210");
  EXPECT_EQ(rows(LaneShuffle::reversed_or), "0123 2301 1032 3210");
  const std::array<unsigned, 16> first = {0, 32, 16, 48, 8, 40, 24, 56, 4, 36, 20, 52, 12, 44, 28, 60};
  const auto lane = [](LaneShuffle shuffle, unsigned thread, unsigned warp) {
    return std::countr_zero(shuffled(std::uint64_t{1} << thread, lane_key(shuffle, warp, 64, 16)));
  };
  for (unsigned w = 0; w < 16; ++w) EXPECT_EQ(lane(LaneShuffle::reversed_or, 0, w), static_cast<int>(first[w]));
  EXPECT_EQ(lane(LaneShuffle::reversed_or, 5, 3), 53);
  EXPECT_EQ(lane(LaneShuffle::reversed_or, 63, 15), 3);
  EXPECT_EQ(lane(LaneShuffle::reversed_or, 31, 1), 63);
  EXPECT_EQ(lane(LaneShuffle::reversed_or, 32, 1), 0);
  EXPECT_EQ(lane(LaneShuffle::reversed_or, 1, 8), 5);
  EXPECT_EQ(lane(LaneShuffle::exclusive_or, 5, 3), 6);
  EXPECT_EQ(lane(LaneShuffle::exclusive_or, 63, 15), 48);
  EXPECT_EQ(lane(LaneShuffle::exclusive_or, 31, 1), 30);
  EXPECT_EQ(lane(LaneShuffle::exclusive_or, 1, 8), 9);
  EXPECT_EQ(lane(LaneShuffle::mirror_odd, 0, 1), 63);
  EXPECT_EQ(lane(LaneShuffle::mirror_odd, 5, 3), 58);
  EXPECT_EQ(lane(LaneShuffle::mirror_odd, 31, 1), 32);
}

TEST(LaneShuffleTest, EveryPolicyPermutesAndKeepsAHalfWarpTogether) {
  for (const LaneShuffle shuffle : {LaneShuffle::identity, LaneShuffle::mirror_odd, LaneShuffle::mirror_half,
                                    LaneShuffle::exclusive_or, LaneShuffle::reversed_or}) {
    for (unsigned w = 0; w < 24; ++w) {
      const unsigned key = lane_key(shuffle, w, 64, 24);
      std::set<unsigned> lanes;
      for (unsigned t = 0; t < 64; ++t) {
        const std::uint64_t lane = shuffled(std::uint64_t{1} << t, key);
        ASSERT_EQ(std::popcount(lane), 1);
        lanes.insert(static_cast<unsigned>(std::countr_zero(lane)));
      }
      EXPECT_EQ(lanes.size(), 64u);
      const std::uint64_t half = shuffled(0xffffffff, key);
      EXPECT_TRUE(half == 0xffffffff || half == 0xffffffff00000000) << w;
    }
  }
}

// -- the cold contexts

SplitContext split(std::uint32_t pc, std::uint64_t threads) { return {true, false, pc, threads}; }

std::string listed(const ColdContexts& cold, WarpId warp) {
  std::string text;
  cold.for_each(warp,
                [&](const SplitContext& context) { text += fmt::format("{}:{:x} ", context.pc, context.threads); });
  return text;
}

unsigned sort_all(ColdContexts& cold) {
  unsigned cycles = 0;
  for (; cold.busy() && cycles < 1000; ++cycles) cold.cycle();
  return cycles;
}

TEST(ColdContextsTest, APushIsAtTheHeadUntilTheSorterHasMovedIt) {
  NobodyWaits nobody;
  ColdContexts cold({.warps = 2, .entries = 8}, nobody);
  cold.push(WarpId(1), split(20, 1));
  EXPECT_FALSE(cold.busy()) << "one split is sorted";
  cold.push(WarpId(1), split(30, 2));
  cold.push(WarpId(1), split(10, 4));
  EXPECT_EQ(listed(cold, WarpId(1)), "10:4 30:2 20:1 ");
  EXPECT_EQ(cold.head(WarpId(0)), nullptr);
  sort_all(cold);
  EXPECT_EQ(listed(cold, WarpId(1)), "10:4 30:2 20:1 ") << "only a head is sorted in";
  cold.take(WarpId(1), cold.head(WarpId(1)));
  sort_all(cold);
  EXPECT_EQ(listed(cold, WarpId(1)), "20:1 30:2 ");
}

TEST(ColdContextsTest, TheSorterTakesACycleToBeginAndOnePerSplitPassed) {
  NobodyWaits nobody;
  ColdContexts cold({.warps = 1, .entries = 8}, nobody);
  for (const std::uint32_t pc : {30u, 20u, 10u}) {
    cold.push(kWarp, split(pc, std::uint64_t{1} << pc));
    sort_all(cold);
  }
  cold.push(kWarp, split(25, 1));
  EXPECT_EQ(sort_all(cold), 4u) << "begins, passes 10 and 20, stops before 30";
  EXPECT_EQ(listed(cold, kWarp), "10:400 20:100000 25:1 30:40000000 ");
  ColdContexts slow({.warps = 1, .entries = 8, .walk_cycles = 3}, nobody);
  slow.push(kWarp, split(10, 1));
  slow.push(kWarp, split(20, 2));
  EXPECT_EQ(sort_all(slow), 7u);
}

TEST(ColdContextsTest, SplitsAtOneInstructionMergeOnTheWalk) {
  NobodyWaits nobody;
  ColdContexts cold({.warps = 1, .entries = 8}, nobody);
  cold.push(kWarp, split(10, 1));
  cold.push(kWarp, split(20, 2));
  sort_all(cold);
  cold.push(kWarp, split(20, 4));
  sort_all(cold);
  EXPECT_EQ(listed(cold, kWarp), "10:1 20:6 ");
  EXPECT_EQ(cold.used(), 2u);
  EXPECT_EQ(cold.counts().merges, 1u);
}

TEST(ColdContextsTest, AThreadThatWaitsDoesNotMergeWithOneThatDoesNot) {
  SomeWait some;
  some.waiting = 2;
  ColdContexts cold({.warps = 1, .entries = 8}, some);
  cold.push(kWarp, split(20, 2));
  cold.push(kWarp, split(20, 4));
  sort_all(cold);
  EXPECT_EQ(cold.length(kWarp), 2u);
  EXPECT_EQ(cold.first_free(kWarp)->threads, 4u);
}

TEST(ColdContextsTest, AChangeOfTheListAbortsTheWalk) {
  NobodyWaits nobody;
  ColdContexts cold({.warps = 1, .entries = 8}, nobody);
  cold.push(kWarp, split(10, 1));
  cold.push(kWarp, split(20, 2));
  cold.cycle();
  cold.push(kWarp, split(30, 4));
  EXPECT_EQ(cold.counts().aborts, 1u);
  sort_all(cold);
  // The last one is sorted in behind the others, and then the one before it.
  EXPECT_EQ(listed(cold, kWarp), "10:1 20:2 30:4 ");
}

TEST(ColdContextsTest, WithoutTimeToSortItIsAStack) {
  NobodyWaits nobody;
  ColdContexts cold({.warps = 1, .entries = 8}, nobody);
  for (const std::uint32_t pc : {10u, 20u, 30u}) cold.push(kWarp, split(pc, pc));
  for (const std::uint32_t pc : {30u, 20u, 10u}) EXPECT_EQ(cold.take(kWarp, cold.head(kWarp)).pc, pc);
  EXPECT_EQ(cold.counts().degraded, 2u) << "the last one was alone";
}

TEST(ColdContextsTest, MoreThanItsRowsGoToMemoryAndComeBack) {
  NobodyWaits nobody;
  ColdContexts cold({.warps = 2, .entries = 2}, nobody);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(cold.full(), i >= 2);
    cold.push(WarpId(i % 2), split(10 + i, std::uint64_t{1} << i));
  }
  EXPECT_EQ(cold.counts().overflows, 2u);
  EXPECT_EQ(cold.counts().most_used, 4u);
  for (unsigned i = 0; i < 4; ++i) cold.take(WarpId(i % 2), cold.head(WarpId(i % 2)));
  EXPECT_EQ(cold.used(), 0u);
  EXPECT_FALSE(cold.full());
  cold.push(WarpId(0), split(1, 1));
  cold.push(WarpId(0), split(2, 2));
  EXPECT_TRUE(cold.full()) << "rows in memory do not count";
}

// -- the hot contexts

TEST(HotContextsTest, AWaitingSplitGivesWayToOneThatCanRun) {
  SomeWait some;
  Sorter sorter(2);
  ColdContexts cold({.warps = 1, .entries = 8}, some);
  HotContexts hot({.warps = 1}, sorter, cold, some);
  hot.start(kWarp, 0b1111);
  hot.put(kWarp, 0, 10, 0b0001);
  hot.settle(kWarp, split(20, 0b0010), {});
  hot.settle(kWarp, split(30, 0b1100), {});
  EXPECT_EQ(hot.row(kWarp)[1].pc, 20u);
  some.waiting = 0b0001;
  hot.settle(kWarp, {}, {});
  EXPECT_EQ(hot.row(kWarp)[0].pc, 20u);
  EXPECT_EQ(hot.row(kWarp)[1].pc, 30u);
  some.waiting = 0b1111;
  hot.settle(kWarp, {}, {});
  EXPECT_EQ(hot.row(kWarp)[1].pc, 30u) << "nobody can run, so nothing changes";
  some.waiting = 0;
  for (unsigned i = 0; i < 3; ++i) hot.settle(kWarp, {}, {});
  EXPECT_EQ(hot.row(kWarp)[0].pc, 10u) << "it comes back when it can run";
}

TEST(HotContextsTest, APinnedSplitStaysHotAndDoesNotMerge) {
  NobodyWaits nobody;
  Sorter sorter(2);
  ColdContexts cold({.warps = 1, .entries = 8}, nobody);
  HotContexts hot({.warps = 1}, sorter, cold, nobody);
  hot.start(kWarp, 0b1111);
  hot.put(kWarp, 0, 30, 0b0001);
  hot.settle(kWarp, split(20, 0b0010), {});
  ASSERT_EQ(hot.row(kWarp)[1].pc, 30u);
  hot.settle(kWarp, split(10, 0b1100), {false, true});
  EXPECT_EQ(hot.row(kWarp)[0].pc, 10u);
  EXPECT_EQ(hot.row(kWarp)[1].pc, 30u);
  EXPECT_EQ(cold.head(kWarp)->pc, 20u);
}

}  // namespace
}  // namespace heddle::sm
