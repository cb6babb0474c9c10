// SPDX-License-Identifier: Apache-2.0
// Fetches that skip decode arrive, and are counted, in the cycles in which decode and its links would have it.
#include "sm/pipeline/unseen_fetches.h"

#include <gtest/gtest.h>

#include <deque>

namespace heddle::sm {
namespace {

Fetched fetched(std::uint32_t pc, std::uint16_t count) {
  Fetched some;
  some.request.pc = pc;
  some.request.count = count;
  return some;
}

class UnseenFetchesTest : public testing::Test {
 protected:
  StatisticsOwner owner_{"sm0"};
  StatisticsGroup group_{owner_, "decode"};
  Counter decoded_{group_, "decoded", "instructions decoded", unit::kInstructions};
  UnseenFetches fetches_{2, 2, decoded_};
};

TEST_F(UnseenFetchesTest, ArriveAfterTheLatency) {
  EXPECT_EQ(fetches_.add(fetched(8, 2), 10), 12u);
  EXPECT_EQ(fetches_.front(11), nullptr);
  ASSERT_NE(fetches_.front(12), nullptr);
  EXPECT_EQ(fetches_.front(12)->request.pc, 8u);
  fetches_.pop();
  EXPECT_EQ(fetches_.front(12), nullptr);
  EXPECT_EQ(decoded_.value(), 2u);
}

TEST_F(UnseenFetchesTest, CountACycleBeforeTheyArrive) {
  fetches_.add(fetched(8, 3), 10);
  fetches_.settle(10);
  EXPECT_EQ(decoded_.value(), 0u);
  fetches_.settle(11);
  EXPECT_EQ(decoded_.value(), 3u);
  fetches_.settle(12);
  fetches_.pop();
  EXPECT_EQ(decoded_.value(), 3u);
}

TEST_F(UnseenFetchesTest, NoMoreThanTheWidthAreForwardedInACycle) {
  fetches_.add(fetched(8, 1), 10);
  EXPECT_TRUE(fetches_.room(10));
  fetches_.add(fetched(9, 1), 10);
  EXPECT_FALSE(fetches_.room(10));
  EXPECT_TRUE(fetches_.room(11));
}

TEST_F(UnseenFetchesTest, TellWhetherThereAreAny) {
  std::uint32_t bits = 1;
  fetches_.watch(bits, 3);
  fetches_.add(fetched(8, 1), 10);
  fetches_.add(fetched(9, 1), 11);
  EXPECT_EQ(bits, 0b1001u);
  fetches_.pop();
  EXPECT_EQ(bits, 0b1001u);
  fetches_.pop();
  EXPECT_EQ(bits, 0b0001u);
}

/// Against a stage that keeps each fetch for a cycle.
TEST_F(UnseenFetchesTest, CountAsAStageDoes) {
  struct Passing {
    Cycle at;
    std::uint32_t pc;
    unsigned count;
  };
  std::uint64_t state = 99;
  const auto random = [&] { return state = state * 6364136223846793005ULL + 1442695040888963407ULL, state >> 33; };
  std::deque<Passing> at_decode, at_issue;
  unsigned decoded = 0;
  std::uint32_t pc = 0;
  for (Cycle now = 1; now < 5000; ++now) {
    for (; !at_issue.empty() && at_issue.front().at <= now; at_issue.pop_front()) {
      const Fetched* const arrived = fetches_.front(now);
      ASSERT_NE(arrived, nullptr) << now;
      ASSERT_EQ(arrived->request.pc, at_issue.front().pc);
      fetches_.pop();
    }
    ASSERT_EQ(fetches_.front(now), nullptr) << now;
    for (; !at_decode.empty() && at_decode.front().at <= now; at_decode.pop_front()) {
      decoded += at_decode.front().count;
      at_issue.push_back({now + 1, at_decode.front().pc, 0});
    }
    for (std::uint64_t some = random() % 3; some != 0; --some) {
      const auto count = static_cast<std::uint16_t>(1 + random() % 4);
      fetches_.add(fetched(++pc, count), now);
      at_decode.push_back({now + 1, pc, count});
    }
    if (random() % 5 != 0) continue;
    fetches_.settle(now);
    ASSERT_EQ(decoded_.value(), decoded) << now;
  }
}

}  // namespace
}  // namespace heddle::sm
