// SPDX-License-Identifier: Apache-2.0
// Which stores cover their transactions completely.
#include "sm/memory/coalescer.h"

#include <gtest/gtest.h>

namespace heddle::sm {
namespace {

/// Thread i of the mask at first + i * stride.
isa::Addresses strided(std::uint64_t first, std::uint64_t stride) {
  isa::Addresses addresses{};
  for (unsigned i = 0; i < isa::kWordThreads; ++i) addresses.value[i] = first + i * stride;
  return addresses;
}

TEST(CoalescerStores, AStoreIsWholeWhenItsThreadsWriteEveryByteOfTheLine) {
  Coalescer coalescer{CoalescerParameters{}};
  coalescer.start(true);
  coalescer.add(strided(0x1000, 4), ~0u, 4);
  ASSERT_EQ(coalescer.size(), 1u);
  EXPECT_TRUE(coalescer.whole(0));
}

TEST(CoalescerStores, OneThreadMissingMakesAStorePartial) {
  for (unsigned missing : {0u, 15u, 16u, 31u}) {
    Coalescer coalescer{CoalescerParameters{}};
    coalescer.start(true);
    coalescer.add(strided(0x1000, 4), ~(1u << missing), 4);
    ASSERT_EQ(coalescer.size(), 1u);
    EXPECT_FALSE(coalescer.whole(0)) << missing;
  }
}

TEST(CoalescerStores, ThreadsThatWriteTheSameBytesDoNotFillTheLine) {
  Coalescer coalescer{CoalescerParameters{}};
  coalescer.start(true);
  coalescer.add(strided(0x1000, 0), ~0u, 4);
  ASSERT_EQ(coalescer.size(), 1u);
  EXPECT_EQ(coalescer.begin()->threads, 32u);
  EXPECT_FALSE(coalescer.whole(0));
}

TEST(CoalescerStores, PacketsOfOneAccessGroupFillALineTogether) {
  Coalescer coalescer{CoalescerParameters{}};
  coalescer.start(true);
  coalescer.add(strided(0x1000, 8), ~0u, 4, 0);
  EXPECT_FALSE(coalescer.whole(0));
  coalescer.add(strided(0x1004, 8), ~0u, 4, 1);
  ASSERT_EQ(coalescer.size(), 2u);
  EXPECT_TRUE(coalescer.whole(0));
  EXPECT_TRUE(coalescer.whole(1));
}

TEST(CoalescerStores, AnUnalignedRunLeavesBothEndsPartial) {
  Coalescer coalescer{CoalescerParameters{}};
  coalescer.start(true);
  coalescer.add(strided(0x1002, 8), ~0u, 8);
  ASSERT_EQ(coalescer.size(), 3u);
  EXPECT_FALSE(coalescer.whole(0));
  EXPECT_TRUE(coalescer.whole(1));
  EXPECT_FALSE(coalescer.whole(2));
}

TEST(CoalescerStores, WhatAGroupWroteIsForgottenWithTheNext) {
  Coalescer coalescer{CoalescerParameters{}};
  coalescer.start(true);
  coalescer.add(strided(0x1000, 4), ~0u, 4);
  coalescer.start(true);
  coalescer.add(strided(0x2000, 4), 1u, 4);
  ASSERT_EQ(coalescer.size(), 1u);
  EXPECT_FALSE(coalescer.whole(0));
}

TEST(CoalescerStores, ASegmentThatShrankToWhatIsWrittenIsWhole) {
  Coalescer coalescer{CoalescerParameters{CoalescingRule::segments_1x, 128}};
  coalescer.start(true);
  coalescer.add(strided(0x1000, 4), 0xffu, 4);  // 32 bytes of a 128-byte segment
  coalescer.add(strided(0x2000, 4), 0x7fu, 4);
  ASSERT_EQ(coalescer.size(), 2u);
  EXPECT_EQ(coalescer.begin()->bytes, 32u);
  EXPECT_TRUE(coalescer.whole(0));
  EXPECT_FALSE(coalescer.whole(1));
}

}  // namespace
}  // namespace heddle::sm
