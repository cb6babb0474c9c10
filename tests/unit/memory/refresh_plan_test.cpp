// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/refresh_plan.h"

#include <gtest/gtest.h>

#include "core/unit.h"

namespace heddle::memory {
namespace {

/// A refresh of each rank is due when the test says so; notes what it saw.
class OnDemand final : public RefreshPolicy {
 public:
  explicit OnDemand(DramCommand command) : command_(command) {}
  std::optional<DramCommand> command() const override { return command_; }
  std::optional<unsigned> due(const RankView& view, Cycle& ask_again) override {
    ++asked;
    seen[view.rank] = view;
    ask_again = again;
    return due_bank[view.rank];
  }
  void refreshed(unsigned rank, unsigned bank, Cycle) override {
    done.push_back({rank, bank});
    due_bank[rank].reset();
  }

  std::array<std::optional<unsigned>, 2> due_bank;
  std::array<RankView, 2> seen;
  std::vector<std::pair<unsigned, unsigned>> done;
  Cycle again = kNever;
  unsigned asked = 0;

 private:
  DramCommand command_;
};

class KeepOpen final : public RowPolicy {
 public:
  Cycle close_at(const BankView&) const override { return kNever; }
};

/// Two ranks of four banks.
class RefreshPlanTest : public ::testing::Test {
 protected:
  void with(DramCommand command) {
    auto made = std::make_unique<OnDemand>(command);
    policy = made.get();
    plan = std::make_unique<RefreshPlan>(std::move(made), kGeometry);
  }

  static constexpr ChannelGeometry kGeometry{2, 2, 2};
  StatisticsOwner owner{"test"};
  StatisticsGroup group{owner, "channel"};
  Counter open_cycles{group, "open_cycles", "cycles with a row open", unit::kCycles};
  OpenRows rows{std::make_unique<KeepOpen>(), kGeometry, open_cycles};
  OnDemand* policy = nullptr;
  std::unique_ptr<RefreshPlan> plan;
};

TEST_F(RefreshPlanTest, ARefreshOfARankReservesItsBanksAndClosesAllRowsFirst) {
  with(DramCommand::refresh_all);
  EXPECT_EQ(plan->plan(0, 10), 0u);
  policy->due_bank[1] = 0;
  EXPECT_EQ(plan->plan(0, 11), bank_range(4, 4));
  EXPECT_EQ(plan->plan(0, 12), 0u) << "reserved already";
  EXPECT_EQ(plan->banks(), bank_range(4, 4));
  rows.opened(6, 1, 5);
  EXPECT_EQ(plan->command(4, rows), DramCommand::precharge_all);
  EXPECT_EQ(plan->command(6, rows), std::nullopt) << "the first bank stands for all";
  rows.closed(6, 20);
  EXPECT_EQ(plan->command(4, rows), DramCommand::refresh_all);
  EXPECT_EQ(plan->refreshed(4, 30), bank_range(4, 4));
  EXPECT_EQ(plan->banks(), 0u);
  EXPECT_EQ(policy->done, (std::vector<std::pair<unsigned, unsigned>>{{1, 0}}));
}

TEST_F(RefreshPlanTest, ARefreshOfABankReservesItAndClosesItsRowFirst) {
  with(DramCommand::refresh_bank);
  policy->due_bank = {3, 1};
  EXPECT_EQ(plan->plan(0, 10), bank_bit(3) | bank_bit(5));
  rows.opened(5, 1, 5);
  EXPECT_EQ(plan->command(3, rows), DramCommand::refresh_bank);
  EXPECT_EQ(plan->command(5, rows), DramCommand::precharge);
  rows.closed(5, 20);
  EXPECT_EQ(plan->command(5, rows), DramCommand::refresh_bank);
  EXPECT_EQ(plan->refreshed(5, 30), bank_bit(5));
  EXPECT_EQ(plan->banks(), bank_bit(3));
  EXPECT_EQ(policy->done, (std::vector<std::pair<unsigned, unsigned>>{{1, 1}}));
}

TEST_F(RefreshPlanTest, ThePolicySeesWhoWaitsAndSinceWhenARankIsIdle) {
  with(DramCommand::refresh_all);
  plan->arrived(5);
  plan->plan(bank_bit(1) | bank_bit(5), 10);
  EXPECT_EQ(policy->seen[0].waiting, bank_bit(1));
  EXPECT_EQ(policy->seen[1].waiting, bank_bit(1)) << "counted from the rank's first bank";
  EXPECT_EQ(policy->seen[1].idle_since, kNever);
  plan->emptied(5, bank_bit(6), 20);
  plan->plan(bank_bit(6), 21);
  EXPECT_EQ(policy->seen[1].idle_since, kNever) << "another bank of the rank has requests";
  plan->emptied(6, bank_bit(1), 30);
  plan->plan(bank_bit(1), 31);
  EXPECT_EQ(policy->seen[1].idle_since, 30u);
}

TEST_F(RefreshPlanTest, ItIsMadeAgainWhenThePolicyAskedOrSomethingHappened) {
  with(DramCommand::refresh_all);
  policy->again = 50;
  plan->plan(0, 10);
  EXPECT_EQ(plan->next(10), 50u);
  EXPECT_EQ(plan->next(60), 61u) << "never in the same cycle";
  policy->again = kNever;
  policy->due_bank = {0, 0};
  plan->plan(0, 60);
  EXPECT_EQ(plan->next(60), kNever) << "both ranks have their refresh pending";
  plan->refreshed(0, 70);
  EXPECT_EQ(plan->next(70), 71u);
}

TEST_F(RefreshPlanTest, WithoutAPolicyNothingIsPlanned) {
  plan = std::make_unique<RefreshPlan>(nullptr, kGeometry);
  plan->arrived(0);
  plan->emptied(0, 0, 10);
  EXPECT_EQ(plan->plan(0, 10), 0u);
  EXPECT_EQ(plan->next(10), kNever);
}

}  // namespace
}  // namespace heddle::memory
