// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/open_rows.h"

#include <gtest/gtest.h>

#include "core/unit.h"
#include "tests/unit/memory/dram_requests.h"

namespace heddle::memory {
namespace {

/// Closes a row so many cycles after it was last wanted; notes how requests found their bank.
class Timeout final : public RowPolicy {
 public:
  Cycle close_at(const BankView& view) const override { return after == kNever ? kNever : view.now + after; }
  void found(unsigned, RowFound how) override { last = how; }
  Cycle after = 50;
  RowFound last = RowFound::open;
};

/// Two ranks of two banks.
class OpenRowsTest : public ::testing::Test {
 protected:
  OpenRowsTest() {
    auto made = std::make_unique<Timeout>();
    policy = made.get();
    rows = std::make_unique<OpenRows>(std::move(made), ChannelGeometry{2, 1, 2}, open_cycles);
  }
  void left(unsigned bank, Cycle now) { rows->left({queue, bank, true, true, rows->row(bank), now}); }
  static DramRequest served(bool activated, bool precharged, std::uint64_t row) {
    DramRequest request = read_of(0, row);
    request.activated = activated;
    request.precharged = precharged;
    return request;
  }

  StatisticsOwner owner{"test"};
  StatisticsGroup group{owner, "channel"};
  Counter open_cycles{group, "open_cycles", "cycles with a row open", unit::kCycles};
  DramQueue queue{8, 4};
  Timeout* policy;
  std::unique_ptr<OpenRows> rows;
};

TEST_F(OpenRowsTest, CyclesWithARowOpenAreCountedByRank) {
  rows->opened(0, 5, 100);
  rows->opened(1, 6, 110);
  rows->opened(2, 7, 120);
  EXPECT_TRUE(rows->any(0));
  EXPECT_TRUE(rows->any(1));
  rows->closed(0, 130);
  EXPECT_TRUE(rows->any(0));
  rows->closed(1, 140);
  EXPECT_FALSE(rows->any(0));
  EXPECT_EQ(open_cycles.value(), 40u) << "of the first rank, whose banks overlap";
  rows->settle(150);
  EXPECT_EQ(open_cycles.value(), 40u + 30);
  rows->closed(2, 160);
  EXPECT_EQ(open_cycles.value(), 40u + 40);
}

TEST_F(OpenRowsTest, ARowOpenedOverAnotherCountsOnce) {
  rows->opened(0, 5, 100);
  rows->opened(0, 6, 120);
  EXPECT_EQ(rows->row(0), std::optional<std::uint64_t>(6));
  rows->closed(0, 130);
  EXPECT_FALSE(rows->any(0));
  EXPECT_EQ(open_cycles.value(), 30u);
}

TEST_F(OpenRowsTest, ABankWithoutARowIsClosedWithItsRankForNothing) {
  rows->opened(0, 5, 100);
  rows->closed(0, 130);
  rows->closed(1, 130);
  EXPECT_FALSE(rows->any(0));
  EXPECT_EQ(open_cycles.value(), 30u);
}

TEST_F(OpenRowsTest, ThePolicyClosesARowThatNobodyWants) {
  rows->opened(1, 5, 100);
  left(1, 120);
  EXPECT_EQ(rows->close_at(1), 170u);
  EXPECT_EQ(rows->closing(), bank_bit(1));
  rows->closed(1, 170);
  EXPECT_EQ(rows->close_at(1), kNever);
  EXPECT_EQ(rows->closing(), 0u);
}

TEST_F(OpenRowsTest, ARowIsKeptIfWantedOrIfThePolicyNeverClosesIt) {
  rows->opened(1, 5, 100);
  left(1, 120);
  rows->keep(1);
  EXPECT_EQ(rows->closing(), 0u);
  const auto hit = queue.add(read_of(1, 5));
  left(1, 130);
  EXPECT_EQ(rows->close_at(1), kNever);
  queue.remove(hit);
  queue.add(read_of(1, 6));
  left(1, 140);
  EXPECT_EQ(rows->close_at(1), 190u) << "the request that waits wants another row";
  policy->after = kNever;
  left(1, 150);
  EXPECT_EQ(rows->closing(), 0u);
}

TEST_F(OpenRowsTest, ARequestFoundItsRowOpenAnotherOpenOrNone) {
  EXPECT_EQ(rows->found(served(false, false, 5)), RowFound::open);
  EXPECT_EQ(rows->found(served(true, true, 5)), RowFound::other);
  EXPECT_EQ(rows->found(served(true, false, 5)), RowFound::closed);
  rows->opened(0, 5, 100);
  rows->closed(0, 150);
  EXPECT_EQ(rows->found(served(true, false, 5)), RowFound::reclosed);
  EXPECT_EQ(policy->last, RowFound::reclosed);
  EXPECT_EQ(rows->found(served(true, false, 6)), RowFound::closed);
  EXPECT_EQ(policy->last, RowFound::closed);
}

}  // namespace
}  // namespace heddle::memory
