// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_timing.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "memory/dram/dram_bank_state.h"
#include "memory/dram/dram_standard.h"

namespace heddle::memory {
namespace {

TEST(TimingNode, ACommandDelaysThoseItPrecedesByItsLatency) {
  const TimingRules rules({{DramLevel::bank, {DramCommand::activate}, {DramCommand::read, DramCommand::write}, 12}},
                          DramLevel::bank);
  TimingNode node(rules);
  EXPECT_EQ(node.earliest(DramCommand::read), 0u);
  node.issued(DramCommand::activate, 100);
  EXPECT_EQ(node.earliest(DramCommand::read), 112u);
  EXPECT_EQ(node.earliest(DramCommand::write), 112u);
  EXPECT_EQ(node.earliest(DramCommand::precharge), 0u);
}

TEST(TimingNode, TheLongestOfSeveralConstraintsBinds) {
  const TimingRules rules({{DramLevel::bank, {DramCommand::activate}, {DramCommand::precharge}, 28},
                           {DramLevel::bank, {DramCommand::read}, {DramCommand::precharge}, 2}},
                          DramLevel::bank);
  TimingNode node(rules);
  node.issued(DramCommand::activate, 0);
  node.issued(DramCommand::read, 12);
  EXPECT_EQ(node.earliest(DramCommand::precharge), 28u);
  node.issued(DramCommand::read, 40);
  EXPECT_EQ(node.earliest(DramCommand::precharge), 42u);
}

TEST(TimingNode, AWindowCountsFromTheFirstOfItsCommands) {
  const TimingRules rules({{DramLevel::rank, {DramCommand::activate}, {DramCommand::activate}, 40, 4}},
                          DramLevel::rank);
  TimingNode node(rules);
  for (Cycle t : {0, 6, 12}) node.issued(DramCommand::activate, t);
  EXPECT_EQ(node.earliest(DramCommand::activate), 0u) << "three do not fill the window";
  node.issued(DramCommand::activate, 18);
  EXPECT_EQ(node.earliest(DramCommand::activate), 40u);
  node.issued(DramCommand::activate, 40);
  EXPECT_EQ(node.earliest(DramCommand::activate), 46u);
}

TEST(TimingNode, AWindowOverSeveralFollowersCountsEachCommandOnce) {
  const TimingRules rules(
      {{DramLevel::rank, {DramCommand::activate}, {DramCommand::activate, DramCommand::read}, 40, 4}}, DramLevel::rank);
  TimingNode node(rules);
  for (Cycle t : {0, 6, 12}) node.issued(DramCommand::activate, t);
  EXPECT_EQ(node.earliest(DramCommand::activate), 0u);
  EXPECT_EQ(node.earliest(DramCommand::read), 0u);
}

TEST(TimingNode, SiblingConstraintsBindTheOthersOnly) {
  const TimingRules rules({{DramLevel::rank, {DramCommand::read}, {DramCommand::read}, 5, 1, true}}, DramLevel::rank);
  TimingNode self(rules), other(rules);
  self.issued(DramCommand::read, 10);
  other.issued_beside(DramCommand::read, 10);
  EXPECT_EQ(self.earliest(DramCommand::read), 0u);
  EXPECT_EQ(other.earliest(DramCommand::read), 15u);
}

DramDevice gddr5_device() {
  Mechanism<DramStandard> standard("gddr5");
  return make(standard)->device();
}

class Gddr5Bank : public ::testing::Test {
 protected:
  DramDevice device_ = gddr5_device();
  TimingRules rules_{device_.constraints, DramLevel::bank};
  BankState bank_{rules_, false};

  /// The command is refused one cycle before `first` and accepted in it.
  void legal_from(DramCommand command, Cycle first) {
    EXPECT_EQ(bank_.earliest(command), first);
    EXPECT_THROW(bank_.issue(command, 1, first - 1), Error);
    EXPECT_NO_THROW(bank_.issue(command, 1, first));
  }
};

TEST_F(Gddr5Bank, ReadIsLegalAtTrcdButNotOneCycleBefore) {
  bank_.issue(DramCommand::activate, 1, 100);
  legal_from(DramCommand::read, 112);
}

TEST_F(Gddr5Bank, PrechargeIsLegalAtTrasButNotOneCycleBefore) {
  bank_.issue(DramCommand::activate, 1, 100);
  legal_from(DramCommand::precharge, 128);
}

TEST_F(Gddr5Bank, ActivateIsLegalAtTrpAfterPrechargeButNotOneCycleBefore) {
  bank_.issue(DramCommand::activate, 1, 100);
  bank_.issue(DramCommand::precharge, 0, 150);
  legal_from(DramCommand::activate, 162);
}

TEST_F(Gddr5Bank, ActivateToActivateIsTrcEvenWhenPrechargeCameEarly) {
  bank_.issue(DramCommand::activate, 1, 100);
  bank_.issue(DramCommand::precharge, 0, 128);
  legal_from(DramCommand::activate, 140);  // tRAS + tRP = tRC = 40
}

TEST_F(Gddr5Bank, PrechargeAfterWriteWaitsForTheDataAndTwr) {
  bank_.issue(DramCommand::activate, 1, 100);
  bank_.issue(DramCommand::write, 1, 150);
  legal_from(DramCommand::precharge, 150 + 4 + 2 + 12);  // tWL + burst + tWR
}

TEST_F(Gddr5Bank, PrechargeAfterReadWaitsForTrtp) {
  bank_.issue(DramCommand::activate, 1, 100);
  bank_.issue(DramCommand::read, 1, 150);
  legal_from(DramCommand::precharge, 152);
}

TEST_F(Gddr5Bank, ColumnCommandsNeedAnOpenRow) {
  EXPECT_THROW(bank_.issue(DramCommand::read, 1, 1000), Error);
  EXPECT_THROW(bank_.issue(DramCommand::precharge, 1, 1000), Error);
  bank_.issue(DramCommand::activate, 7, 1000);
  EXPECT_EQ(bank_.open_row(), 7u);
  EXPECT_THROW(bank_.issue(DramCommand::activate, 8, 2000), Error) << "a row is open";
}

}  // namespace
}  // namespace heddle::memory
