// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/access_credits.h"

#include <gtest/gtest.h>

namespace heddle::sm {
namespace {

struct AccessCreditsTest : ::testing::Test {
  /// An access of warps 0 .. warps-1 of a gang issues.
  Packet& take(unsigned warps) {
    Packet& packet = pool.take();
    packet.company = static_cast<std::uint8_t>((1u << warps) - 1);
    packet.gathered = 0;
    packet.awaited = false;
    packet.holders = 1;
    credits.take(packet);
    return packet;
  }
  PacketPool pool;
  AccessCredits credits{16};
};

TEST_F(AccessCreditsTest, AnAccessTakesOneForEachWarp) {
  EXPECT_TRUE(credits.suffice(16, 1));
  take(8);
  take(1);
  EXPECT_TRUE(credits.suffice(7, 1));
  EXPECT_FALSE(credits.suffice(8, 1));
}

TEST_F(AccessCreditsTest, ItGivesThemBackACycleAfterItHasLeftTheOperandStage) {
  Packet& packet = take(8);
  packet.gathered = 5;
  EXPECT_FALSE(credits.suffice(9, 5));
  EXPECT_TRUE(credits.suffice(16, 6));
}

TEST_F(AccessCreditsTest, TheyComeBackInOrder) {
  Packet &first = take(8), &second = take(4);
  second.gathered = 5;
  EXPECT_FALSE(credits.suffice(5, 6));
  first.gathered = 6;
  EXPECT_TRUE(credits.suffice(16, 7));
}

TEST_F(AccessCreditsTest, WhoWaitsIsWokenByTheAccessThatGivesBackEnough) {
  const Packet &first = take(8), &second = take(4), &third = take(4);
  ASSERT_FALSE(credits.suffice(10, 5));
  EXPECT_TRUE(credits.await(10));
  EXPECT_FALSE(first.awaited);
  EXPECT_TRUE(second.awaited);
  EXPECT_FALSE(third.awaited);
}

TEST_F(AccessCreditsTest, WhatHasLeftInThisCycleWakesNobody) {
  Packet &first = take(8), &second = take(8);
  second.gathered = 5;
  ASSERT_FALSE(credits.suffice(16, 5));
  EXPECT_TRUE(credits.await(16)) << "the first is still there";
  EXPECT_TRUE(first.awaited);
  first.gathered = 5;
  EXPECT_FALSE(credits.await(16));
  EXPECT_TRUE(credits.suffice(16, 6));
}

TEST_F(AccessCreditsTest, WhatHasEndedBeforeAnOlderAccessWakesNobody) {
  const Packet& first = take(8);
  pool.drop(take(8));
  Packet& another = pool.take();
  another.gathered = 0;
  another.awaited = false;
  EXPECT_TRUE(credits.await(16));
  EXPECT_TRUE(first.awaited);
  EXPECT_FALSE(another.awaited) << "it has the place in the pool of the one that ended";
}

TEST_F(AccessCreditsTest, AnAccessThatHasEndedHasLeft) {
  pool.drop(take(8));
  Packet& another = take(8);
  EXPECT_FALSE(credits.suffice(9, 3)) << "that it has the place of the first in the pool does not matter";
  another.gathered = 3;
  EXPECT_TRUE(credits.suffice(16, 4));
}

TEST_F(AccessCreditsTest, ThereMayBeNoLimit) {
  AccessCredits unlimited(AccessCredits::kUnlimited);
  Packet& packet = pool.take();
  for (unsigned i = 0; i < 100; ++i) unlimited.take(packet);
  EXPECT_TRUE(unlimited.suffice(1000, 1));
}

}  // namespace
}  // namespace heddle::sm
