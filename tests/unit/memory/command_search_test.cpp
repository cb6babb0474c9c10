// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/command_search.h"

#include <gtest/gtest.h>

#include "tests/unit/memory/dram_requests.h"

namespace heddle::memory {
namespace {

constexpr unsigned kNoSlot = CommandSearch::kNoSlot;

class CommandSearchTest : public ::testing::Test {
 protected:
  /// A row command of a bank.
  void row(unsigned bank, std::uint64_t order, Cycle legal, DramCommand command = DramCommand::activate) {
    commands.clear(bank);
    commands.set(bank, command, order, legal, shared[bank]);
    offer(bank);
  }
  /// The next burst of a request.
  void column(unsigned bank, bool write, std::uint64_t order, Cycle legal, unsigned plane = 0) {
    DramRequest request = request_to(bank, 1, write);
    request.order = order;
    if (plane == 0) commands.clear(bank);
    commands.set_column(NextCommands::slot(bank, plane), request, legal, shared[bank]);
    offer(bank, plane);
  }
  void offer(unsigned bank, unsigned plane = 0) {
    rules.may[plane] |= bank_bit(bank);
    search.follow(rules);
  }
  unsigned look(Cycle by, CommandSearch::Look what = CommandSearch::Look::all) {
    search.look_at_all(by, what);
    return search.found();
  }
  unsigned look_again(BankSet changed, Cycle by) {
    search.look_again(changed, by);
    return search.found();
  }

  std::array<Cycle, kMaxBanks> shared{};
  NextCommands commands;
  CommandRules rules;
  CommandSearch search{commands, true};
};

TEST_F(CommandSearchTest, ACommandIsFoundWhenBankAndSharedResourcesPermitIt) {
  row(3, 7, 10);
  EXPECT_EQ(look(9), kNoSlot);
  EXPECT_EQ(search.next(), 10u);
  EXPECT_EQ(look(10), 3u);
  shared[3] = 12;
  EXPECT_EQ(look(11), kNoSlot);
  EXPECT_EQ(search.next(), 12u);
  EXPECT_EQ(look(12), 3u);
}

TEST_F(CommandSearchTest, ABankWithoutACommandIsNeverFound) {
  row(3, 7, 10);
  commands.clear(3);
  EXPECT_EQ(look(100), kNoSlot);
  EXPECT_EQ(search.next(), kNever);
}

TEST_F(CommandSearchTest, TheOldestOfTheBestKindWins) {
  row(0, 1, 0);
  row(1, 0, 0);
  EXPECT_EQ(look(5), 1u);
  column(2, false, 9, 0);
  column(3, false, 8, 0);
  EXPECT_EQ(look(5), 3u) << "columns go before rows";
}

TEST_F(CommandSearchTest, InPureOrderOfAgeAnOlderRowCommandWins) {
  CommandSearch by_age(commands, false);
  row(0, 1, 0);
  column(2, false, 9, 0);
  by_age.follow(rules);
  by_age.look_at_all(5);
  EXPECT_EQ(by_age.found(), 0u);
}

TEST_F(CommandSearchTest, OneBusIsSearchedAtATime) {
  row(0, 1, 0);
  column(2, false, 9, 0);
  EXPECT_EQ(look(5, CommandSearch::Look::rows), 0u);
  EXPECT_EQ(look(5, CommandSearch::Look::columns), 2u);
  column(0, false, 1, 0);
  EXPECT_EQ(look(5, CommandSearch::Look::rows), kNoSlot);
}

TEST_F(CommandSearchTest, OnlyBanksThatMayIssueAreSearched) {
  row(0, 1, 0);
  row(1, 2, 0);
  rules.may[0] = bank_bit(1);
  search.follow(rules);
  EXPECT_EQ(look(5), 1u);
}

TEST_F(CommandSearchTest, RefreshGoesBeforeTheOverdueRequestAndThatBeforeAllOthers) {
  column(0, false, 5, 0);
  row(1, 6, 0);
  row(2, 7, 0);
  EXPECT_EQ(look(5), 0u);
  rules.overdue = bank_bit(1);
  search.follow(rules);
  EXPECT_EQ(look(5), 1u);
  rules.refreshing = bank_bit(2);
  search.follow(rules);
  EXPECT_EQ(look(5), 2u);
}

TEST_F(CommandSearchTest, ATurnIsDeferredForAColumnLegalBeforeTheBusCouldTurnTwice) {
  column(0, true, 1, 0);    // turns the bus
  column(1, false, 2, 14);  // keeps its direction
  rules.turn_back = 10;
  search.follow(rules);
  EXPECT_EQ(look(4), 0u) << "14 is too late for a turn in 4";
  EXPECT_EQ(look(5), kNoSlot);
  EXPECT_EQ(search.next(), 14u);
  EXPECT_EQ(look(14), 1u);
  rules.turn_back = 0;
  search.follow(rules);
  EXPECT_EQ(look(5), 0u);
}

TEST_F(CommandSearchTest, TheSecondPlaneHoldsTheRowHitOfTheOtherDirection) {
  column(0, true, 1, 0);
  column(0, false, 2, 14, 1);
  EXPECT_EQ(look(5), 0u);
  rules.turn_back = 10;
  search.follow(rules);
  EXPECT_EQ(look(5), kNoSlot) << "the bank's own read is soon ready";
  EXPECT_EQ(look(14), NextCommands::slot(0, 1));
}

TEST_F(CommandSearchTest, LookingAgainConsidersTheChangedBanksOnly) {
  row(0, 5, 0);
  row(1, 6, 0);
  EXPECT_EQ(look(5), 0u);
  row(1, 1, 0);
  EXPECT_EQ(look_again(0, 5), 0u) << "not told of the change";
  EXPECT_EQ(look_again(bank_bit(1), 5), 1u);
}

TEST_F(CommandSearchTest, LookingAgainFindsWhatBecameLegalOrLostTheBest) {
  row(0, 5, 8);
  EXPECT_EQ(look(5), kNoSlot);
  EXPECT_EQ(look_again(0, 8), 0u);
  row(1, 6, 0);
  EXPECT_EQ(look_again(bank_bit(1), 8), 0u);
  commands.clear(0);
  EXPECT_EQ(look_again(bank_bit(0), 8), 1u);
}

TEST_F(CommandSearchTest, AResultIsForgottenWhenColumnsAreBarredOrOnDemand) {
  row(0, 5, 0);
  EXPECT_EQ(look(5), 0u);
  row(1, 1, 0);
  rules.barred = Barred::reads;
  search.follow(rules);
  EXPECT_EQ(look_again(0, 5), 1u);
  row(2, 0, 0);
  search.forget();
  EXPECT_EQ(look_again(0, 5), 2u);
}

TEST(NextCommands, SetsOfColumnsFollowTheCommands) {
  NextCommands commands;
  const Cycle shared = 0;
  commands.set_column(3, read_of(3, 1), 0, shared);
  commands.set_column(4, read_of(4, 1, 0, 2), 0, shared);
  commands.set_column(5, write_of(5, 1), 0, shared);
  EXPECT_EQ(commands.columns(0), bank_bit(3) | bank_bit(4) | bank_bit(5));
  EXPECT_EQ(commands.columns(0, true), bank_bit(5));
  EXPECT_EQ(commands.columns(0, false), bank_bit(3) | bank_bit(4));
  EXPECT_EQ(commands.last_reads(0), bank_bit(3)) << "bank 4 has another burst to come";
  EXPECT_EQ(commands.command(5), DramCommand::write);
  commands.clear(5);
  EXPECT_EQ(commands.columns(0, true), 0u);
  EXPECT_EQ(commands.legal(5), kNever);
}

}  // namespace
}  // namespace heddle::memory
