// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/overdue_watch.h"

#include <gtest/gtest.h>

#include "tests/unit/memory/dram_requests.h"

namespace heddle::memory {
namespace {

class OverdueWatchTest : public ::testing::Test {
 protected:
  DramQueue::Id add(unsigned bank, Cycle arrival) {
    DramRequest request = read_of(bank, 1);
    request.arrival = arrival;
    watch.arrived(arrival);
    return queue.add(request);
  }
  bool serve(DramQueue::Id id, Cycle now) {
    queue.remove(id);
    return watch.served(id, queue, now);
  }

  DramQueue queue{8, 4};
  OverdueWatch watch{100};
};

TEST_F(OverdueWatchTest, TheOldestIsOverdueOnceItHasWaitedTheCap) {
  const auto first = add(2, 10);
  add(1, 20);
  EXPECT_FALSE(watch.look(queue, 109));
  EXPECT_EQ(watch.next(109), 110u);
  EXPECT_EQ(watch.request(), DramQueue::kNone);
  EXPECT_TRUE(watch.look(queue, 110));
  EXPECT_EQ(watch.request(), first);
}

TEST_F(OverdueWatchTest, LooksAtTheNextOldestWhenTheOldestWasServed) {
  const auto first = add(2, 10), second = add(1, 20);
  EXPECT_TRUE(watch.look(queue, 110));
  EXPECT_TRUE(serve(first, 115));
  EXPECT_EQ(watch.request(), DramQueue::kNone);
  EXPECT_FALSE(watch.look(queue, 116));
  EXPECT_EQ(watch.next(116), 120u);
  EXPECT_TRUE(watch.look(queue, 120));
  EXPECT_EQ(watch.request(), second);
}

TEST_F(OverdueWatchTest, ARequestServedInTimeMovesTheLookToTheNext) {
  const auto first = add(2, 10);
  add(1, 50);
  EXPECT_FALSE(serve(first, 60));
  EXPECT_FALSE(watch.look(queue, 110)) << "due when the first would have been";
  EXPECT_EQ(watch.next(110), 150u);
}

TEST_F(OverdueWatchTest, NeverLooksAtAnEmptyQueueOrWithoutACap) {
  const auto only = add(0, 10);
  serve(only, 20);
  EXPECT_EQ(watch.next(20), kNever);
  watch = OverdueWatch(0);
  add(0, 30);
  EXPECT_FALSE(watch.look(queue, 1'000'000));
  EXPECT_EQ(watch.next(1'000'000), kNever);
}

}  // namespace
}  // namespace heddle::memory
