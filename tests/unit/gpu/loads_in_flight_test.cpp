// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/loads_in_flight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace heddle::gpu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LoadsInFlightTest : public testing::Test {
 protected:
  using Packet = LoadsInFlight::Packet;
  void add(Packet& packet, std::uint64_t line, std::uint64_t id) { loads_.add(packet, {line, {}, 0, id}); }
  std::vector<std::uint64_t> of_line(std::uint64_t line) {
    std::vector<std::uint64_t> ids;
    loads_.for_each(line, [&](const LoadsInFlight::Load& load) { ids.push_back(load.id); });
    return ids;
  }
  std::vector<std::uint64_t> removed(Packet& packet) {
    std::vector<std::uint64_t> ids;
    loads_.remove(packet, [&](const LoadsInFlight::Load& load) { ids.push_back(load.id); });
    return ids;
  }
  LoadsInFlight loads_;
};

TEST_F(LoadsInFlightTest, LoadsOfALineAreInTheOrderInWhichTheyWereSent) {
  Packet a, b, c;
  add(a, 7, 1);
  add(b, 7, 2);
  add(b, 8, 3);
  add(c, 7, 4);
  EXPECT_THAT(of_line(7), ElementsAre(1, 2, 4));
  removed(b);
  EXPECT_THAT(of_line(7), ElementsAre(1, 4));
  EXPECT_THAT(of_line(8), IsEmpty());
  add(b, 7, 5);
  EXPECT_THAT(of_line(7), ElementsAre(1, 4, 5));
}

TEST_F(LoadsInFlightTest, LoadsOfAPacketEndLineByLine) {
  Packet packet, other;
  add(packet, 7, 1);
  add(other, 8, 2);
  add(packet, 8, 3);
  add(packet, 7, 4);
  add(packet, 9, 5);
  EXPECT_EQ(packet.loads, 4u);
  EXPECT_THAT(removed(packet), ElementsAre(1, 4, 3, 5));
  EXPECT_THAT(removed(packet), IsEmpty());
  EXPECT_THAT(of_line(8), ElementsAre(2));
}

TEST_F(LoadsInFlightTest, ThousandsOfLinesKeepApart) {
  std::vector<Packet> packets(20'000);
  for (std::uint64_t i = 0; i < packets.size(); ++i) add(packets[i], 64 * i, i);
  for (std::uint64_t i = 0; i < packets.size(); i += 2) EXPECT_THAT(removed(packets[i]), ElementsAre(i));
  for (std::uint64_t i = 0; i < packets.size(); ++i) EXPECT_EQ(of_line(64 * i).size(), i % 2) << i;
}

}  // namespace
}  // namespace heddle::gpu
