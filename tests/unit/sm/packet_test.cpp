// SPDX-License-Identifier: Apache-2.0
// Packets are pooled; keeping one too long is an error.
#include "sm/packet.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace heddle::sm {
namespace {

Packet& take(PacketPool& pool) {
  Packet& packet = pool.take();
  packet.holders = 1;
  return packet;
}

TEST(PacketPoolTest, APacketEndsWithItsLastHolder) {
  PacketPool pool;
  Packet& packet = take(pool);
  ++packet.holders;
  pool.drop(packet);
  EXPECT_EQ(pool.in_flight(), 1u);
  pool.drop(packet);
  EXPECT_EQ(pool.in_flight(), 0u);
  EXPECT_EQ(&take(pool), &packet) << "its place is used again";
}

TEST(PacketPoolTest, APacketThatEndsTwiceIsAnError) {
  PacketPool pool;
  Packet& packet = take(pool);
  pool.drop(packet);
  EXPECT_THROW(pool.drop(packet), Error);
}

TEST(PacketHandleTest, IsOfThePacketThatWasKept) {
  PacketPool pool;
  Packet& packet = take(pool);
  const PacketHandle handle = &packet;
  EXPECT_TRUE(handle);
  EXPECT_FALSE(PacketHandle());
  EXPECT_EQ(&*handle, &packet);
}

#ifndef NDEBUG
TEST(PacketHandleTest, IsNotOfTheInstructionThatHasItsPlaceNow) {
  PacketPool pool;
  Packet& packet = take(pool);
  const PacketHandle handle = &packet;
  pool.drop(packet);
  EXPECT_THROW(*handle, Error) << "nobody has its place";
  ASSERT_EQ(&take(pool), &packet);
  EXPECT_THROW(*handle, Error);
  EXPECT_EQ(&*PacketHandle(&packet), &packet);
}
#endif

}  // namespace
}  // namespace heddle::sm
