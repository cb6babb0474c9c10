// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/write_drains.h"

#include <gtest/gtest.h>

#include "tests/unit/memory/dram_requests.h"

namespace heddle::memory {
namespace {

/// A queue of 8 reads and 4 writes: drained from 3 writes to 1.
class WriteDrainsTest : public ::testing::Test {
 protected:
  static DramParameters parameters() {
    DramParameters p;
    p.write_queue_entries = 4;
    p.write_drain_high = 3;
    p.write_drain_low = 1;
    return p;
  }
  void add(bool write, unsigned count = 1) {
    for (unsigned i = 0; i < count; ++i) queue.add(request_to(0, 1, write));
  }
  /// Serves the oldest request of the queue that is served.
  void serve() {
    const auto id = queue.first(queue.list(0, drains.serves(true)));
    ASSERT_NE(id, DramQueue::kNone);
    drains.served(queue, id);
    queue.remove(id);
  }

  DramQueue queue{8, 1, 4};
  WriteDrains drains{parameters()};
};

TEST_F(WriteDrainsTest, WritesGainPriorityAtTheHighMarkAndLoseItAtTheLowMark) {
  add(false, 4);
  add(true, 2);
  EXPECT_FALSE(drains.choose(queue).switched);
  EXPECT_TRUE(drains.serves(false));
  add(true);
  EXPECT_TRUE(drains.wants_switch(queue));
  const auto change = drains.choose(queue);
  EXPECT_TRUE(change.switched);
  EXPECT_TRUE(change.drain_begins);
  EXPECT_TRUE(drains.serves(true));
  EXPECT_FALSE(drains.serves(false));
  serve();
  EXPECT_FALSE(drains.wants_switch(queue)) << "two writes are above the low mark";
  EXPECT_FALSE(drains.choose(queue).drain_begins) << "the same drain";
  serve();
  EXPECT_TRUE(drains.choose(queue).switched);
  EXPECT_TRUE(drains.serves(false));
}

TEST_F(WriteDrainsTest, WritesAreServedWhileNoReadWaitsWhichIsNoDrain) {
  add(true, 2);
  const auto change = drains.choose(queue);
  EXPECT_TRUE(change.switched);
  EXPECT_FALSE(change.drain_begins);
  add(false);
  EXPECT_TRUE(drains.choose(queue).switched) << "the read comes first";
  EXPECT_TRUE(drains.serves(false));
}

TEST_F(WriteDrainsTest, WriteModeToTheLowMarkGoesOnWhenReadsArrive) {
  DramParameters p = parameters();
  p.write_mode_to_low = true;
  drains = WriteDrains(p);
  add(true, 2);
  drains.choose(queue);
  add(false);
  EXPECT_FALSE(drains.wants_switch(queue));
  serve();
  EXPECT_TRUE(drains.wants_switch(queue));
}

TEST_F(WriteDrainsTest, AReadBehindAWriteBeginsADrain) {
  add(false);
  add(true);
  EXPECT_FALSE(drains.wants_switch(queue));
  queue.add(read_of(0, 1), true);
  EXPECT_TRUE(drains.choose(queue).drain_begins);
}

TEST_F(WriteDrainsTest, ADrainIsCutAfterAQueueOfWritesAndTheReadsThatWaitComeBeforeTheNext) {
  add(false, 2);
  add(true, 4);
  drains.choose(queue);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_FALSE(drains.choose(queue).switched) << i;
    serve();
    add(true);  // for ever
  }
  EXPECT_TRUE(drains.choose(queue).switched);
  serve();
  add(false);
  EXPECT_FALSE(drains.wants_switch(queue)) << "one of the two reads is due";
  serve();
  EXPECT_TRUE(drains.choose(queue).switched) << "the third came later";
  EXPECT_FALSE(drains.wants_switch(queue)) << "the next drain may be as long";
}

TEST_F(WriteDrainsTest, WritesServedWhileNoReadWaitedDoNotShortenADrain) {
  add(true, 4);
  drains.choose(queue);
  for (unsigned i = 0; i < 4; ++i) {
    serve();
    add(true);
  }
  add(false);
  EXPECT_FALSE(drains.wants_switch(queue));
}

TEST_F(WriteDrainsTest, WithoutAWriteQueueBothAreServed) {
  WriteDrains shared{DramParameters{}};
  EXPECT_TRUE(shared.serves(false));
  EXPECT_TRUE(shared.serves(true));
}

}  // namespace
}  // namespace heddle::memory
