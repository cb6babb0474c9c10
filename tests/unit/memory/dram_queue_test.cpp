// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_queue.h"

#include <gtest/gtest.h>

#include "tests/unit/memory/dram_requests.h"

namespace heddle::memory {
namespace {

TEST(DramQueue, BanksWaitFromTheirFirstRequestToTheirLast) {
  DramQueue queue(8, 4);
  EXPECT_EQ(queue.waiting(), 0u);
  const auto read = queue.add(read_of(2, 1)), write = queue.add(write_of(2, 1)), other = queue.add(read_of(0, 1));
  EXPECT_EQ(queue.waiting(), bank_bit(0) | bank_bit(2));
  queue.remove(read);
  EXPECT_FALSE(queue.empty(2)) << "the write is left";
  queue.remove(write);
  EXPECT_EQ(queue.waiting(), bank_bit(0));
  queue.remove(other);
  EXPECT_EQ(queue.waiting(), 0u);
}

TEST(DramQueue, TheOldestIsTheOldestOfAllBanksAndLists) {
  DramQueue queue(8, 4);
  EXPECT_EQ(queue.oldest(), DramQueue::kNone);
  const auto first = queue.add(write_of(3, 1)), second = queue.add(read_of(0, 1));
  EXPECT_EQ(queue.oldest(), first);
  queue.remove(first);
  EXPECT_EQ(queue.oldest(), second);
}

TEST(DramQueue, ARowIsWantedByReadsAndWritesOfItsBank) {
  DramQueue queue(8, 4);
  queue.add(read_of(1, 10));
  queue.add(write_of(1, 11));
  queue.add(read_of(2, 12));
  EXPECT_TRUE(queue.wants(1, 10));
  EXPECT_TRUE(queue.wants(1, 11));
  EXPECT_FALSE(queue.wants(1, 12));
}

TEST(DramQueue, AReadBehindAWriteIsCountedUntilItLeaves) {
  DramQueue queue(8, 4, 8);
  queue.add(write_of(0, 1));
  const auto behind = queue.add(read_of(0, 1), true);
  queue.add(read_of(0, 2));
  EXPECT_EQ(queue.reads_behind_writes(), 1u);
  EXPECT_EQ(queue.writes(), 2u);
  EXPECT_EQ(queue.reads(), 1u);
  queue.remove(behind);
  EXPECT_EQ(queue.reads_behind_writes(), 0u);
  EXPECT_EQ(queue.writes(), 1u);
}

TEST(DramQueue, OverlapWithAWriteIsWholeIfItSuppliesEveryByte) {
  DramQueue queue(8, 4, 8);
  queue.add(write_of(0, 1, 4, 2));  // bursts 4 and 5
  EXPECT_EQ(queue.overlap(read_of(0, 1, 4, 2)), WriteOverlap::whole);
  EXPECT_EQ(queue.overlap(read_of(0, 1, 5, 1)), WriteOverlap::whole);
  EXPECT_EQ(queue.overlap(read_of(0, 1, 5, 2)), WriteOverlap::partial);
  EXPECT_EQ(queue.overlap(read_of(0, 1, 6, 1)), WriteOverlap::none);
  EXPECT_EQ(queue.overlap(read_of(0, 2, 4, 1)), WriteOverlap::none) << "another row";
  EXPECT_EQ(queue.overlap(read_of(1, 1, 4, 1)), WriteOverlap::none) << "another bank";
}

TEST(DramQueue, TheYoungestWriteThatOverlapsDecides) {
  DramQueue queue(8, 4, 8);
  queue.add(write_of(0, 1));
  DramRequest masked = write_of(0, 1);
  masked.whole = false;
  queue.add(masked);
  EXPECT_EQ(queue.overlap(read_of(0, 1)), WriteOverlap::partial);
  queue.add(write_of(0, 1));
  EXPECT_EQ(queue.overlap(read_of(0, 1)), WriteOverlap::whole);
  queue.add(read_of(0, 1), true);
  EXPECT_EQ(queue.overlap(read_of(0, 1)), WriteOverlap::partial) << "a read that waits supplies nothing";
}

}  // namespace
}  // namespace heddle::memory
