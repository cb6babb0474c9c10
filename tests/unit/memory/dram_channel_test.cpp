// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_channel.h"

#include "tests/unit/memory/channel_bench.h"

namespace heddle::memory {
namespace {

DramParameters gtx480() {
  DramParameters parameters;
  parameters.geometry = {1, 4, 4, 4096, 64};
  return parameters;
}

DramParameters hit_conflict() {
  DramParameters parameters;
  parameters.geometry = {1, 1, 8, 4096, 128};
  parameters.standard.choose("hit_conflict");
  return parameters;
}

TEST(DramChannel, UnloadedReadOfAClosedBankTakesTrcdPlusTclPlusTheBurst) {
  Channel channel(gtx480());
  channel.add(0, 5, 1);
  channel.run(100);
  EXPECT_EQ(channel.log_, (std::vector<Issued>{{100, DramCommand::activate, 0, 5}, {112, DramCommand::read, 0, 5}}));
  EXPECT_EQ(channel.done_[1], 100u + 12 + 12 + 2);
  EXPECT_EQ(channel->counts().row_closed.value(), 1u);
}

TEST(DramChannel, RowHitTakesTclPlusTheBurst) {
  Channel channel(gtx480());
  channel.add(0, 5, 1);
  channel.run(100);
  channel.add(0, 5, 2);
  channel.run(200);
  EXPECT_EQ(channel.done_[2], 200u + 12 + 2);
  EXPECT_EQ(channel->counts().row_hits.value(), 1u);
}

TEST(DramChannel, RowConflictPrechargesActivatesReads) {
  Channel channel(gtx480());
  channel.add(0, 5, 1);
  channel.run(100);
  channel.log_.clear();
  channel.add(0, 6, 2);
  channel.run(200);
  EXPECT_EQ(channel.log_, (std::vector<Issued>{{200, DramCommand::precharge, 0, 5},
                                               {212, DramCommand::activate, 0, 6},
                                               {224, DramCommand::read, 0, 6}}));
  EXPECT_EQ(channel.done_[2], 224u + 12 + 2);
  EXPECT_EQ(channel->counts().row_conflicts.value(), 1u);
}

TEST(DramChannel, ARequestOfTwoBurstsReadsTwiceInItsBankGroupInterval) {
  Channel channel(gtx480());
  channel.add(0, 5, 1, false, 2);
  channel.run(100);
  EXPECT_EQ(channel.log_, (std::vector<Issued>{{100, DramCommand::activate, 0, 5},
                                               {112, DramCommand::read, 0, 5},
                                               {115, DramCommand::read, 0, 5}}));  // tCCDL = 3
  EXPECT_EQ(channel.done_[1], 115u + 12 + 2);
}

TEST(DramChannel, BankGroupsTakeTurnsToKeepTheDataBusFull) {
  Channel channel(gtx480());
  for (std::uint32_t i = 0; i < 32; ++i) channel.add(i % 2 == 0 ? 0 : 4, 5, i);  // groups 0 and 1
  channel.run(100);
  Cycle first = kNever, last = 0;
  unsigned reads = 0;
  for (const auto& issued : channel.log_) {
    if (issued.command != DramCommand::read) continue;
    ++reads;
    first = std::min(first, issued.cycle);
    last = std::max(last, issued.cycle);
  }
  EXPECT_EQ(reads, 32u);
  // The second bank opens tRRD = 6 later; from then on one burst every tCCD = 2.
  EXPECT_LE(last - first, 31 * 2u + 6);
}

TEST(DramChannel, OneBankGroupStreamsAtTccdl) {
  Channel channel(gtx480());
  for (std::uint32_t i = 0; i < 32; ++i) channel.add(0, 5, i);
  channel.run(100);
  EXPECT_EQ(channel.log_.back().cycle - channel.log_[1].cycle, 31 * 3u);
}

TEST(DramChannel, ActivatesOfDifferentBanksAreTrrdApart) {
  Channel channel(gtx480());
  channel.add(0, 1, 1);
  channel.add(4, 1, 2);
  channel.run(100);
  EXPECT_EQ(channel.log_[0], (Issued{100, DramCommand::activate, 0, 1}));
  EXPECT_EQ(channel.log_[1], (Issued{106, DramCommand::activate, 4, 1}));
}

TEST(DramChannel, TheFifthActivateWaitsForTheWindowOfFour) {
  Channel channel(gtx480(), {{DramLevel::rank, {DramCommand::activate}, {DramCommand::activate}, 30, 4}});
  for (unsigned bank = 0; bank < 5; ++bank) channel.add(4 * bank % 16 + bank / 4, 1, bank);
  channel.run(100);
  std::vector<Cycle> activates;
  for (const Issued& issued : channel.log_) {
    if (issued.command == DramCommand::activate) activates.push_back(issued.cycle);
  }
  EXPECT_EQ(activates, (std::vector<Cycle>{100, 106, 113, 119, 130})) << "the first read takes the bus in 112";
}

TEST(DramChannel, ASiblingConstraintHoldsForTheOtherRankOnly) {
  auto parameters = gtx480();
  parameters.geometry.ranks = 2;
  for (const unsigned other : {4u, 16u}) {  // another group of the rank, the other rank
    Channel channel(parameters, {{DramLevel::rank, {DramCommand::read}, {DramCommand::read}, 9, 1, true}});
    channel.add(0, 1, 0);
    channel.add(other, 1, 1);
    channel.run(100);
    channel.log_.clear();
    channel.add(0, 1, 2);
    channel.add(other, 1, 3);
    channel.run(200);
    EXPECT_EQ(channel.log_, (std::vector<Issued>{{200, DramCommand::read, 0, 1},
                                                 {other == 16 ? 209u : 202u, DramCommand::read, other, 1}}));
  }
}

TEST(DramChannel, ReadAfterWriteWaitsForTheDataAndTcdlr) {
  Channel channel(gtx480());
  channel.add(0, 5, 1, true);
  channel.run(100);
  channel.add(0, 5, 2);
  channel.run(113);
  EXPECT_EQ(channel.log_[1], (Issued{112, DramCommand::write, 0, 5}));
  EXPECT_EQ(channel.log_[2], (Issued{112 + 4 + 2 + 5, DramCommand::read, 0, 5}));
  EXPECT_EQ(channel.done_[1], 112u + 4 + 2);
}

TEST(DramChannel, WriteAfterReadWaitsForTheBusToTurn) {
  Channel channel(gtx480());
  channel.add(0, 5, 1);
  channel.run(100);
  channel.add(0, 5, 2, true);
  channel.run(113);
  EXPECT_EQ(channel.log_[2], (Issued{112 + 12 + 2 + 2 - 4, DramCommand::write, 0, 5}));
}

TEST(DramChannel, FrFcfsServesARowHitBeforeAnOlderConflict) {
  Channel channel(gtx480());
  channel.add(0, 5, 1);
  channel.run(100);
  channel.log_.clear();
  channel.add(0, 6, 2);
  channel.add(0, 5, 3);
  channel.run(200);
  EXPECT_EQ(channel.log_[0], (Issued{200, DramCommand::read, 0, 5}));
  EXPECT_LT(channel.done_[3], channel.done_[2]);
}

TEST(DramChannel, FcfsServesTheOlderConflictFirst) {
  auto parameters = gtx480();
  parameters.scheduler.choose("fcfs");
  Channel channel(parameters);
  channel.add(0, 5, 1);
  channel.run(100);
  channel.log_.clear();
  channel.add(0, 6, 2);
  channel.add(0, 5, 3);
  channel.run(200);
  EXPECT_EQ(channel.log_[0], (Issued{200, DramCommand::precharge, 0, 5}));
  EXPECT_LT(channel.done_[2], channel.done_[3]);
  EXPECT_EQ(channel->counts().row_conflicts.value(), 2u);
}

TEST(DramChannel, TheClosedPolicyPrechargesWhenNobodyWaitsForTheRow) {
  auto parameters = gtx480();
  parameters.row_policy.choose("closed");
  Channel channel(parameters);
  channel.add(0, 5, 1);
  channel.add(0, 5, 2);
  channel.run(100);
  ASSERT_EQ(channel.log_.size(), 4u);
  EXPECT_EQ(channel.log_[2], (Issued{115, DramCommand::read, 0, 5})) << "a waiting hit keeps the row";
  EXPECT_EQ(channel.log_[3], (Issued{128, DramCommand::precharge, 0, 5})) << "tRAS after the activate";
}

TEST(DramChannel, ARequestThatComesInTimeKeepsARowAboutToBeClosed) {
  auto parameters = gtx480();
  parameters.row_policy.choose("closed");
  Channel channel(parameters);
  channel.add(0, 5, 1);
  channel.run(100, 120);
  channel.add(0, 5, 2);
  channel.run(121);
  EXPECT_EQ(channel->counts().row_hits.value(), 1u);
}

TEST(DramChannel, OneCommandACycle) {
  Channel channel(gtx480());
  for (std::uint32_t i = 0; i < 64; ++i) channel.add(i % 16, i / 16, i);
  channel.run(100);
  for (std::size_t i = 1; i < channel.log_.size(); ++i) EXPECT_GT(channel.log_[i].cycle, channel.log_[i - 1].cycle);
  EXPECT_EQ(channel.done_.size(), 64u);
}

TEST(DramChannel, AFullReturnQueueHoldsReadsUntilAReplyLeaves) {
  auto parameters = gtx480();
  parameters.return_entries = 1;
  Channel channel(parameters);
  channel.returns_ = false;
  channel.add(0, 5, 1);
  channel.add(0, 5, 2);
  channel.run(100);
  EXPECT_EQ(channel.done_.size(), 1u);
  channel->returned();
  channel.run(500);
  EXPECT_EQ(channel.done_[2], 500u + 12 + 2);
}

TEST(HitConflict, TakesThePublishedTimes) {
  Channel channel(hit_conflict());
  channel.add(0, 5, 1);
  channel.run(1000);
  EXPECT_EQ(channel.done_[1], 1300u) << "the first access to a bank counts as a conflict";
  channel.add(0, 5, 2);
  channel.run(2000);
  EXPECT_EQ(channel.done_[2], 2100u);
  channel.add(0, 6, 3);
  channel.run(3000);
  EXPECT_EQ(channel.done_[3], 3300u);
}

TEST(HitConflict, HitsThatWaitForTheOpenRowFollowAtTheRateOfTheBus) {
  Channel channel(hit_conflict());
  channel.add(0, 5, 1);
  channel.run(1000);
  for (std::uint32_t i = 2; i < 10; ++i) channel.add(0, 5, i);
  channel.run(2000);
  for (std::uint32_t i = 2; i < 10; ++i) EXPECT_EQ(channel.done_[i], 2100u + 4 * (i - 2));
}

TEST(HitConflict, AnIsolatedHitKeepsTheBankForItsWholeTime) {
  Channel channel(hit_conflict());
  channel.add(0, 5, 1);
  channel.run(1000);
  channel.add(0, 5, 2);
  channel.run(2000, 2000);
  channel.add(0, 6, 3);
  channel.run(2001);
  EXPECT_EQ(channel.done_[3], 2000u + 100 + 300);
}

TEST(HitConflict, BanksWorkSideBySideAndShareTheBus) {
  Channel channel(hit_conflict());
  for (std::uint32_t bank = 0; bank < 8; ++bank) channel.add(bank, 1, bank);
  channel.run(1000);
  for (std::uint32_t bank = 0; bank < 8; ++bank) EXPECT_EQ(channel.done_[bank], 1300u + 4 * bank);
}

}  // namespace
}  // namespace heddle::memory
