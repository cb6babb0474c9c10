// SPDX-License-Identifier: Apache-2.0
#include "core/ring_queue.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(RingQueue, HandsOutInOrderWhileItGrows) {
  RingQueue<int> queue(2);
  int next = 0, oldest = 0;
  // Three in, two out: it grows again and again, from any place in the ring.
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 3; ++i) queue.push(next++);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(queue.front(), oldest);
      EXPECT_EQ(queue.pop(), oldest++);
    }
  }
  ASSERT_EQ(queue.size(), 100u);
  for (std::size_t i = 0; i < queue.size(); ++i) EXPECT_EQ(queue[i], oldest + static_cast<int>(i));
  queue.clear();
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace heddle
