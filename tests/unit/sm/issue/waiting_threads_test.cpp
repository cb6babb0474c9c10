// SPDX-License-Identifier: Apache-2.0
// Threads that wait for others: for whom, and which contexts are looked at again.
#include "sm/issue/waiting_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "issue_bench.h"

namespace heddle::sm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WarpContexts, NamesEachContextOnceInTheOrderInWhichTheyCame) {
  WarpContexts contexts;
  const auto all = [&] {
    std::vector<std::size_t> list;
    contexts.for_each([&](ContextId c) { list.push_back(c); });
    return list;
  };
  EXPECT_THAT(all(), IsEmpty());
  for (const ContextId c : {ContextId{5}, ContextId{2}, ContextId{5}, ContextId{2}, ContextId{9}}) contexts.add(c);
  EXPECT_THAT(all(), ElementsAre(5, 2, 9));
}

class WaitingThreadsTest : public ::testing::Test {
 protected:
  void build(const GroupingTraits& traits, unsigned threads) {
    bench_ = std::make_unique<IssueBench>(traits);
    bench_->add(isa::Opcode::bar_warp).sync_form = true;
    bench_->start(threads);
    waiting_ = std::make_unique<WaitingThreads>(bench_->sm, bench_->grouping, bench_->meetings);
    bench_->contexts().changed.clear();
  }
  /// Threads `arrive` of an ISA warp wait for those in `named`.
  void meet(unsigned warp, std::uint32_t arrive, std::uint32_t named, BlockSlot slot = BlockSlot{0}) {
    bench_->meetings.arrive(bench_->warp(warp, slot), bench_->kernel.ops[0], arrive, named);
  }
  std::vector<std::string> told(ContextId context) {
    waiting_->changed(context);
    return bench_->grouping.take_told();
  }

  std::unique_ptr<IssueBench> bench_;
  std::unique_ptr<WaitingThreads> waiting_;
};

TEST_F(WaitingThreadsTest, AContextAtABarrierAwaitsEveryThread) {
  build({.contexts = 4}, 64);
  meet(0, 0x1, 0x3);
  bench_->contexts().at_barrier.set(WarpId(0), ThreadSet::of_word(1u << 31));
  EXPECT_THAT(told(ContextId{0}), ElementsAre("0 awaits everything"));
  EXPECT_THAT(told(ContextId{1}), ElementsAre("1 awaits none")) << "no thread of its warp is at the barrier";
}

TEST_F(WaitingThreadsTest, AContextAtAMeetingAwaitsThoseNamedThatHaveNotArrived) {
  build({.contexts = 4}, 32);
  EXPECT_THAT(told(ContextId{0}), ElementsAre("0 awaits none"));
  meet(0, 0x00f, 0x0ff);
  meet(0, 0x300, 0xf00);
  EXPECT_THAT(told(ContextId{0}), ElementsAre("0 awaits 4-7,10-11"));
}

TEST_F(WaitingThreadsTest, AThreadThatHasExitedIsNotAwaited) {
  build({.contexts = 4}, 32);
  meet(0, 0x0f, 0xff);
  bench_->warp().live &= ~0x30u;
  EXPECT_THAT(told(ContextId{0}), ElementsAre("0 awaits 6-7"));
}

TEST_F(WaitingThreadsTest, ANarrowWarpAwaitsThreadsByTheirPositionInIt) {
  build({.contexts = 4, .granule = 8, .span = 8}, 32);
  meet(0, 0x0100, 0xff10);
  EXPECT_THAT(told(ContextId{1}), ElementsAre("1 awaits 1-7")) << "thread 4 is another warp's";
  EXPECT_THAT(told(ContextId{0}), ElementsAre("0 awaits 4")) << "threads 9 to 15 are";
}

TEST_F(WaitingThreadsTest, ALargeWarpAwaitsThreadsOfEachOfItsWords) {
  build({.contexts = 2, .granule = 64, .span = 64}, 128);
  meet(2, 0x1, 0x3);
  meet(3, 0x1, 0x5);
  EXPECT_THAT(told(ContextId{1}), ElementsAre("1 awaits 1,34"));
  EXPECT_THAT(told(ContextId{0}), ElementsAre("0 awaits none"));
}

TEST_F(WaitingThreadsTest, MeetingsOfOtherWarpsAndBlocksAreNotItsOwn) {
  build({.contexts = 8}, 96);
  const BlockSlot second = bench_->start(64);
  meet(1, 0x1, 0x3);
  meet(2, 0x1, 0x3);
  meet(0, 0x1, 0xf, second);
  EXPECT_THAT(told(ContextId{0}), ElementsAre("0 awaits none"));
  EXPECT_THAT(told(ContextId{1}), ElementsAre("1 awaits 1"));
  EXPECT_THAT(told(ContextId{3}), ElementsAre("3 awaits 1-3"));
}

TEST_F(WaitingThreadsTest, WhenAWaitEndsAllContextsThatTheWarpHasHadAreLookedAtAgain) {
  build({.contexts = 4}, 96);
  ContextTable& contexts = bench_->contexts();
  for (const ContextId c : {ContextId{0}, ContextId{1}, ContextId{2}}) waiting_->launched(c);
  contexts[2].warp = WarpNumber{0};
  waiting_->launched(ContextId{2});
  waiting_->changed(ContextId{0});
  EXPECT_THAT(members_of(contexts.changed), IsEmpty());
  waiting_->ended(ContextId{0});
  EXPECT_THAT(members_of(contexts.changed), ElementsAre(0, 2));
  EXPECT_EQ(bench_->grouping.take_told().size(), 2u);
}

}  // namespace
}  // namespace heddle::sm
