// SPDX-License-Identifier: Apache-2.0
#include "core/statistics/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/statistics/slot_account.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

TEST(Counter, CountsAndSumsInTheOwnersArray) {
  StatisticsOwner owner{"test"};
  StatisticsGroup group{owner, "issue"};
  Counter first{group, "first", "first events", unit::kEvents};
  Counter second{group, "second", "second events", unit::kEvents};
  ++first;
  ++second;
  second += 41;
  EXPECT_EQ(first.value(), 1u);
  EXPECT_EQ(second.value(), 42u);
  EXPECT_EQ(owner.size(), 2u);
  EXPECT_EQ(owner.data()[second.number()], 42u);
}

TEST(Counter, IsFoundByItsNameBelowTheOwner) {
  StatisticsOwner owner{"test"};
  StatisticsGroup group{owner, "issue"};
  Counter first{group, "first", "first events", unit::kEvents};
  Counter second{group, "second", "second events", unit::kEvents};
  EXPECT_EQ(owner.number_of("issue.second"), second.number());
  EXPECT_THROW(owner.number_of("issue.third"), Error);
}

TEST(Counter, NeedsANameASentenceAndIsUniqueInItsOwner) {
  StatisticsOwner owner{"test"};
  StatisticsGroup group{owner, "issue"};
  Counter issued{group, "issued", "instructions issued", unit::kInstructions};
  EXPECT_THROW((Counter{group, "issued", "again", unit::kInstructions}), Error);
  EXPECT_THROW((Counter{group, "silent", "", unit::kInstructions}), Error);
  EXPECT_THROW((Counter{group, "", "nameless", unit::kInstructions}), Error);
  StatisticsGroup nested{group, "l1d"};
  Counter inner{nested, "issued", "the same name one group further down", unit::kInstructions};
  EXPECT_EQ(owner.declarations().back().name, "issue.l1d.issued");
}

TEST(Counter, KeepsItsPlaceWhileManyOthersRegister) {
  StatisticsOwner owner{"test"};
  StatisticsGroup group{owner, "g"};
  Counter first{group, "first", "first events", unit::kEvents};
  for (int i = 0; i < 5000; ++i) {
    Counter other{group, "c" + std::to_string(i), "other events", unit::kEvents};
    ++other;
  }
  ++first;
  EXPECT_EQ(first.value(), 1u);
  EXPECT_EQ(first.number(), 0u);
}

TEST(Histogram, LinearBucketsTakeValuesFromTheirBoundsAndEndsTakeTheRest) {
  StatisticsOwner owner{"test"};
  StatisticsGroup group{owner, "g"};
  Histogram lanes{group, "lanes", "active lanes", unit::kLanes, Buckets::linear(1, 4, 8)};
  lanes.record(1);
  lanes.record(4);
  lanes.record(5);
  lanes.record(32);
  lanes.record(99);
  lanes.record(0);
  EXPECT_EQ(lanes.bucket(0), 3u);
  EXPECT_EQ(lanes.bucket(1), 1u);
  EXPECT_EQ(lanes.bucket(7), 2u);
  EXPECT_EQ(lanes.total(), 6u);
  EXPECT_EQ(owner.declarations()[0].labels[0], "1-4");
  EXPECT_EQ(owner.declarations()[0].labels[7], "29-32");
  EXPECT_EQ(StatisticsView(owner.data()).mean(lanes), (1 + 4 + 5 + 32 + 99) / 6.0);
}

TEST(Histogram, PowersOfTwoStartAtZeroAndEndOpen) {
  StatisticsOwner owner{"test"};
  StatisticsGroup group{owner, "g"};
  Histogram waits{group, "waits", "cycles waited", unit::kCycles, Buckets::powers_of_two(5)};
  for (std::uint64_t value : {0, 1, 2, 3, 4, 7, 8, 1000}) waits.record(value);
  EXPECT_THAT(owner.declarations()[0].labels, ElementsAre("0", "1", "2-3", "4-7", "8+"));
  EXPECT_EQ(waits.bucket(0), 1u);
  EXPECT_EQ(waits.bucket(1), 1u);
  EXPECT_EQ(waits.bucket(2), 2u);
  EXPECT_EQ(waits.bucket(3), 2u);
  EXPECT_EQ(waits.bucket(4), 2u);
}

TEST(Derived, IsComputedFromTheValuesOfAnInterval) {
  Statistics statistics;
  StatisticsOwner owner{statistics, "sm0", "sm"};
  StatisticsGroup group{owner, "issue"};
  Counter issued{group, "issued", "instructions issued", unit::kInstructions};
  Counter cycles{group, "cycles", "cycles", unit::kCycles};
  Derived ipc{group, "ipc", "instructions a cycle", unit::kInstructionsPerCycle,
              [&](const StatisticsView& v) { return v.ratio(issued, cycles); }};
  EXPECT_EQ(statistics.total().value("sm0.issue.ipc"), 0);  // nothing ran: no division by zero
  issued += 10;
  cycles += 10;
  const auto kernel = statistics.open();
  issued += 5;
  cycles += 10;
  EXPECT_EQ(statistics.close(kernel).value("sm0.issue.ipc"), 0.5);
  EXPECT_EQ(statistics.total().value("sm0.issue.ipc"), 0.75);
}

class TwoSms : public ::testing::Test {
 protected:
  struct Sm {
    Sm(Statistics& statistics, const std::string& name)
        : owner(statistics, name, "sm"),
          group(owner, "issue"),
          issued(group, "issued", "instructions issued", unit::kInstructions),
          longest(group, "longest", "longest wait", unit::kCycles),
          lanes(group, "lanes", "lanes", unit::kLanes, Buckets::linear(1, 1, 2)) {}
    StatisticsOwner owner;
    StatisticsGroup group;
    Counter issued;
    Maximum longest;
    Histogram lanes;
  };
  Statistics statistics;
  Sm sm10{statistics, "sm10"}, sm2{statistics, "sm2"};
};

TEST_F(TwoSms, AreListedInNaturalOrderWhateverTheOrderOfConstruction) {
  const auto owners = statistics.owners();
  ASSERT_EQ(owners.size(), 2u);
  EXPECT_EQ(owners[0]->name(), "sm2");
  EXPECT_EQ(owners[1]->name(), "sm10");
}

TEST_F(TwoSms, CountersAddUpAndMaximaDoNotOverAClass) {
  sm2.issued += 3;
  sm10.issued += 4;
  sm2.longest.record(9);
  sm10.longest.record(5);
  sm10.lanes.record(2);
  const auto sum = statistics.total().of_class("sm");
  EXPECT_EQ(sum[sm2.issued.number()], 7u);
  EXPECT_EQ(sum[sm2.longest.number()], 9u);
  EXPECT_EQ(sum[sm2.lanes.number() + 1], 1u);
  EXPECT_EQ(sum[sm2.lanes.number() + 2], 2u);
}

TEST_F(TwoSms, OverlappingIntervalsEachSeeTheirOwnCountsAndMaxima) {
  sm2.longest.record(100);
  const auto kernel = statistics.open();
  sm2.issued += 1;
  sm2.longest.record(7);
  const auto region = statistics.open();
  sm2.issued += 10;
  sm2.longest.record(3);
  const auto in_kernel = statistics.close(kernel);
  sm2.issued += 100;
  sm2.longest.record(5);
  const auto in_region = statistics.close(region);
  EXPECT_EQ(in_kernel.value("sm2.issue.issued"), 11);
  EXPECT_EQ(in_kernel.value("sm2.issue.longest"), 7);
  EXPECT_EQ(in_region.value("sm2.issue.issued"), 110);
  EXPECT_EQ(in_region.value("sm2.issue.longest"), 5);
  EXPECT_EQ(statistics.total().value("sm2.issue.issued"), 111);
  EXPECT_EQ(statistics.total().value("sm2.issue.longest"), 100);
}

TEST(Statistics, AnOwnerThatComesWhileAnIntervalIsOpenStartsInItAtZero) {
  Statistics statistics;
  StatisticsOwner last{statistics, "z", "z"};
  StatisticsGroup group{last, "g"};
  Counter counted{group, "counted", "events", unit::kEvents};
  ++counted;
  const auto id = statistics.open();
  counted += 2;
  // Its name comes before the other's.
  StatisticsOwner early{statistics, "a", "a"};
  StatisticsGroup early_group{early, "g"};
  Counter also{early_group, "also", "events", unit::kEvents};
  Maximum most{early_group, "most", "the most", unit::kEvents};
  also += 3;
  most.record(9);
  {
    StatisticsOwner passing{statistics, "m", "m"};
    StatisticsGroup passing_group{passing, "g"};
    Counter gone{passing_group, "gone", "events", unit::kEvents};
    ++gone;
  }
  const StatisticsSample sample = statistics.close(id);
  EXPECT_EQ(sample.value("z.g.counted"), 2);
  EXPECT_EQ(sample.value("a.g.also"), 3);
  EXPECT_EQ(sample.value("a.g.most"), 9);
  EXPECT_EQ(statistics.total().value("z.g.counted"), 3);
}

TEST_F(TwoSms, IntervalsCanBeJoined) {
  StatisticsSample joined;
  for (const std::uint64_t amount : {3, 5}) {
    const auto id = statistics.open();
    sm2.issued += amount;
    sm2.longest.record(amount);
    joined.add(statistics.close(id));
    sm2.issued += 100;
  }
  EXPECT_EQ(joined.value("sm2.issue.issued"), 8);
  EXPECT_EQ(joined.value("sm2.issue.longest"), 5);
}

TEST_F(TwoSms, NamesWithGlobsSumOverAllThatMatch) {
  sm2.issued += 3;
  sm10.issued += 4;
  sm10.lanes.record(2, 6);
  const auto total = statistics.total();
  EXPECT_EQ(total.value("sm*.issue.issued"), 7);
  EXPECT_EQ(total.value("sm10.issue.lanes[2]"), 6);
  EXPECT_EQ(total.value("no.such"), 0);
}

TEST_F(TwoSms, ResetStartsFromZero) {
  sm2.issued += 3;
  sm2.longest.record(9);
  statistics.total();
  statistics.reset();
  sm2.issued += 2;
  sm2.longest.record(4);
  EXPECT_EQ(statistics.total().value("sm2.issue.issued"), 2);
  EXPECT_EQ(statistics.total().value("sm2.issue.longest"), 4);
}

TEST_F(TwoSms, OfAClassMustRegisterTheSameStatistics) {
  EXPECT_NO_THROW(statistics.check_classes());
  Counter extra{sm2.group, "extra", "only here", unit::kEvents};
  EXPECT_THROW(statistics.check_classes(), Error);
}

class SlotAccountTest : public ::testing::Test {
 protected:
  StatisticsOwner owner{"sm0"};
  StatisticsGroup group{owner, "issue"};
  SlotAccount account{group, 2};
  CauseId issued = account.cause("issued", "an instruction issued");
  CauseId empty = account.cause("empty", "no context has an instruction");
};

TEST_F(SlotAccountTest, ChargesAddUpToSlotsTimesCycles) {
  account.begin_cycle();
  account.charge(issued);
  account.charge_rest(empty);
  account.begin_cycle();
  account.charge(issued, 2);
  account.charge_rest(empty);
  account.idle(10, empty);
  EXPECT_EQ(account.imbalance(), 0);
  EXPECT_NO_THROW(account.check());
  EXPECT_EQ(owner.data()[1], 3u);       // slots.issued
  EXPECT_EQ(owner.data()[2], 1u + 20);  // slots.empty
}

TEST_F(SlotAccountTest, ASlotNobodyIsChargedForIsFound) {
  account.begin_cycle();
  account.charge(issued);
  EXPECT_EQ(account.imbalance(), -1);
  EXPECT_THROW(account.check(), Error);
}

TEST_F(SlotAccountTest, ACauseRegisteredTwiceIsTheSame) { EXPECT_EQ(account.cause("issued", "again"), issued); }

}  // namespace
}  // namespace heddle
