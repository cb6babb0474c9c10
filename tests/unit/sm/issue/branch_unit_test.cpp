// SPDX-License-Identifier: Apache-2.0
// Branches from their issue to the paths that the grouping hears of, and contexts that sleep.
#include "sm/issue/branch_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "issue_bench.h"

namespace heddle::sm {
namespace {

using isa::Opcode;
using testing::ElementsAre;
using testing::IsEmpty;

class BranchUnitTest : public ::testing::Test {
 protected:
  void build(const GroupingTraits& traits = {.contexts = 4}) {
    bench_ = std::make_unique<IssueBench>(traits);
    bench_->parameters.branch_latency = 4;
    notes_ = std::make_unique<LoopNotes>(bench_->sm, bench_->grouping, bench_->blocks);
    branches_ = std::make_unique<BranchUnit>(bench_->sm, bench_->grouping, bench_->events, *notes_, bench_->group);
  }
  /// A branch to PC 3 by the threads for which predicate 0 holds, behind it three more instructions.
  void add_branch(bool guarded = true) {
    isa::MicroOp& op = bench_->add(Opcode::bra);
    op.target = 3;
    if (guarded) op.guard = IssueBench::predicate_at(0);
    for (unsigned i = 0; i < 3; ++i) bench_->add(Opcode::add);
  }
  void start(unsigned threads) {
    bench_->start(threads);
    bench_->contexts().changed.clear();
  }
  /// What the grouping hears when the context's branch resolves.
  std::vector<std::string> resolved(ContextId context = ContextId(0)) {
    branches_->resolve(context);
    return bench_->grouping.take_told();
  }
  IssueEvent take_event(Cycle at) {
    IssueEvent taken{};
    bench_->events.take(at, [&](const IssueEvent& event) { taken = event; });
    return taken;
  }

  std::unique_ptr<IssueBench> bench_;
  std::unique_ptr<LoopNotes> notes_;
  std::unique_ptr<BranchUnit> branches_;
};

TEST_F(BranchUnitTest, ABranchHoldsItsContextUntilItResolves) {
  build();
  add_branch();
  start(32);
  bench_->predicate(bench_->warp(), 0) = 0xff;
  branches_->issued(ContextId(0), bench_->packet(ContextId(0)), true);
  EXPECT_TRUE(bench_->contexts().branch.test(0));
  EXPECT_THAT(bench_->grouping.take_told(), IsEmpty());
  ASSERT_EQ(bench_->events.next(0), 4u);
  const IssueEvent event = take_event(4);
  EXPECT_EQ(event.kind, IssueEvent::Kind::resolve);
  EXPECT_THAT(resolved(event.context), ElementsAre("branched 0: 0-7 to 3 8-31 to 1"));
  EXPECT_FALSE(bench_->contexts().branch.test(0));
  EXPECT_TRUE(bench_->contexts().changed.test(0));
  EXPECT_EQ(bench_->counted("branches"), 1);
  EXPECT_EQ(bench_->counted("divergent_branches"), 1);
}

TEST_F(BranchUnitTest, AWarpThatStaysTogetherHasOneWay) {
  build();
  add_branch();
  start(32);
  bench_->predicate(bench_->warp(), 0) = ~0u;
  EXPECT_THAT(resolved(), ElementsAre("branched 0: 0-31 to 3"));
  bench_->contexts().set(ContextId(0), 0, ThreadSet::first_n(32));
  bench_->predicate(bench_->warp(), 0) = 0;
  EXPECT_THAT(resolved(), ElementsAre("branched 0: 0-31 to 1"));
  EXPECT_EQ(bench_->counted("divergent_branches"), 0);
}

TEST_F(BranchUnitTest, OnlyTheContextsOwnThreadsBranch) {
  build();
  add_branch();
  start(32);
  bench_->predicate(bench_->warp(), 0) = 0x0f0f;
  bench_->contexts().set(ContextId(0), 0, ThreadSet::of_word(0xff));
  EXPECT_THAT(resolved(), ElementsAre("branched 0: 0-3 to 3 4-7 to 1"));
}

TEST_F(BranchUnitTest, ABranchToTheNextInstructionDivergesNobody) {
  build();
  add_branch();
  bench_->kernel.ops[0].target = 1;
  start(32);
  bench_->predicate(bench_->warp(), 0) = 0xff;
  EXPECT_THAT(resolved(), ElementsAre("branched 0: 0-31 to 1"));
  EXPECT_EQ(bench_->counted("divergent_branches"), 0);
}

TEST_F(BranchUnitTest, ANarrowWarpBranchesByPositionInIt) {
  build({.contexts = 4, .granule = 8, .span = 8});
  add_branch();
  start(32);
  bench_->predicate(bench_->warp(), 0) = 0x0000'0fff;
  EXPECT_THAT(resolved(ContextId(1)), ElementsAre("branched 1: 0-3 to 3 4-7 to 1"));
}

TEST_F(BranchUnitTest, ALargeWarpBranchesInEachOfItsWords) {
  build({.contexts = 4, .granule = 64, .span = 64});
  add_branch();
  start(64);
  bench_->predicate(bench_->warp(0), 0) = 0x1;
  bench_->predicate(bench_->warp(1), 0) = ~0u;
  EXPECT_THAT(resolved(), ElementsAre("branched 0: 0,32-63 to 3 1-31 to 1"));
}

TEST_F(BranchUnitTest, AnIndirectBranchHasAWayForEachTarget) {
  build();
  isa::MicroOp& op = bench_->add(Opcode::brx, {IssueBench::register_at(0)});
  op.guard = IssueBench::predicate_at(0);
  bench_->kernel.target_lists = {{5, 2, 5}};
  start(32);
  bench_->predicate(bench_->warp(), 0) = 0xff;
  for (unsigned lane = 0; lane < 8; ++lane) bench_->value(bench_->warp(), 0, lane) = lane % 3;
  EXPECT_THAT(resolved(), ElementsAre("branched 0: 0,2-3,5-6 to 5 1,4,7 to 2 8-31 to 1"));
}

TEST_F(BranchUnitTest, ABranchWithoutLatencyResolvesAsItIssues) {
  build();
  bench_->parameters.branch_latency = 0;
  add_branch(false);
  start(32);
  branches_->issued(ContextId(0), bench_->packet(ContextId(0)), true);
  EXPECT_THAT(bench_->grouping.take_told(), ElementsAre("branched 0: 0-31 to 3"));
  EXPECT_TRUE(bench_->events.empty());
}

TEST_F(BranchUnitTest, OfSeveralPacketsTheLastLetsItResolve) {
  build();
  add_branch();
  start(32);
  Packet& first = bench_->packet(ContextId(0), ThreadSet::of_word(0xffff));
  first.last = false;
  branches_->issued(ContextId(0), first, false);
  EXPECT_TRUE(bench_->contexts().branch.test(0));
  EXPECT_TRUE(bench_->events.empty());
  Packet& last = bench_->packet(ContextId(0), ThreadSet::of_word(0xffff0000));
  last.first = false;
  branches_->issued(ContextId(0), last, false);
  EXPECT_EQ(bench_->events.next(0), 4u);
  EXPECT_EQ(bench_->events.size(), 1u);
}

TEST_F(BranchUnitTest, AContextThatLostItsThreadsMeanwhileBranchesNowhere) {
  build();
  add_branch();
  start(32);
  branches_->issued(ContextId(0), bench_->packet(ContextId(0)), true);
  bench_->contexts().set(ContextId(0), 0, {});
  EXPECT_THAT(resolved(), IsEmpty());
  EXPECT_FALSE(bench_->contexts().branch.test(0)) << "its next threads do not wait";
  EXPECT_EQ(bench_->counted("branches"), 1) << "it issued";
}

TEST_F(BranchUnitTest, InABarrelItResolvesAtTheEndOfThePipeline) {
  build();
  bench_->parameters.shape = PipelineShape::barrel;
  bench_->parameters.pipeline_depth = 11;
  EXPECT_EQ(branches_->wait(), 11u);
}

class Sleepers : public BranchUnitTest {
 protected:
  Sleepers() {
    build();
    bench_->add(Opcode::nanosleep, {IssueBench::register_at(0)}).guard = IssueBench::predicate_at(0);
    bench_->add(Opcode::add);
    start(32);
    bench_->predicate(bench_->warp(), 0) = ~0u;
  }
  Cycle time() { return branches_->sleep_of(ContextId(0), bench_->kernel.ops[0]); }
  void sleeps(unsigned lane, std::uint32_t nanoseconds) { bench_->value(bench_->warp(), 0, lane) = nanoseconds; }
};

TEST_F(Sleepers, TheLongestTimeOfAThreadThatSleepsCounts) {
  sleeps(3, 40);
  sleeps(4, 700);
  EXPECT_EQ(time(), 700u) << "cycles of a nanosecond";
  bench_->predicate(bench_->warp(), 0) = ~0x10u;
  EXPECT_EQ(time(), 40u) << "the guard of thread 4 is false";
  bench_->contexts().set(ContextId(0), 0, ThreadSet::of_word(0x7));
  EXPECT_EQ(time(), 0u) << "thread 3 is in another context";
}

TEST_F(Sleepers, NobodySleepsLongerThanAMillisecond) {
  sleeps(0, ~0u);
  EXPECT_EQ(time(), 1'000'000u);
}

TEST_F(Sleepers, AContextSleepsUntilItIsWoken) {
  branches_->fall_asleep(ContextId(0), bench_->packet(ContextId(0)), 50, 8);
  EXPECT_TRUE(bench_->contexts().asleep.test(0));
  EXPECT_TRUE(bench_->contexts().branch.test(0));
  EXPECT_THAT(bench_->grouping.take_told(), IsEmpty());
  ASSERT_EQ(bench_->events.next(0), 50u);
  const IssueEvent event = take_event(50);
  EXPECT_EQ(event.kind, IssueEvent::Kind::wake_up);
  branches_->wake_up(event.context);
  EXPECT_FALSE(bench_->contexts().asleep.test(0));
  EXPECT_FALSE(bench_->contexts().branch.test(0));
  EXPECT_THAT(bench_->grouping.take_told(), ElementsAre("advanced 0"));
}

TEST_F(Sleepers, ATimeWithinTheLatencyOfTheInstructionIsNoSleep) {
  branches_->fall_asleep(ContextId(0), bench_->packet(ContextId(0)), 8, 8);
  EXPECT_FALSE(bench_->contexts().asleep.test(0));
  EXPECT_TRUE(bench_->events.empty());
  EXPECT_THAT(bench_->grouping.take_told(), ElementsAre("advanced 0"));
}

TEST_F(Sleepers, FurtherPacketsOfAnInstructionThatDoesNotSleepDoNothing) {
  Packet& first = bench_->packet(ContextId(0), ThreadSet::of_word(0xffff));
  first.last = false;
  branches_->fall_asleep(ContextId(0), first, 3, 8);
  bench_->grouping.take_told();
  Packet& last = bench_->packet(ContextId(0), ThreadSet::of_word(0xffff0000));
  last.first = false;
  branches_->fall_asleep(ContextId(0), last, 3, 8);
  EXPECT_TRUE(bench_->events.empty());
  EXPECT_THAT(bench_->grouping.take_told(), IsEmpty()) << "the instruction advances once";
}

TEST_F(Sleepers, AContextThatLostItsThreadsWakesWithoutAdvancing) {
  branches_->fall_asleep(ContextId(0), bench_->packet(ContextId(0)), 50, 8);
  bench_->contexts().set(ContextId(0), 0, {});
  branches_->wake_up(ContextId(0));
  EXPECT_FALSE(bench_->contexts().asleep.test(0));
  EXPECT_THAT(bench_->grouping.take_told(), IsEmpty());
}

}  // namespace
}  // namespace heddle::sm
