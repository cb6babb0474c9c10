// SPDX-License-Identifier: Apache-2.0
// Barriers of a block: who waits, what opens them, what threads find behind them.
#include "sm/issue/barrier_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "issue_bench.h"

namespace heddle::sm {
namespace {

using isa::BarMode;
using isa::Opcode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

/// A kernel of one barrier instruction.
class BarrierUnitTest : public ::testing::Test {
 protected:
  /// number, expected: operands of the instruction; expected 0: every thread of the block.
  void build(BarMode mode, unsigned number, unsigned expected, unsigned threads,
             const GroupingTraits& traits = {.contexts = 8}) {
    bench_ = std::make_unique<IssueBench>(traits);
    bench_->parameters.barrier_latency = 3;
    const isa::Operand count = expected == 0 ? isa::Operand{} : bench_->constant(expected);
    isa::MicroOp& op = bench_->add(Opcode::bar, {bench_->constant(number), count, IssueBench::predicate_at(0)},
                                   {IssueBench::register_at(1)});
    op.bar_mode = mode;
    waiting_ = std::make_unique<WaitingThreads>(bench_->sm, bench_->grouping, bench_->meetings);
    unit_ = std::make_unique<BarrierUnit>(bench_->sm, bench_->events, *waiting_, bench_->group);
    start(threads);
  }
  BlockSlot start(unsigned threads) {
    const BlockSlot slot = bench_->start(threads);
    contexts().valid.for_each([this](std::size_t c) { waiting_->launched(ContextId(c)); });
    unit_->launched(slot, threads);
    contexts().changed.clear();
    return slot;
  }
  ContextTable& contexts() { return bench_->contexts(); }
  void arrive(ContextId context) { arrive(context, contexts()[context].threads); }
  void arrive(ContextId context, const ThreadSet& threads) {
    Packet& packet = bench_->packet(context, threads);
    unit_->arrive(context, packet);
    bench_->sm.packets.drop(packet);  // it has left the pipeline
  }
  std::string at_barrier(unsigned warp) { return text_of(contexts().at_barrier[WarpId(warp)]); }
  /// Contexts let go in a cycle.
  std::vector<std::size_t> let_go(Cycle at) {
    std::vector<std::size_t> list;
    bench_->events.take(at, [&](const IssueEvent& event) {
      EXPECT_EQ(event.kind, IssueEvent::Kind::end_barrier);
      list.push_back(event.context);
      unit_->ended(event);
    });
    return list;
  }
  bool opened() const { return !bench_->events.empty(); }

  std::unique_ptr<IssueBench> bench_;
  std::unique_ptr<WaitingThreads> waiting_;
  std::unique_ptr<BarrierUnit> unit_;
};

TEST_F(BarrierUnitTest, TheLastThreadOfTheBlockOpensItForAll) {
  build(BarMode::sync, 0, 0, 64);
  arrive(ContextId(0));
  EXPECT_FALSE(opened());
  EXPECT_EQ(at_barrier(0), "0-31");
  EXPECT_TRUE(contexts().changed.test(0));
  EXPECT_THAT(bench_->grouping.take_told(), ElementsAre("0 awaits everything"));
  arrive(ContextId(1));
  EXPECT_EQ(bench_->events.next(0), 3u);
  EXPECT_EQ(at_barrier(0), "0-31") << "until the barrier's latency has passed";
  contexts().changed.clear();
  EXPECT_THAT(let_go(3), ElementsAre(0, 1));
  EXPECT_EQ(at_barrier(0), "none");
  EXPECT_EQ(at_barrier(1), "none");
  EXPECT_THAT(members_of(contexts().changed), ElementsAre(0, 1));
  EXPECT_EQ(bench_->sm.packets.in_flight(), 0u);
  EXPECT_EQ(bench_->counted("barriers"), 2);
}

TEST_F(BarrierUnitTest, ItOpensAgainAndAgain) {
  build(BarMode::sync, 0, 0, 64);
  for (unsigned turn = 0; turn < 2; ++turn) {
    arrive(ContextId(1));
    EXPECT_FALSE(opened());
    arrive(ContextId(0));
    EXPECT_THAT(let_go(3), ElementsAre(1, 0));
  }
}

TEST_F(BarrierUnitTest, WithoutLatencyItsThreadsContinueInTheNextCycle) {
  build(BarMode::sync, 0, 0, 32);
  bench_->parameters.barrier_latency = 0;
  arrive(ContextId(0));
  EXPECT_EQ(bench_->events.next(0), 1u);
}

TEST_F(BarrierUnitTest, TheContextsOfAWarpArriveOneByOne) {
  build(BarMode::sync, 0, 0, 40);
  bench_->split(ContextId(0), ContextId(2), ThreadSet::of_word(0xff), 0);
  arrive(ContextId(0));
  arrive(ContextId(1));
  EXPECT_FALSE(opened());
  arrive(ContextId(2));
  EXPECT_THAT(let_go(3), ElementsAre(0, 1, 2));
}

TEST_F(BarrierUnitTest, FewerThreadsThanTheBlockOpenItWhereItNamesTheirNumber) {
  build(BarMode::sync, 0, 64, 96);
  arrive(ContextId(2));
  EXPECT_FALSE(opened());
  arrive(ContextId(0));
  EXPECT_THAT(let_go(3), ElementsAre(2, 0));
  arrive(ContextId(1));
  EXPECT_FALSE(opened()) << "the next two warps";
}

TEST_F(BarrierUnitTest, APartialWarpCountsAsAWholeOne) {
  build(BarMode::sync, 0, 64, 40);
  arrive(ContextId(0));
  arrive(ContextId(1));
  EXPECT_TRUE(opened());
}

TEST_F(BarrierUnitTest, APartialWarpIsCompleteWithTheLastOfItsThreads) {
  build(BarMode::sync, 0, 64, 40);
  arrive(ContextId(0));
  arrive(ContextId(1), ThreadSet::of_word(0x0f));
  arrive(ContextId(1), ThreadSet::of_word(0x30));
  EXPECT_FALSE(opened());
  arrive(ContextId(1), ThreadSet::of_word(0xc0));
  EXPECT_TRUE(opened());
}

TEST_F(BarrierUnitTest, ThoseThatOnlyArriveDoNotWait) {
  build(BarMode::arrive, 0, 64, 64);
  arrive(ContextId(0));
  EXPECT_EQ(at_barrier(0), "none");
  EXPECT_THAT(bench_->grouping.take_told(), IsEmpty());
  bench_->kernel.ops[0].bar_mode = BarMode::sync;
  arrive(ContextId(1));
  EXPECT_THAT(let_go(3), ElementsAre(1));
}

TEST_F(BarrierUnitTest, AnExitOpensItForThoseThatWait) {
  build(BarMode::sync, 0, 0, 96);
  arrive(ContextId(1));
  unit_->exited(BlockSlot(0), 32);
  EXPECT_FALSE(opened());
  unit_->exited(BlockSlot(0), 32);
  EXPECT_THAT(let_go(3), ElementsAre(1));
}

TEST_F(BarrierUnitTest, AnExitOpensNothingWhereNobodyWaits) {
  build(BarMode::sync, 0, 0, 64);
  unit_->exited(BlockSlot(0), 32);
  EXPECT_FALSE(opened());
  unit_->exited(BlockSlot(0), 32);
  EXPECT_FALSE(opened());
}

TEST_F(BarrierUnitTest, ThreadsWithAFalseGuardDoNotArrive) {
  build(BarMode::sync, 0, 0, 32);
  arrive(ContextId(0), {});
  EXPECT_FALSE(opened());
  EXPECT_EQ(bench_->counted("barriers"), 0);
}

TEST_F(BarrierUnitTest, TwoBarriersOfABlockAreOpenAtOnce) {
  build(BarMode::sync, 1, 64, 128);
  arrive(ContextId(0));
  bench_->kernel.ops[0].sources[0] = bench_->constant(15);
  arrive(ContextId(1));
  EXPECT_FALSE(opened());
  arrive(ContextId(2));
  EXPECT_THAT(let_go(3), ElementsAre(1, 2));
  EXPECT_EQ(at_barrier(0), "0-31");
}

TEST_F(BarrierUnitTest, BlocksDoNotMeet) {
  build(BarMode::sync, 0, 0, 64);
  const BlockSlot second = start(64);
  arrive(ContextId(0));
  arrive(ContextId(2));
  EXPECT_FALSE(opened());
  unit_->exited(second, 32);
  EXPECT_THAT(let_go(3), ElementsAre(2));
}

TEST_F(BarrierUnitTest, ABlockFindsNothingOfTheOneBeforeInItsSlot) {
  build(BarMode::arrive, 0, 96, 64);
  arrive(ContextId(0));
  unit_->launched(BlockSlot(0), 64);
  arrive(ContextId(0));
  arrive(ContextId(1));
  EXPECT_EQ(unit_->barriers().find(0, 0)->arrived, 64u);
}

TEST_F(BarrierUnitTest, ANumberAboveFifteenIsRefused) {
  build(BarMode::sync, 16, 0, 32);
  EXPECT_THAT([&] { arrive(ContextId(0)); }, ThrowsMessage<Error>(HasSubstr("barrier 16 does not exist")));
}

TEST_F(BarrierUnitTest, ThreadsOfAWarpThatWaitAtTwoInstructionsAreRefused) {
  build(BarMode::sync, 0, 0, 32);
  const isa::MicroOp copy = bench_->kernel.ops[0];
  bench_->kernel.ops.push_back(copy);
  bench_->kernel.ops[1].pc = 1;
  bench_->kernel.ops[1].ptx_line = 2;
  bench_->split(ContextId(0), ContextId(1), ThreadSet::of_word(0xff), 1);
  arrive(ContextId(0));
  EXPECT_THAT([&] { arrive(ContextId(1)); },
              ThrowsMessage<Error>(HasSubstr("threads 8-31 of block (0,0,0) wait at k.ptx:1; threads 0-7 of block "
                                             "(0,0,0) wait at k.ptx:2")));
}

TEST_F(BarrierUnitTest, TellsThatThreadsArriveAndThatItOpens) {
  build(BarMode::sync, 0, 0, 64);
  std::vector<std::string> told;
  bench_->sm.events.barrier_arrived.add([&](const Packet& packet) { told.push_back(text_of(packet.threads)); });
  bench_->sm.events.barrier_opened.add([&](auto) { told.emplace_back("opened"); });
  arrive(ContextId(0));
  EXPECT_THAT(told, ElementsAre("0-31"));
  arrive(ContextId(1), ThreadSet::of_word(0xff));
  arrive(ContextId(1), ThreadSet::of_word(~0xffu));
  EXPECT_THAT(told, ElementsAre("0-31", "0-7", "8-31", "opened"));
}

class Reductions : public BarrierUnitTest {
 protected:
  /// Result of thread 3 of each warp where the predicates of a block of two warps are these.
  std::vector<std::uint32_t> reduced(BarMode mode, std::uint32_t first, std::uint32_t second, bool negate = false) {
    build(mode, 0, 0, 64);
    isa::MicroOp& op = bench_->kernel.ops[0];
    op.sources[2].negate = negate;
    if (mode != BarMode::red_popc) op.destinations[0] = IssueBench::predicate_at(1);
    bench_->predicate(bench_->warp(0), 0) = first;
    bench_->predicate(bench_->warp(1), 0) = second;
    arrive(ContextId(0));
    arrive(ContextId(1));
    std::vector<std::uint32_t> results;
    for (const unsigned w : {0u, 1u}) {
      isa::WarpState& warp = bench_->warp(w);
      results.push_back(mode == BarMode::red_popc ? bench_->value(warp, 1, 3) : bench_->predicate(warp, 1));
    }
    return results;
  }
};

TEST_F(Reductions, CountThePredicatesOfTheBlock) {
  EXPECT_THAT(reduced(BarMode::red_popc, 0xf, 0xff), ElementsAre(12, 12));
  EXPECT_THAT(reduced(BarMode::red_popc, 0xf, 0xff, true), ElementsAre(52, 52));
}

TEST_F(Reductions, AndHoldsWhereAllDo) {
  EXPECT_THAT(reduced(BarMode::red_and, ~0u, ~0u), ElementsAre(~0u, ~0u));
  EXPECT_THAT(reduced(BarMode::red_and, ~0u, ~1u), ElementsAre(0u, 0u));
}

TEST_F(Reductions, OrHoldsWhereOneDoes) {
  EXPECT_THAT(reduced(BarMode::red_or, 0, 0), ElementsAre(0u, 0u));
  EXPECT_THAT(reduced(BarMode::red_or, 0, 4), ElementsAre(~0u, ~0u));
}

TEST_F(Reductions, OfThreadsThatTakePartWritesOnlyTheirs) {
  build(BarMode::red_or, 0, 0, 32);
  bench_->kernel.ops[0].destinations[0] = IssueBench::predicate_at(1);
  bench_->predicate(bench_->warp(), 0) = 0xf0;
  unit_->exited(BlockSlot(0), 24);
  arrive(ContextId(0), ThreadSet::of_word(0xff));
  EXPECT_EQ(bench_->predicate(bench_->warp(), 1), 0xffu);
}

}  // namespace
}  // namespace heddle::sm
