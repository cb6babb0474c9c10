// SPDX-License-Identifier: Apache-2.0
// Schedulers, row policies, refresh and the write queue, tested by command lists, with GDDR5 timings and with the hit-
// conflict memory.
#include <gtest/gtest.h>

#include <functional>

#include "core/error.h"
#include "memory/dram/row_hold.h"
#include "tests/unit/memory/channel_bench.h"

namespace heddle::memory {
namespace {

const std::map<std::string, std::int64_t> kGddr5 = {
    {"tCL", 12}, {"tWL", 4},   {"burst_cycles", 2}, {"tRCDRD", 12},  {"tRCDWR", 12}, {"tRP", 12},    {"tRAS", 28},
    {"tRC", 40}, {"tRRDS", 6}, {"tRRDL", 6},        {"tCCDS", 2},    {"tCCDL", 3},   {"tWTRS", 5},   {"tWTRL", 5},
    {"tWR", 12}, {"tRTP", 2},  {"tRTRS", 1},        {"tREFI", 3604}, {"tRFCab", 61}, {"tRFCpb", 31}, {"tRREFD", 6}};

DramParameters gddr5_with(const std::vector<std::string>& settings = {}) {
  DramParameters parameters;
  parameters.geometry = {1, 4, 4, 4096, 64};
  return configured(parameters, settings);
}

/// The machine of the source of the hints.
DramParameters hits_and_conflicts(const std::vector<std::string>& settings) {
  DramParameters parameters;
  parameters.geometry = {1, 1, 8, 4096, 128};
  parameters.standard.choose("hit_conflict");
  return configured(parameters, settings);
}

unsigned count(const Channel& channel, DramCommand command) {
  return static_cast<unsigned>(std::count_if(channel.log_.begin(), channel.log_.end(),
                                             [command](const Issued& issued) { return issued.command == command; }));
}

std::vector<Cycle> times(const Channel& channel, DramCommand command) {
  std::vector<Cycle> found;
  for (const auto& issued : channel.log_) {
    if (issued.command == command) found.push_back(issued.cycle);
  }
  return found;
}

DramRequest request(std::uint32_t token, std::uint64_t row, std::uint32_t column, bool write, unsigned bank = 0) {
  DramRequest made;
  made.token = token;
  made.row = row;
  made.column = column;
  made.write = write;
  made.bank = static_cast<std::uint8_t>(bank);
  return made;
}

// ------------------------------------------------------------------------------------------------ schedulers

/// One request to another row, then ten to the open row.
Channel& stream_before_a_conflict(Channel& channel) {
  channel.add(0, 1, 0);
  channel.run(1000);
  channel.add(0, 2, 99);
  for (std::uint32_t i = 1; i <= 10; ++i) channel.add(0, 1, i);
  channel.run(2000);
  return channel;
}

TEST(FrFcfs, AStreamPassesTheOlderConflict) {
  Channel channel(gddr5_with());
  stream_before_a_conflict(channel);
  EXPECT_GT(channel.done_[99], channel.done_[10]);
}

TEST(FrFcfsCap, SoManyPassAndNoMore) {
  Channel channel(gddr5_with({"scheduler=fr_fcfs_cap", "fr_fcfs_cap.cap=3"}));
  channel.check(gddr5_with(), kGddr5);
  stream_before_a_conflict(channel);
  EXPECT_GT(channel.done_[99], channel.done_[3]);
  EXPECT_LT(channel.done_[99], channel.done_[4]);
  EXPECT_EQ(channel.faults(), "");
  // After the conflict the others' row is opened again, and no older request waits.
  EXPECT_EQ(count(channel, DramCommand::activate), 3u);
}

// ------------------------------------------------------------------------------------------------ row policies

TEST(TimeoutRow, ClosesARowThatNobodyHasWantedForSoLong) {
  Channel channel(gddr5_with({"row_policy=timeout", "timeout.cycles=50"}));
  channel.add(0, 1, 1);
  channel.run(1000);
  EXPECT_EQ(times(channel, DramCommand::precharge), std::vector<Cycle>{1012 + 50});
}

TEST(TimeoutRow, StartsAnewWithEveryRequest) {
  Channel channel(gddr5_with({"row_policy=timeout", "timeout.cycles=50"}));
  channel.add(0, 1, 1);
  channel.run(1000, 1040);
  channel.add(0, 1, 2);
  channel.run(1041);
  EXPECT_EQ(times(channel, DramCommand::precharge), std::vector<Cycle>{1041 + 50});
}

TEST(AdaptiveRow, WaitsLongerAfterARowWasClosedTooEarlyAndLessAfterAConflict) {
  Channel channel(gddr5_with({"row_policy=adaptive", "adaptive.first=40", "adaptive.step=10", "adaptive.most=200"}));
  channel.add(0, 1, 1);
  channel.run(1000, 1900);
  EXPECT_EQ(times(channel, DramCommand::precharge), std::vector<Cycle>{1012 + 40});
  channel.add(0, 1, 2);  // the same row again: closed too early
  channel.run(2000, 2900);
  EXPECT_EQ(times(channel, DramCommand::precharge).back(), 2012u + 50);
  channel.add(0, 2, 3);  // another row of a closed bank: neither
  channel.run(3000, 3900);
  EXPECT_EQ(times(channel, DramCommand::precharge).back(), 3012u + 50);
  channel.add(0, 3, 4);
  channel.run(4000, 4030);
  channel.add(0, 4, 5);  // another row while one is open: open too long
  channel.run(4031, 4900);
  const auto closed = times(channel, DramCommand::precharge);
  EXPECT_EQ(closed.back() - times(channel, DramCommand::read).back(), 40u);
}

TEST(AdaptiveRow, AtItsLongestKeepsTheRowOpen) {
  Channel channel(gddr5_with({"row_policy=adaptive", "adaptive.first=60", "adaptive.most=60"}));
  channel.add(0, 1, 1);
  channel.run(1000);
  EXPECT_EQ(count(channel, DramCommand::precharge), 0u);
}

// ------------------------------------------------------------------------------------------------ row hold

constexpr Cycle kHit = 100, kConflict = 300;

/// A (row 1, hinted) in cycle 1000, B (row 2) ten cycles later, A' (row 1) in cycle 1000 + late: when each is done.
struct Timeline {
  Cycle a, b, again;
  std::uint64_t hits;
};
Timeline timeline(const std::vector<std::string>& settings, Cycle late) {
  std::vector<std::string> all{"scheduler=fr_fcfs_hold"};
  all.insert(all.end(), settings.begin(), settings.end());
  Channel channel(hits_and_conflicts(all));
  DramRequest a = request(1, 1, 0, false), b = request(2, 2, 0, false), again = request(3, 1, 1, false);
  a.keep_row_open = true;
  channel.add(a);
  channel.run(1000, 1009);
  channel.add(b);
  channel.run(1010, 1000 + late - 1);
  channel.add(again);
  channel.run(1000 + late);
  return {channel.done_[1] - 1000, channel.done_[2] - 1000, channel.done_[3] - 1000,
          channel->counts().row_hits.value()};
}

TEST(RowHold, TheBankWaitsForTheHintedRow) {
  const Timeline held = timeline({}, 345);
  EXPECT_EQ(held.a, kConflict);
  EXPECT_EQ(held.again, 445u);
  EXPECT_EQ(held.b, 745u);
  EXPECT_EQ(held.hits, 1u);
}

TEST(RowHold, AtItsDeadlineAHitStillWins) {
  const Timeline held = timeline({}, 500);
  EXPECT_EQ(held.again, 600u);
  EXPECT_EQ(held.b, 900u);
  EXPECT_EQ(held.hits, 1u);
}

TEST(RowHold, AfterItsDeadlineTheOldestIsServed) {
  const Timeline held = timeline({}, 550);
  EXPECT_EQ(held.b, 800u);
  EXPECT_EQ(held.again, 1100u);
  EXPECT_EQ(held.hits, 0u);
}

TEST(RowHold, WithAThresholdOfNothingIsPlainFrFcfs) {
  const Timeline held = timeline({"fr_fcfs_hold.hold_by_latency=false", "fr_fcfs_hold.hold_threshold=0"}, 345);
  EXPECT_EQ(held.b, 600u);
  EXPECT_EQ(held.again, 900u);
  EXPECT_EQ(held.hits, 0u);
}

TEST(RowHold, AnotherHintRenewsItAndARequestWithoutReleasesIt) {
  Channel channel(hits_and_conflicts({"scheduler=fr_fcfs_hold"}));
  DramRequest hinted = request(1, 1, 0, false);
  hinted.keep_row_open = true;
  channel.add(hinted);
  channel.run(1000, 1349);
  channel.add(request(9, 2, 0, false));
  hinted.token = 2;
  channel.add(hinted);
  channel.run(1350, 1600);
  EXPECT_EQ(channel.done_[2], 1450u);
  EXPECT_EQ(channel.done_.count(9), 0u) << "held until 1650";
  channel.add(request(3, 1, 1, false));
  channel.run(1601);
  EXPECT_EQ(channel.done_[3], 1701u);
  EXPECT_EQ(channel.done_[9], 1701u + kConflict);
}

TEST(RowHold, IsRenewedSoOftenWhileAnOlderOneWaits) {
  RowHold hold;
  unsigned renewed = 0;
  hold.hint(1, 100, 200, true, 16);
  while (hold.hint(1, 100, 200, true, 16)) ++renewed;
  EXPECT_EQ(renewed, 16u);
  EXPECT_FALSE(hold.held());
}

TEST(RowHold, IsRenewedForEverWhileNobodyElseWaits) {
  RowHold hold;
  for (unsigned i = 0; i < 1000; ++i) EXPECT_TRUE(hold.hint(1, 100 * i, 200, false, 16));
}

TEST(RowHold, LeavesOtherBanksAlone) {
  Channel channel(hits_and_conflicts({"scheduler=fr_fcfs_hold"}));
  DramRequest hinted = request(1, 1, 0, false);
  hinted.keep_row_open = true;
  channel.add(hinted);
  channel.run(1000, 1309);
  channel.add(request(2, 7, 0, false, 3));
  channel.run(1310);
  EXPECT_EQ(channel.done_[2], 1310u + kConflict);
}

// ------------------------------------------------------------------------------------------------ write queue

const std::vector<std::string> kWriteQueue = {"write_queue_entries=8", "write_drain_high=6", "write_drain_low=2"};

TEST(WriteQueue, WritesWaitWhileReadsAreThereUntilTheHighMark) {
  Channel channel(gddr5_with(kWriteQueue));
  channel.check(gddr5_with(), kGddr5);
  for (std::uint32_t i = 0; i < 5; ++i) channel.add(request(100 + i, 1, i, true));
  for (std::uint32_t i = 0; i < 20; ++i) channel.add(request(i, 2, i, false));
  channel.run(1000);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_GT(channel.done_[100 + i], channel.done_[19]);
  EXPECT_EQ(channel->counts().write_drains.value(), 0u) << "they went because no read waited";
  EXPECT_EQ(channel->counts().turnarounds.value(), 1u);
  EXPECT_EQ(channel.faults(), "");
}

TEST(WriteQueue, FromTheHighMarkItIsDrainedToTheLowOne) {
  Channel channel(gddr5_with(kWriteQueue));
  channel.check(gddr5_with(), kGddr5);
  for (std::uint32_t i = 0; i < 6; ++i) channel.add(request(100 + i, 1, i, true));
  for (std::uint32_t i = 0; i < 20; ++i) channel.add(request(i, 2, i, false));
  channel.run(1000);
  unsigned before = 0;
  for (std::uint32_t i = 0; i < 6; ++i) before += channel.done_[100 + i] < channel.done_[0] ? 1 : 0;
  EXPECT_EQ(before, 4u);
  EXPECT_EQ(channel->counts().write_drains.value(), 1u);
  EXPECT_EQ(channel.faults(), "");
}

TEST(WriteQueue, HasItsOwnPlaces) {
  Channel channel(gddr5_with(kWriteQueue));
  for (std::uint32_t i = 0; i < 8; ++i) channel.add(request(i, 1, i, true));
  EXPECT_TRUE(channel->full(true));
  EXPECT_FALSE(channel->full(false));
}

TEST(WriteQueue, AnswersAReadOfWhatItHolds) {
  Channel channel(gddr5_with(kWriteQueue));
  channel.add(request(100, 1, 4, true));
  channel.add(request(1, 1, 4, false));
  channel.run(1000);
  EXPECT_EQ(channel.done_[1], 1000u);
  EXPECT_EQ(channel->counts().forwarded.value(), 1u);
  EXPECT_EQ(count(channel, DramCommand::read), 0u);
}

TEST(WriteQueue, AReadOfPartOfAWriteFollowsIt) {
  Channel channel(gddr5_with(kWriteQueue));
  channel.check(gddr5_with(), kGddr5);
  DramRequest write = request(100, 1, 4, true);
  write.whole = false;
  channel.add(write);
  for (std::uint32_t i = 0; i < 20; ++i) channel.add(request(i, 2, i, false));
  channel.add(request(50, 1, 4, false));
  channel.run(1000);
  EXPECT_LT(channel.done_[100], channel.done_[50]);
  EXPECT_LT(channel.done_[50], channel.done_[19]) << "it is not put off with the writes";
  EXPECT_EQ(channel->counts().forwarded.value(), 0u);
  EXPECT_EQ(channel.faults(), "");
}

TEST(WriteQueue, ALowMarkOfNothingEmptiesItAndReadsGoOn) {
  Channel channel(gddr5_with({"write_queue_entries=8", "write_drain_high=4", "write_drain_low=0"}));
  for (std::uint32_t i = 0; i < 4; ++i) channel.add(request(100 + i, 1, i, true));
  for (std::uint32_t i = 0; i < 3; ++i) channel.add(request(i, 2, i, false));
  channel.run(1000);
  EXPECT_EQ(channel.done_.size(), 7u);
  EXPECT_GT(channel.done_[0], channel.done_[103]);
}

// ------------------------------------------------------------------------------------------------ refresh

TEST(Refresh, OfAnIdleRankComesEveryInterval) {
  Channel channel(gddr5_with({"refresh=all_bank"}));
  channel.check(gddr5_with({"refresh=all_bank"}), kGddr5);
  channel.run(0, 3604 * 10 + 100);
  const auto refreshes = times(channel, DramCommand::refresh_all);
  ASSERT_EQ(refreshes.size(), 10u);
  for (std::size_t i = 0; i < refreshes.size(); ++i) EXPECT_EQ(refreshes[i], 3604 * (i + 1));
  channel.checker().finish(3604 * 10 + 100);
  EXPECT_EQ(channel.faults(), "");
}

/// An endless stream of requests to different rows for the given time.
void keep_busy(Channel& channel, Cycle until, unsigned banks = 16) {
  std::uint32_t added = 0;
  for (Cycle now = 0; now <= until; ++now) {
    while (channel->queue().size() < 32) {
      channel.add(request(added, added / 64, added % 64, false, added % banks));
      ++added;
    }
    channel.step(now);
  }
}

TEST(Refresh, ClosesTheRowsOfABusyRankFirst) {
  Channel channel(gddr5_with({"refresh=all_bank"}));
  channel.check(gddr5_with({"refresh=all_bank"}), kGddr5);
  keep_busy(channel, 3604 * 20 + 100);
  EXPECT_EQ(count(channel, DramCommand::refresh_all), 20u);
  EXPECT_EQ(count(channel, DramCommand::precharge_all), 20u);
  for (const Cycle at : times(channel, DramCommand::refresh_all)) EXPECT_LE(at % 3604, 100u) << "not put off";
  channel.checker().finish(3604 * 20);
  EXPECT_EQ(channel.faults(), "");
}

TEST(Refresh, IsPutOffWhileRequestsWaitAndMadeUpForWhenTheyDoNot) {
  const auto parameters = gddr5_with({"refresh=all_bank", "all_bank.postpone=8"});
  Channel channel(parameters);
  keep_busy(channel, 3604 * 8 + 1000);
  EXPECT_EQ(count(channel, DramCommand::refresh_all), 0u);
  channel.run(3604 * 8 + 1001, 3604 * 9 - 1);
  EXPECT_EQ(count(channel, DramCommand::refresh_all), 8u) << "one after the other once nobody waits";
}

TEST(Refresh, CannotBePutOffForEver) {
  Channel channel(gddr5_with({"refresh=all_bank", "all_bank.postpone=8"}));
  keep_busy(channel, 3604 * 30 + 100);
  EXPECT_EQ(count(channel, DramCommand::refresh_all), 22u);
  EXPECT_GE(times(channel, DramCommand::refresh_all).front(), 3604u * 9);
}

TEST(Refresh, IsTakenAheadOnAnIdleRankAndSparedLater) {
  Channel channel(gddr5_with({"refresh=all_bank", "all_bank.pull_in=4"}));
  channel.run(0, 1000);
  EXPECT_EQ(count(channel, DramCommand::refresh_all), 4u);
  const auto ahead = times(channel, DramCommand::refresh_all);
  for (std::size_t i = 1; i < ahead.size(); ++i) EXPECT_EQ(ahead[i] - ahead[i - 1], 61u) << "tRFC";
  for (Cycle now = 1001; now <= 3604 * 4 + 1000; ++now) {
    if (channel->queue().size() < 8) channel.add(request(static_cast<std::uint32_t>(now), now, 0, false));
    channel.step(now);
  }
  EXPECT_EQ(count(channel, DramCommand::refresh_all), 4u);
}

TEST(Refresh, BankByBankLeavesTheOthersAtWork) {
  const auto parameters = gddr5_with({"refresh=per_bank"});
  Channel channel(parameters);
  channel.check(parameters, kGddr5);
  keep_busy(channel, 3604 * 20, 15);  // bank 15 gets no requests
  EXPECT_NEAR(count(channel, DramCommand::refresh_bank), 16 * 20, 1);
  std::map<unsigned, unsigned> by_bank;
  for (const auto& issued : channel.log_) {
    if (issued.command == DramCommand::refresh_bank) ++by_bank[issued.bank];
  }
  for (unsigned bank = 0; bank < 16; ++bank) EXPECT_NEAR(by_bank[bank], 20, 1) << bank;
  channel.checker().finish(3604 * 20);
  EXPECT_EQ(channel.faults(), "");
  EXPECT_EQ(count(channel, DramCommand::precharge_all), 0u);
}

TEST(Refresh, OfRanksComesInTurns) {
  DramParameters two = gddr5_with({"refresh=all_bank"});
  two.geometry.ranks = 2;
  Channel channel(two);
  channel.run(0, 3604 * 4);
  std::vector<unsigned> ranks;
  for (const auto& issued : channel.log_) ranks.push_back(issued.bank / 16);
  EXPECT_EQ(ranks, (std::vector<unsigned>{1, 0, 1, 0, 1, 0, 1, 0}));
}

TEST(Refresh, NeedsAMemoryThatStatesItsInterval) {
  EXPECT_THROW(hits_and_conflicts({"refresh=all_bank"}), Error);
  EXPECT_THROW(gddr5_with({"refresh=per_bank", "gddr5.tRFCpb=0"}), Error);
}

// ------------------------------------------------------------------------------------------------ everything at once

TEST(DramPolicies, EveryCombinationServesEverythingLegally) {
  std::uint64_t state = 7;
  const auto draw = [&state](unsigned below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<unsigned>((state >> 33) % below);
  };
  for (const char* standard : {"gddr3", "gddr5", "gddr6", "hbm2"}) {
    for (const char* scheduler : {"fcfs", "fr_fcfs", "fr_fcfs_cap", "fr_fcfs_hold"}) {
      for (const char* row_policy : {"open", "closed", "timeout", "adaptive"}) {
        for (const char* refresh : {"none", "all_bank", "per_bank"}) {
          for (const unsigned writes : {0u, 16u}) {
            if (std::string(standard) == "gddr3" && std::string(refresh) == "per_bank") continue;
            SCOPED_TRACE(std::string(standard) + " " + scheduler + " " + row_policy + " " + refresh);
            DramParameters p;
            p.geometry = {2, standard == std::string("gddr3") ? 1u : 4u, 4, 2048, 32};
            p = configured(p,
                           {std::string("standard=") + standard, std::string("scheduler=") + scheduler,
                            std::string("row_policy=") + row_policy, std::string("refresh=") + refresh,
                            "write_queue_entries=" + std::to_string(writes), "write_drain_high=12", "write_drain_low=4",
                            "queue_entries=24", std::string("turns=") + (draw(2) == 0 ? "by_age" : "batched"),
                            std::string("write_mode_to_low=") + (draw(2) == 0 ? "true" : "false"),
                            std::string("age_cap=") + (draw(2) == 0 ? "0" : "400")});
            Channel channel(p);
            channel.check(p);
            std::uint32_t added = 0;
            Cycle now = 0;
            for (; channel.done_.size() < 600 && now < 200000; ++now) {
              // Bursts of requests and gaps.
              while (added < 600 && (now / 512) % 2 == 0) {
                DramRequest r = request(added, draw(3), draw(16), draw(3) == 0, draw(p.geometry.banks()));
                r.bursts = static_cast<std::uint16_t>(1 + draw(3));
                r.keep_row_open = !r.write && draw(2) == 0;
                r.whole = draw(4) != 0;
                r.arrival = now;
                if (channel->full(r.write)) break;
                channel.add(r);
                ++added;
              }
              channel.step(now);
            }
            EXPECT_EQ(channel.done_.size(), 600u);
            channel.checker().finish(static_cast<std::int64_t>(now));
            EXPECT_EQ(channel.faults(), "");
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace heddle::memory
