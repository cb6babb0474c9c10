// SPDX-License-Identifier: Apache-2.0
// Groupings that form warps from threads of other warps, and those with several program counters per warp, each alone
// on a hand-driven table. Sources: docs/sources/large-warps-and-database-search.md 2.4, 2.7, 2.8, 3.4, 3.5;
// docs/sources/variable-warp-size.md 10.
#include <gtest/gtest.h>

#include <set>

#include "core/config/configuration.h"
#include "core/error.h"
#include "grouping_bench.h"
#include "sm/grouping/split_tree.h"

namespace heddle::sm {
namespace {

constexpr GroupingShape kShape{.threads = 1024, .warp_size = 32, .simd_width = 32, .issue_slots = 1};
constexpr ContextId kFirst(0), kSecond(1);

// -- thread block compaction

TEST(ThreadBlockCompaction, WaitsForAllWarpsAtABranch) {
  GroupingBench bench("thread_block_compaction", kShape, 64);
  bench.run_to(kFirst, 3);
  bench.branch(kFirst, 10, threads_in({0xffff}), 20);
  EXPECT_TRUE(bench.table.parked.test(0));
  EXPECT_FALSE(bench.unit().begin_cycle()) << "warp 1 has not come to the branch";
  EXPECT_EQ(bench.table[1].pc, 0u);
}

TEST(ThreadBlockCompaction, PacksThoseWhoGoOneWayAWarpACycle) {
  GroupingBench bench("thread_block_compaction", kShape, 64);
  for (ContextId c : {kFirst, kSecond}) bench.run_to(c, 3);
  // The lower half of row 0 and the upper half of row 1 take the branch: together one full warp.
  bench.branch(kFirst, 10, threads_in({0x0000ffff}), 20);
  bench.branch(kSecond, 10, threads_in({0, 0xffff0000}), 20);
  EXPECT_TRUE(bench.unit().begin_cycle());
  EXPECT_EQ(bench.table[0].threads, threads_in({0x0000ffff, 0xffff0000}));
  EXPECT_EQ(bench.table[0].pc, 10u);
  EXPECT_FALSE(bench.table.valid.test(1)) << "one warp where there were two";
  EXPECT_FALSE(bench.unit().begin_cycle());
  // The others run when these are at the reconvergence point; after it, all run in their original warps.
  bench.run_to(kFirst, 20);
  EXPECT_EQ(bench.form(), 1u);
  EXPECT_EQ(bench.table[0].threads, threads_in({0xffff0000, 0x0000ffff}));
  EXPECT_EQ(bench.table[0].pc, 4u);
  bench.run_to(kFirst, 20);
  EXPECT_EQ(bench.form(), 2u) << "two warps, one a cycle";
  EXPECT_EQ(bench.table[0].threads, threads_in({~0u}));
  EXPECT_EQ(bench.table[1].threads, threads_in({0, ~0u}));
  EXPECT_EQ(bench.table[1].pc, 20u);
}

TEST(ThreadBlockCompaction, ThreadsKeepTheirLanes) {
  GroupingBench bench("thread_block_compaction", kShape, 64);
  // Both warps take the branch with the same lanes: nothing can be packed.
  for (ContextId c : {kFirst, kSecond}) bench.branch(c, 10, threads_in({0xff, 0xff}), 20);
  EXPECT_EQ(bench.form(), 2u);
  EXPECT_EQ(bench.table[0].threads, threads_in({0xff}));
  EXPECT_EQ(bench.table[1].threads, threads_in({0, 0xff}));
}

TEST(ThreadBlockCompaction, ABranchThatAllTakeKeepsTheWarps) {
  GroupingBench bench("thread_block_compaction", kShape, 64);
  for (ContextId c : {kFirst, kSecond}) bench.branch(c, 10, threads_in({~0u, ~0u}), 20);
  EXPECT_FALSE(bench.unit().begin_cycle());
  EXPECT_EQ(bench.table[0].pc, 10u);
  EXPECT_EQ(bench.table[0].threads, threads_in({~0u}));
  EXPECT_EQ(bench.table[1].threads, threads_in({0, ~0u}));
  EXPECT_TRUE(bench.table.parked.none());
}

TEST(ThreadBlockCompaction, WarpsOfAnotherGroupDoNotWait) {
  GroupingBench bench("thread_block_compaction", kShape, 512);  // two groups of 256
  for (ContextId c(0); c < 8; ++c) bench.branch(c, 10, threads_in({1, 1, 1, 1, 1, 1, 1, 1}), 20);
  EXPECT_EQ(bench.form(), 8u);
  EXPECT_EQ(bench.table[8].pc, 0u);
  EXPECT_NE(bench.unit().group_of(kFirst), bench.unit().group_of(ContextId(8)));
}

TEST(ThreadBlockCompaction, ExitedThreadsAreNotWaitedFor) {
  GroupingBench bench("thread_block_compaction", kShape, 64);
  bench.branch(kFirst, 10, threads_in({0xffff}), 20);
  bench.unit().exited(kSecond, threads_in({0, ~0u}));
  EXPECT_EQ(bench.form(), 1u);
  EXPECT_EQ(bench.table[0].threads, threads_in({0xffff}));
  bench.run_to(kFirst, 20);
  bench.form();
  bench.run_to(kFirst, 20);
  bench.form();
  EXPECT_EQ(bench.table[0].threads, threads_in({~0u})) << "the first warp as it was";
  EXPECT_FALSE(bench.table.valid.test(1));
}

TEST(ThreadBlockCompaction, AContextCountsAtTheMeetingPointOnceItsInstructionIsThrough) {
  GroupingBench bench("thread_block_compaction", kShape, 32);
  bench.branch(kFirst, 10, threads_in({0xff}), 12);
  bench.form();
  bench.run_to(kFirst, 11);
  bench.table.pipeline.set(0);
  bench.unit().advanced(kFirst);  // to the reconvergence point, its last instruction in the pipeline
  EXPECT_EQ(bench.form(), 0u);
  bench.table.pipeline.reset(0);
  bench.unit().retired(kFirst);
  EXPECT_EQ(bench.form(), 1u);
}

/// Two warps of a path, of which the first waits for threads of the other path, and the second still runs.
class CompactionWithAWarpThatWaits : public ::testing::Test {
 protected:
  CompactionWithAWarpThatWaits() {
    for (ContextId c : {kFirst, kSecond}) bench.branch(c, 10, threads_in({0xff, 0xff}), 20);
    bench.form();
    bench.run_to(kFirst, 12);
    bench.table.at_meeting.set(WarpId(0), threads_in({0xff}));
    bench.unit().waiting_changed(kFirst, threads_in({0xffffff00}));
    EXPECT_EQ(bench.table[1].threads, threads_in({0, 0xff})) << "it can go on";
  }
  void expect_the_other_path() {
    EXPECT_EQ(bench.form(), 2u);
    EXPECT_EQ(bench.table[0].threads, threads_in({0xffffff00}));
    EXPECT_EQ(bench.table[1].threads, threads_in({0, 0xffffff00}));
  }
  GroupingBench bench{"thread_block_compaction", kShape, 64};
};

TEST_F(CompactionWithAWarpThatWaits, GivesWayWhenTheLastThatRanIsAtTheMeetingPoint) {
  bench.run_to(kSecond, 20);
  expect_the_other_path();
}

TEST_F(CompactionWithAWarpThatWaits, GivesWayWhenTheLastThatRanIsAtABranch) {
  bench.branch(kSecond, 15, threads_in({0, 0xf}), 18);
  expect_the_other_path();
}

TEST_F(CompactionWithAWarpThatWaits, GivesWayWhenTheLastThatRanHasLeft) {
  bench.unit().exited(kSecond, threads_in({0, 0xff}));
  expect_the_other_path();
}

TEST_F(CompactionWithAWarpThatWaits, GivesWayWhenTheLastThatRanIsThroughAtTheMeetingPoint) {
  bench.run_to(kSecond, 19);
  bench.table.pipeline.set(1);
  bench.unit().advanced(kSecond);
  EXPECT_EQ(bench.form(), 0u);
  bench.retire(kSecond);
  expect_the_other_path();
}

TEST(ThreadBlockCompaction, APathWhoseWarpsAllWaitGivesWay) {
  GroupingBench bench("thread_block_compaction", kShape, 32);
  bench.branch(kFirst, 10, threads_in({0xff}), 20);
  bench.form();
  bench.run_to(kFirst, 12);
  bench.table.at_meeting.set(WarpId(0), threads_in({0xff}));
  bench.unit().waiting_changed(kFirst, ThreadSet::everything());
  EXPECT_EQ(bench.form(), 1u);
  EXPECT_EQ(bench.table[0].threads, threads_in({0xffffff00}));
  // The others arrive at the meeting; the first path continues where it was.
  bench.table.at_meeting.set(WarpId(0), {});
  bench.run_to(kFirst, 19);
  bench.unit().advanced(kFirst);
  EXPECT_EQ(bench.table[0].threads, threads_in({0xff}));
  EXPECT_EQ(bench.table[0].pc, 12u);
}

TEST(ThreadBlockCompaction, RefusesWarpsThatAreNotIsaWarps) {
  ContextTable table;
  Mechanism<GroupingUnit> mechanism("thread_block_compaction");
  EXPECT_THROW(make(mechanism, GroupingShape{.threads = 1024, .warp_size = 64, .simd_width = 32}, table), Error);
  EXPECT_THROW(make(mechanism, GroupingShape{.threads = 1024, .warp_size = 16, .simd_width = 16}, table), Error);
}

// -- dynamic warp formation

/// Three warps of 32 threads; the masks of the example are lanes 0 .. 3.
class Formation : public ::testing::Test {
 protected:
  Formation() : bench_("dynamic_warp_formation", kShape, 96) {}
  /// Leaves lanes of a warp at `pc`, the rest elsewhere.
  void place(unsigned number, std::uint32_t lanes, std::uint32_t pc) {
    const ContextId c(number);
    ThreadSet own;
    own.set_word32(c, lanes);
    bench_.stand(c, pc, own);
  }
  void retire(unsigned number) { bench_.retire(ContextId(number)); }
  GroupingBench bench_;
};

TEST_F(Formation, WorkedExample35_ThreadsJoinWhereTheirLanesAreFree) {
  place(0, 0b0011, 5);  // lanes 0 and 1: 1100 of the example
  place(1, 0b0101, 5);  // lanes 0 and 2: 1010
  retire(0);
  retire(1);
  EXPECT_EQ(bench_.table[0].threads, threads_in({0b0011, 0b0100})) << "1110";
  EXPECT_EQ(bench_.table[1].threads, threads_in({0, 0b0001})) << "1000 is a warp of its own";
}

TEST_F(Formation, WorkedExample35_OnlyTheYoungestIsTried) {
  place(0, 0b0011, 5);
  place(1, 0b0101, 5);
  retire(0);
  retire(1);
  place(2, 0b1000, 5);  // lane 3: 0001
  retire(2);
  EXPECT_EQ(bench_.table[1].threads, threads_in({0, 0b0001, 0b1000})) << "1001";
  EXPECT_EQ(bench_.table[0].threads, threads_in({0b0011, 0b0100})) << "the hole of the older one stays";
  EXPECT_FALSE(bench_.table.valid.test(2));
}

TEST_F(Formation, WarpsInThePipelineAreNotInThePool) {
  place(0, 0b0011, 5);
  place(1, 0b0100, 5);
  retire(1);  // warp 0 is still in the pipeline
  EXPECT_EQ(bench_.table[1].threads, threads_in({0, 0b0100}));
  retire(0);
  EXPECT_EQ(bench_.table[1].threads, threads_in({0b0011, 0b0100})) << "warp 0 comes back and joins";
}

TEST_F(Formation, TheWaysOfABranchAreWarpsOfTheirOwn) {
  bench_.branch(kFirst, 10, threads_in({0xffff}), 20);
  std::multiset<std::uint32_t> counters;
  bench_.table.valid.for_each([&](std::size_t c) { counters.insert(bench_.table[c].pc); });
  EXPECT_EQ(counters, (std::multiset<std::uint32_t>{0, 0, 1, 10}));
}

TEST(FormationCounts, ThePostDominatorsThatAWarpHasPassed) {
  GroupingBench bench("dynamic_warp_formation", kShape, 64,
                      [](isa::Kernel& kernel) { kernel.ops[2].reconvergence_pc = 4; });
  bench.run_to(kFirst, 3);
  EXPECT_EQ(bench.table.passed[0], 0u);
  bench.unit().advanced(kFirst);
  EXPECT_EQ(bench.table.passed[0], 1u);
  // A merged warp has passed the post-dominators of the one that lags.
  bench.table.set(kSecond, 4, threads_in({0, 1}));
  bench.table.set(kFirst, 4, threads_in({2}));
  bench.unit().retired(kFirst);
  EXPECT_EQ(bench.table[1].threads, threads_in({2, 1}));
  EXPECT_EQ(bench.table.passed[1], 0u);
}

TEST(DynamicWarpFormation, AWarpWithoutAContextIsLetInWhenTheLastThatRanHasLeft) {
  // One context per warp: a split at a branch has none.
  GroupingBench bench("dynamic_warp_formation", {.threads = 16384, .warp_size = 32, .simd_width = 32}, 64);
  ASSERT_EQ(bench.contexts.size(), 2u);
  bench.branch(kFirst, 10, threads_in({0xff}), 20);
  bench.branch(kSecond, 30, threads_in({0, 0xff}), 40);
  // All threads of the first warp wait, including those without a context, which are next.
  bench.table.at_meeting.set(WarpId(0), threads_in({~0u}));
  bench.unit().waiting_changed(kFirst, ThreadSet::everything());
  bench.unit().exited(kSecond, threads_in({0, 0xff}));
  ThreadSet shown;
  for (ContextId c : bench.contexts) shown |= bench.table[c].threads;
  EXPECT_TRUE(shown.contains(threads_in({0, 0xffffff00}))) << "they are the only ones who can go on";
}

TEST(DynamicWarpFormation, PartsThoseWhoWaitAtAMeetingFromThoseWhoNeedNot) {
  GroupingBench bench("dynamic_warp_formation", kShape, 64);
  // A warp of threads of two ISA warps; those of the second wait for others.
  bench.table.set(kFirst, 7, threads_in({0x00ff, 0xff00}));
  bench.table.set(kSecond, 9, threads_in({0xff00, 0x00ff}));
  bench.table.at_meeting.set(WarpId(0), threads_in({0, 0xff00}));
  EXPECT_TRUE(bench.unit().part_waiting(kFirst, threads_in({0, 0xff00})));
  EXPECT_EQ(bench.table[0].threads, threads_in({0x00ff})) << "they can go on";
  EXPECT_EQ(bench.table[0].pc, 7u);
  EXPECT_EQ(bench.table[2].threads, threads_in({0, 0xff00})) << "a warp of their own, which waits";
  EXPECT_EQ(bench.table[2].pc, 7u);
}

// -- warp subdivision

TEST(WarpSubdivision, BothWaysOfABranchAreLive) {
  GroupingBench bench("warp_subdivision", kShape, 32);
  bench.branch(kFirst, 10, threads_in({0xff}), 20);
  EXPECT_EQ(bench.table[0].pc, 10u);
  EXPECT_EQ(bench.table[0].threads, threads_in({0xff}));
  EXPECT_EQ(bench.table[1].pc, 1u);
  EXPECT_EQ(bench.table[1].threads, threads_in({0xffffff00}));
  bench.run_to(kFirst, 20);
  EXPECT_FALSE(bench.table.valid.test(0)) << "it waits at the meeting point, without a context";
  bench.run_to(kSecond, 20);
  EXPECT_EQ(bench.table.valid.count(), 1u);
  EXPECT_EQ(bench.table[bench.table.valid.first()].threads, threads_in({~0u}));
  EXPECT_EQ(bench.table[bench.table.valid.first()].pc, 20u);
}

TEST(WarpSubdivision, SplitsThatMeetByChanceGoOnAsOne) {
  GroupingBench bench("warp_subdivision", kShape, 32);
  bench.branch(kFirst, 10, threads_in({0xff}), 40);
  bench.run_to(kSecond, 10);
  bench.unit().retired(kSecond);
  EXPECT_EQ(bench.table.valid.count(), 1u);
  EXPECT_EQ(bench.table[0].threads, threads_in({~0u}));
}

struct SubdividedAtMemory {
  Mechanism<GroupingUnit> grouping{"warp_subdivision"};
  void describe(ParameterVisitor& v) { v("grouping", grouping, "the grouping under test"); }
};

TEST(WarpSubdivision, ThreadsThatHaveTheirDataGoAhead) {
  SubdividedAtMemory parameters;
  Configuration(parameters).set("warp_subdivision.at_memory=true");
  GroupingBench bench(parameters.grouping, kShape, 32);
  bench.unit().advanced(kFirst);
  bench.table.pipeline.set(0);
  Packet packet;
  packet.context = kFirst;
  bench.events.returned.tell(packet, threads_in({0xff}));
  EXPECT_EQ(bench.table[0].threads, threads_in({0xffffff00})) << "the rest keeps the context that waits";
  EXPECT_EQ(bench.table[1].threads, threads_in({0xff}));
  EXPECT_EQ(bench.table[1].pc, 1u);
  bench.table.pipeline.reset(0);
  bench.unit().retired(kFirst);
  EXPECT_EQ(bench.table.valid.count(), 1u) << "nothing happened in between: they are one again";
}

TEST(SplitTreeTest, AnInnerPointLeadsToTheOuterOne) {
  SplitTree tree;
  tree.start();
  const SplitTree::Split all{0, SplitTree::kNone, threads_in({0xf})};
  const std::uint32_t outer = tree.open(all, 30);
  const std::uint32_t inner = tree.open({5, outer, threads_in({0x3})}, 20);
  tree.arrive({20, inner, threads_in({0x1})});
  SplitTree::Split met;
  EXPECT_FALSE(tree.take_complete(met));
  tree.arrive({20, inner, threads_in({0x2})});
  ASSERT_TRUE(tree.take_complete(met));
  EXPECT_EQ(met.point, outer);
  EXPECT_EQ(met.threads, threads_in({0x3}));
  EXPECT_EQ(tree.depth(), 1u);
}

TEST(SplitTreeTest, ALoopThatThreadsLeaveOneByOneHasOnePoint) {
  SplitTree tree;
  tree.start();
  const std::uint32_t point = tree.open({0, SplitTree::kNone, threads_in({0xff})}, 9);
  EXPECT_EQ(tree.open({0, point, threads_in({0xfe})}, 9), point);
}

// -- one program counter per thread

TEST(ThreadCounters, GoesToTheNearestThatIsNotBehind) {
  GroupingBench bench("thread_counters", kShape, 32);
  bench.branch(kFirst, 10, threads_in({0xff}), 20);
  EXPECT_EQ(bench.table[0].pc, 1u) << "those who fall through come first";
  bench.run_to(kFirst, 10);
  EXPECT_EQ(bench.table[0].threads, threads_in({~0u})) << "at the target all are together";
}

TEST(ThreadCounters, GoesBackAsSoonAsOneThreadDoes) {
  GroupingBench bench("thread_counters", kShape, 32);
  bench.run_to(kFirst, 5);
  bench.branch(kFirst, 2, threads_in({1}), 6);
  EXPECT_EQ(bench.table[0].pc, 2u);
  EXPECT_EQ(bench.table[0].threads, threads_in({1}));
  bench.run_to(kFirst, 5);
  bench.branch(kFirst, 2, {}, 6);
  EXPECT_EQ(bench.table[0].pc, 6u);
  EXPECT_EQ(bench.table[0].threads, threads_in({~0u}));
}

TEST(ThreadCounters, SkipsWhatNobodyExecutes) {
  GroupingBench bench("thread_counters", kShape, 32);
  bench.branch(kFirst, 10, threads_in({~0u}), 20);
  EXPECT_EQ(bench.table[0].pc, 10u);
}

TEST(Predication, PassesWhatNobodyExecutes) {
  GroupingBench bench("predication", kShape, 32);
  bench.branch(kFirst, 4, threads_in({~0u}), 4);
  for (std::uint32_t pc = 1; pc < 4; ++pc) {
    EXPECT_EQ(bench.table[0].pc, pc);
    EXPECT_TRUE(bench.table[0].threads.none());
    EXPECT_TRUE(bench.table.valid.test(0));
    bench.unit().advanced(kFirst);
  }
  EXPECT_EQ(bench.table[0].pc, 4u);
  EXPECT_EQ(bench.table[0].threads, threads_in({~0u}));
}

}  // namespace
}  // namespace heddle::sm
