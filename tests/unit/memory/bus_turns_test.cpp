// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/bus_turns.h"

#include <gtest/gtest.h>

#include "tests/unit/memory/dram_requests.h"

namespace heddle::memory {
namespace {

DramParameters capped(unsigned turn_cap) {
  DramParameters parameters;
  parameters.turn_cap = turn_cap;
  return parameters;
}

BusTurns turns_of(const DramParameters& parameters, bool columns_first = true) {
  return {parameters, DramTables(make(parameters.standard)->device()), columns_first};
}

/// Column commands of some banks.
class Columns {
 public:
  void set(unsigned bank, bool write, std::uint64_t order, unsigned plane = 0) {
    DramRequest request = request_to(bank, 1, write);
    request.order = order;
    commands.set_column(NextCommands::slot(bank, plane), request, 0, shared_);
    may[plane] |= bank_bit(bank);
  }
  NextCommands commands;
  NextCommands::Planes may{};

 private:
  Cycle shared_ = 0;
};

TEST(BusTurns, TurningBackTakesTheDistanceFromTheOtherDirection) {
  BusTurns turns = turns_of({});
  EXPECT_EQ(turns.turn_back(), 4u + 2 + 5) << "write to read on GDDR5: tWL, burst, tWTR";
  turns.moved(true);
  EXPECT_EQ(turns.turn_back(), 12u + 2 + 2 - 4) << "read to write: tCL, burst, tRTRS, less tWL";
}

TEST(BusTurns, NoTurnIsDeferredWhereItIsFreeOrRequestsAreNotBatched) {
  DramParameters free, by_age, split;
  free.standard.choose("hit_conflict");
  by_age.turns = DramTurns::by_age;
  split.write_queue_entries = 32;
  EXPECT_EQ(turns_of(free).turn_back(), 0u);
  EXPECT_TRUE(turns_of(free).batched());
  EXPECT_EQ(turns_of(by_age).turn_back(), 0u);
  EXPECT_FALSE(turns_of(by_age).batched());
  EXPECT_FALSE(turns_of(split).batched());
  EXPECT_FALSE(turns_of({}, false).batched()) << "pure order of age";
}

TEST(BusTurns, TheBusTurnsWithTheFirstBurstOfTheOtherDirection) {
  BusTurns turns = turns_of({});
  EXPECT_FALSE(turns.moved(false));
  EXPECT_TRUE(turns.moved(true));
  EXPECT_TRUE(turns.writes());
  EXPECT_FALSE(turns.moved(true));
  EXPECT_TRUE(turns.moved(false));
}

TEST(BusTurns, ABatchIsOverAfterTheCapIfAnOlderColumnWouldTurnTheBus) {
  BusTurns turns = turns_of(capped(2));
  Columns columns;
  columns.set(0, false, 5);
  columns.set(1, true, 3);
  turns.served();
  EXPECT_FALSE(turns.over(columns.commands, columns.may));
  turns.served();
  EXPECT_TRUE(turns.over(columns.commands, columns.may));
  turns.moved(true);
  EXPECT_FALSE(turns.over(columns.commands, columns.may)) << "another batch has begun";
}

TEST(BusTurns, ABatchGoesOnWhileItsOwnColumnsAreOlderOrNoneWouldTurnTheBus) {
  BusTurns turns = turns_of(capped(1));
  turns.served();
  Columns columns;
  columns.set(0, false, 5);
  EXPECT_FALSE(turns.over(columns.commands, columns.may));
  columns.set(1, true, 6);
  EXPECT_FALSE(turns.over(columns.commands, columns.may));
  columns.set(2, true, 4, 1);
  EXPECT_TRUE(turns.over(columns.commands, columns.may)) << "the second plane counts too";
  columns.may[1] = 0;
  EXPECT_FALSE(turns.over(columns.commands, columns.may)) << "it may not issue";
  columns.may = {bank_bit(1), 0};
  EXPECT_TRUE(turns.over(columns.commands, columns.may)) << "nothing of this direction is left";
}

}  // namespace
}  // namespace heddle::memory
