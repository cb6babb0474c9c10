// SPDX-License-Identifier: Apache-2.0
// Diverged paths of one warp: the reconvergence stack and the heap of splits, as plain logic.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sm/blocks/barrier_table.h"
#include "sm/grouping/reconvergence_stack.h"
#include "sm/grouping/split_heap.h"
#include "sm/issue/event_wheel.h"

namespace heddle::sm {
namespace {

ThreadSet lanes(std::uint32_t mask) { return ThreadSet::of_word(mask); }

// Source: docs/sources/large-warps-and-database-search.md 3.4: A branches to B and C, which meet at D.
TEST(ReconvergenceStackTest, RunsTheWorkedExample) {
  StackState stack;
  constexpr std::uint32_t kA = 0, kB = 10, kC = 20, kD = 30;
  stack.start(kA, lanes(0xf));
  stack.split({{kB, lanes(0xb)}, {kC, lanes(0x4)}}, kD);
  EXPECT_EQ(stack.pc, kB);
  EXPECT_EQ(stack.threads, lanes(0xb));
  EXPECT_EQ(stack.depth(), 2u);
  stack.go(kD);
  EXPECT_EQ(stack.pc, kC);
  EXPECT_EQ(stack.threads, lanes(0x4));
  stack.go(kD);
  EXPECT_EQ(stack.pc, kD);
  EXPECT_EQ(stack.threads, lanes(0xf));
  EXPECT_EQ(stack.depth(), 0u);
}

TEST(ReconvergenceStackTest, ThreadsThatSkipWaitAtTheMeetingPoint) {
  StackState stack;
  stack.start(0, lanes(0xff));
  stack.split({{5, lanes(0x0f)}, {30, lanes(0xf0)}}, 30);
  EXPECT_EQ(stack.pc, 5u);
  EXPECT_EQ(stack.threads, lanes(0x0f));
  EXPECT_EQ(stack.depth(), 1u);
  stack.go(30);
  EXPECT_EQ(stack.threads, lanes(0xff));
}

TEST(ReconvergenceStackTest, ALoopThatThreadsLeaveOneByOneDoesNotGrowIt) {
  StackState stack;
  stack.start(0, lanes(0xffff));
  ThreadSet inside = lanes(0xffff);
  for (unsigned i = 0; i < 15; ++i) {
    ThreadSet leaving;
    leaving.set(i);
    inside -= leaving;
    stack.split({{1, inside}, {9, leaving}}, 9);
    EXPECT_EQ(stack.depth(), 1u);
  }
  stack.go(9);
  EXPECT_EQ(stack.threads, lanes(0xffff));
}

TEST(ReconvergenceStackTest, ExitedThreadsLeaveEveryEntry) {
  StackState stack;
  stack.start(0, lanes(0xff));
  stack.split({{5, lanes(0x0f)}, {15, lanes(0xf0)}}, 30);
  stack.leave(lanes(0x0f));
  EXPECT_EQ(stack.pc, 15u);
  EXPECT_EQ(stack.threads, lanes(0xf0));
  stack.go(30);
  EXPECT_EQ(stack.threads, lanes(0xf0)) << "those that left do not come back at the meeting point";
}

TEST(ReconvergenceStackTest, ASiblingMayRunFirst) {
  StackState stack;
  stack.start(0, lanes(0xff));
  const auto nobody = [](const ThreadSet&) { return false; };
  EXPECT_FALSE(stack.step_aside({}, nobody));
  stack.split({{5, lanes(0x0f)}, {15, lanes(0xf0)}}, 30);
  ASSERT_TRUE(stack.step_aside({}, nobody));
  EXPECT_EQ(stack.pc, 15u);
  EXPECT_EQ(stack.threads, lanes(0xf0));
  ASSERT_TRUE(stack.step_aside({}, nobody));
  EXPECT_EQ(stack.pc, 5u);
}

TEST(ReconvergenceStackTest, OfThreeSiblingsTheOneThatCanGoesFirst) {
  StackState stack;
  stack.start(0, lanes(0xfff));
  stack.split({{5, lanes(0x00f)}, {15, lanes(0x0f0)}, {25, lanes(0xf00)}}, 30);
  EXPECT_EQ(stack.pc, 5u);
  const auto second_waits = [](const ThreadSet& threads) { return threads == lanes(0x0f0); };
  ASSERT_TRUE(stack.step_aside({}, second_waits));
  EXPECT_EQ(stack.pc, 25u);
  const auto both_wait = [](const ThreadSet& threads) { return threads != lanes(0xf00); };
  EXPECT_FALSE(stack.step_aside({}, both_wait));
}

TEST(ReconvergenceStackTest, ThreadsAtAMeetingPointGoOnAloneOnlyWhenTheyAreAwaited) {
  const auto nobody = [](const ThreadSet&) { return false; };
  StackState stack;
  stack.start(0, lanes(0xff));
  stack.split({{1, lanes(0x0f)}, {50, lanes(0xf0)}}, 50);  // half of them return early
  stack.split({{5, lanes(0x03)}, {20, lanes(0x0c)}}, 20);  // and half of the others skip a part
  EXPECT_EQ(stack.threads, lanes(0x03));
  EXPECT_FALSE(stack.step_aside({}, nobody)) << "nobody needs those that are parked";
  ASSERT_TRUE(stack.step_aside(lanes(0xf0), nobody));
  EXPECT_EQ(stack.pc, 50u);
  EXPECT_EQ(stack.threads, lanes(0xf0));
  stack.leave(lanes(0xf0));
  EXPECT_EQ(stack.pc, 5u) << "the others are where they were";
  EXPECT_EQ(stack.threads, lanes(0x03));
  stack.go(20);
  EXPECT_EQ(stack.threads, lanes(0x0f)) << "and still meet";
  stack.go(50);
  EXPECT_EQ(stack.threads, lanes(0x0f));
}

TEST(SplitHeapTest, KeepsSplitsByProgramCounterAndMergesEqualOnes) {
  SplitHeap heap;
  heap.start(4, lanes(0xff));
  heap.move(lanes(0x0f), 9);
  heap.move(lanes(0x30), 2);
  ASSERT_EQ(heap.splits().size(), 3u);
  EXPECT_EQ(heap.splits()[0].pc, 2u);
  EXPECT_EQ(heap.splits()[2].pc, 9u);
  heap.move(lanes(0x30), 9);
  ASSERT_EQ(heap.splits().size(), 2u);
  EXPECT_EQ(heap.splits()[1].threads, lanes(0x3f));
  heap.remove(lanes(0xc0));
  EXPECT_EQ(heap.splits().size(), 1u);
}

TEST(SplitHeapTest, ThreadsThatWereTakenApartComeBackWhenTheOthersHaveMovedOn) {
  SplitHeap heap;
  heap.start(4, lanes(0xff));
  heap.move(lanes(0x0f), 2);
  heap.part(lanes(0xc0));
  ASSERT_EQ(heap.splits().size(), 2u);
  EXPECT_EQ(heap.splits()[1].threads, lanes(0x30));
  std::vector<GroupingUnit::Path> others;
  heap.others(lanes(0x3f), others);
  ASSERT_EQ(others.size(), 1u) << "they are still there";
  EXPECT_EQ(others[0].threads, lanes(0xc0));
  heap.move(lanes(0x0f), 3);
  EXPECT_EQ(heap.splits()[1].threads, lanes(0x30)) << "another path moved";
  heap.move(lanes(0x30), 5);
  ASSERT_EQ(heap.splits().size(), 3u);
  EXPECT_EQ(heap.splits()[1].pc, 4u);
  EXPECT_EQ(heap.splits()[1].threads, lanes(0xc0));
}

TEST(BarrierTableTest, OpensWhenAllLiveThreadsHaveComeOrLeft) {
  BarrierTable table;
  table.launch(BlockSlot(0), 96);
  EXPECT_FALSE(table.arrive(BlockSlot(0), 2, 32, 0));
  EXPECT_FALSE(table.arrive(BlockSlot(0), 2, 32, 0));
  EXPECT_EQ(table.exited(BlockSlot(0), 32), 1u << 2) << "the last ones exit instead";
}

TEST(BarrierTableTest, CountsTheThreadsItWasToldToExpect) {
  BarrierTable table;
  table.launch(BlockSlot(3), 128);
  EXPECT_FALSE(table.arrive(BlockSlot(3), 1, 32, 64));
  EXPECT_TRUE(table.arrive(BlockSlot(3), 1, 32, 64));
}

TEST(EventWheelTest, GivesEveryEventInItsCycle) {
  EventWheel<int> wheel;
  std::multimap<Cycle, int> expected;
  std::uint64_t state = 7;
  const auto random = [&] { return state = state * 6364136223846793005ULL + 1442695040888963407ULL, state >> 33; };
  int number = 0;
  for (Cycle now = 0; now < 3000;) {
    for (std::uint64_t i = random() % 3; i != 0 && now < 2000; --i) {
      const Cycle at = now + 1 + (random() % 4 == 0 ? random() % 900 : random() % 40);
      wheel.add(at, now, number);
      expected.emplace(at, number++);
    }
    const Cycle next = wheel.next(now);
    ASSERT_EQ(next, expected.empty() ? kNever : expected.begin()->first);
    if (next == kNever) {
      ++now;
      continue;
    }
    now = random() % 3 == 0 && next > now + 1 ? now + 1 : next;
    std::multiset<int> due;
    for (auto [it, end] = expected.equal_range(now); it != end; ++it) due.insert(it->second);
    expected.erase(now);
    std::multiset<int> taken;
    wheel.take(now, [&](int event) { taken.insert(event); });
    ASSERT_EQ(taken, due) << now;
  }
  EXPECT_TRUE(wheel.empty());
}

}  // namespace
}  // namespace heddle::sm
