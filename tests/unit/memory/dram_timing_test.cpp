// SPDX-License-Identifier: Apache-2.0
#include "memory/dram_timing.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "memory/dram_bank_state.h"
#include "memory/dram_standard.h"

namespace heddle::memory {
namespace {

using enum DramCommand;

TEST(TimingNode, ACommandDelaysThoseItPrecedesByItsLatency) {
  const TimingRules rules({{DramLevel::kBank, {kActivate}, {kRead, kWrite}, 12}}, DramLevel::kBank);
  TimingNode node(rules);
  EXPECT_EQ(node.earliest(kRead), 0u);
  node.issued(kActivate, 100);
  EXPECT_EQ(node.earliest(kRead), 112u);
  EXPECT_EQ(node.earliest(kWrite), 112u);
  EXPECT_EQ(node.earliest(kPrecharge), 0u);
}

TEST(TimingNode, TheLongestOfSeveralConstraintsBinds) {
  const TimingRules rules(
      {{DramLevel::kBank, {kActivate}, {kPrecharge}, 28}, {DramLevel::kBank, {kRead}, {kPrecharge}, 2}},
      DramLevel::kBank);
  TimingNode node(rules);
  node.issued(kActivate, 0);
  node.issued(kRead, 12);
  EXPECT_EQ(node.earliest(kPrecharge), 28u);
  node.issued(kRead, 40);
  EXPECT_EQ(node.earliest(kPrecharge), 42u);
}

TEST(TimingNode, AWindowCountsFromTheFirstOfItsCommands) {
  const TimingRules rules({{DramLevel::kRank, {kActivate}, {kActivate}, 40, 4}}, DramLevel::kRank);
  TimingNode node(rules);
  for (Cycle t : {0, 6, 12}) node.issued(kActivate, t);
  EXPECT_EQ(node.earliest(kActivate), 0u) << "three do not fill the window";
  node.issued(kActivate, 18);
  EXPECT_EQ(node.earliest(kActivate), 40u);
  node.issued(kActivate, 40);
  EXPECT_EQ(node.earliest(kActivate), 46u);
}

TEST(TimingNode, AWindowOverSeveralFollowersCountsEachCommandOnce) {
  const TimingRules rules({{DramLevel::kRank, {kActivate}, {kActivate, kRead}, 40, 4}}, DramLevel::kRank);
  TimingNode node(rules);
  for (Cycle t : {0, 6, 12}) node.issued(kActivate, t);
  EXPECT_EQ(node.earliest(kActivate), 0u);
  EXPECT_EQ(node.earliest(kRead), 0u);
}

TEST(TimingNode, SiblingConstraintsBindTheOthersOnly) {
  const TimingRules rules({{DramLevel::kRank, {kRead}, {kRead}, 5, 1, true}}, DramLevel::kRank);
  TimingNode self(rules), other(rules);
  self.issued(kRead, 10);
  other.issued_beside(kRead, 10);
  EXPECT_EQ(self.earliest(kRead), 0u);
  EXPECT_EQ(other.earliest(kRead), 15u);
}

DramDevice gddr5() {
  Mechanism<DramStandard> standard("gddr5");
  return make(standard)->device();
}

class Gddr5Bank : public ::testing::Test {
 protected:
  DramDevice device_ = gddr5();
  TimingRules rules_{device_.constraints, DramLevel::kBank};
  BankState bank_{rules_, false};

  /// The command is refused one cycle before `first` and accepted in it.
  void legal_from(DramCommand command, Cycle first) {
    EXPECT_EQ(bank_.earliest(command), first);
    EXPECT_THROW(bank_.issue(command, 1, first - 1), Error);
    EXPECT_NO_THROW(bank_.issue(command, 1, first));
  }
};

TEST_F(Gddr5Bank, ReadIsLegalAtTrcdButNotOneCycleBefore) {
  bank_.issue(kActivate, 1, 100);
  legal_from(kRead, 112);
}

TEST_F(Gddr5Bank, PrechargeIsLegalAtTrasButNotOneCycleBefore) {
  bank_.issue(kActivate, 1, 100);
  legal_from(kPrecharge, 128);
}

TEST_F(Gddr5Bank, ActivateIsLegalAtTrpAfterPrechargeButNotOneCycleBefore) {
  bank_.issue(kActivate, 1, 100);
  bank_.issue(kPrecharge, 0, 150);
  legal_from(kActivate, 162);
}

TEST_F(Gddr5Bank, ActivateToActivateIsTrcEvenWhenPrechargeCameEarly) {
  bank_.issue(kActivate, 1, 100);
  bank_.issue(kPrecharge, 0, 128);
  legal_from(kActivate, 140);  // tRAS + tRP = tRC = 40
}

TEST_F(Gddr5Bank, PrechargeAfterWriteWaitsForTheDataAndTwr) {
  bank_.issue(kActivate, 1, 100);
  bank_.issue(kWrite, 1, 150);
  legal_from(kPrecharge, 150 + 4 + 2 + 12);  // tWL + burst + tWR
}

TEST_F(Gddr5Bank, PrechargeAfterReadWaitsForTrtp) {
  bank_.issue(kActivate, 1, 100);
  bank_.issue(kRead, 1, 150);
  legal_from(kPrecharge, 152);
}

TEST_F(Gddr5Bank, ColumnCommandsNeedAnOpenRow) {
  EXPECT_THROW(bank_.issue(kRead, 1, 1000), Error);
  EXPECT_THROW(bank_.issue(kPrecharge, 1, 1000), Error);
  bank_.issue(kActivate, 7, 1000);
  EXPECT_EQ(bank_.open_row(), 7u);
  EXPECT_THROW(bank_.issue(kActivate, 8, 2000), Error) << "a row is open";
}

}  // namespace
}  // namespace heddle::memory
