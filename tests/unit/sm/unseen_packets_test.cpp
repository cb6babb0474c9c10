// SPDX-License-Identifier: Apache-2.0
// Packets that skip write-back are counted in the cycles in which the stages would have passed them on.
#include "sm/pipeline/unseen_packets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace heddle::sm {
namespace {

class UnseenPacketsTest : public testing::Test {
 protected:
  StatisticsOwner owner_{"sm0"};
  StatisticsGroup group_{owner_, "writeback"};
  Counter written_{group_, "packets", "packets written back", unit::kInstructions};
  UnseenPackets packets_{2, written_};
};

TEST_F(UnseenPacketsTest, CountACycleAfterTheyLeave) {
  ASSERT_TRUE(packets_.add(20, 10));
  packets_.settle(20);
  EXPECT_EQ(written_.value(), 0u);
  packets_.settle(21);
  EXPECT_EQ(written_.value(), 1u);
  packets_.settle(90);
  EXPECT_EQ(written_.value(), 1u);
}

TEST_F(UnseenPacketsTest, NoMoreThanTheWidthLeaveInACycle) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(packets_.add(20, 10));
  for (const auto& [cycle, count] : std::map<Cycle, unsigned>{{21, 2}, {22, 4}, {23, 5}}) {
    packets_.settle(cycle);
    EXPECT_EQ(written_.value(), count);
  }
}

TEST_F(UnseenPacketsTest, ThoseTooFarAheadAreRefused) {
  EXPECT_FALSE(packets_.add(10 + UnseenPackets::kHorizon, 10));
  ASSERT_TRUE(packets_.add(9 + UnseenPackets::kHorizon, 10));
  ASSERT_TRUE(packets_.add(9 + UnseenPackets::kHorizon, 10));
  EXPECT_FALSE(packets_.add(9 + UnseenPackets::kHorizon, 10));
}

/// Against a queue that lets `width` packets go a cycle.
TEST_F(UnseenPacketsTest, CountAsAQueueDoes) {
  std::uint64_t state = 99;
  const auto random = [&] { return state = state * 6364136223846793005ULL + 1442695040888963407ULL, state >> 33; };
  std::map<Cycle, unsigned> comes;  // packets by the cycle in which they could leave
  unsigned waiting = 0, left = 0, left_before = 0;
  for (Cycle now = 1; now < 5000; ++now) {
    left_before = left;
    waiting += comes[now];
    const unsigned go = std::min(waiting, 2u);
    waiting -= go;
    left += go;
    if (random() % 7 == 0) packets_.settle(now);
    if (random() % 13 == 0) {
      packets_.settle(now);
      ASSERT_EQ(written_.value(), left_before) << now;  // what left in the cycle before has been written back
    }
    for (std::uint64_t entering = random() % 3; entering != 0; --entering) {
      const Cycle leaves = now + 1 + random() % 9;
      if (packets_.add(leaves, now)) ++comes[leaves];
    }
  }
}

}  // namespace
}  // namespace heddle::sm
