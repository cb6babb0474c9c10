// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/return_queue.h"

#include <gtest/gtest.h>

namespace heddle::memory {
namespace {

TEST(ReturnQueue, IsFullFromItsLastEntryAndTellsWhenItCeasesToBe) {
  ReturnQueue queue(2);
  queue.enter();
  EXPECT_FALSE(queue.full());
  queue.enter();
  EXPECT_TRUE(queue.full());
  EXPECT_TRUE(queue.leave());
  EXPECT_FALSE(queue.full());
  EXPECT_FALSE(queue.leave());
}

TEST(ReturnQueue, ForwardedReadsEndWhenTheyEnterEvenIfItIsFull) {
  ReturnQueue queue(1);
  std::vector<DramCompletion> completions;
  queue.enter();
  queue.forward(7);
  queue.forward(8);
  queue.enter_forwarded(100, completions);
  ASSERT_EQ(completions.size(), 2u);
  EXPECT_EQ(completions[0].token, 7u);
  EXPECT_EQ(completions[1].token, 8u);
  EXPECT_EQ(completions[1].done, 100u);
  EXPECT_FALSE(completions[1].write);
  EXPECT_FALSE(queue.leave()) << "three are held, more than there are entries";
  EXPECT_FALSE(queue.leave());
  EXPECT_TRUE(queue.leave());
  queue.enter_forwarded(101, completions);
  EXPECT_EQ(completions.size(), 2u) << "each ends once";
}

}  // namespace
}  // namespace heddle::memory
