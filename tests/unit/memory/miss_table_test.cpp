// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/miss_table.h"

#include <gtest/gtest.h>

namespace heddle::memory {
namespace {

constexpr Requester warp(unsigned number) { return {SmId(0), WarpId(number)}; }

std::vector<std::uint32_t> completed(MissTable& table, MissTable::Entry entry) {
  std::vector<std::uint32_t> requests;
  table.complete(entry, [&](std::uint32_t request) { requests.push_back(request); });
  return requests;
}

TEST(MissTable, RequestsOfAnEntryComeBackInTheOrderTheyWereAdded) {
  MissTable table({4, 8, true});
  const auto entry = table.allocate(100, {});
  for (std::uint32_t request : {7, 3, 9}) table.add(entry, request);
  EXPECT_EQ(table.find(100, warp(5)), entry);
  EXPECT_EQ(completed(table, entry), (std::vector<std::uint32_t>{7, 3, 9}));
  EXPECT_EQ(table.find(100, {}), MissTable::kNone);
  EXPECT_EQ(table.used(), 0u);
}

TEST(MissTable, AnEntryTakesAsManyRequestsAsDeclaredAndNotOneMore) {
  MissTable table({4, 2, true});
  const auto entry = table.allocate(1, {});
  table.add(entry, 0);
  EXPECT_TRUE(table.can_merge(entry));
  table.add(entry, 1);
  EXPECT_FALSE(table.can_merge(entry));
}

TEST(MissTable, FreeEntriesRunOutAtTheDeclaredNumber) {
  MissTable table({2, 8, true});
  table.allocate(1, {});
  EXPECT_EQ(table.free_entries(), 1u);
  const auto second = table.allocate(2, {});
  EXPECT_EQ(table.free_entries(), 0u);
  completed(table, second);
  EXPECT_EQ(table.free_entries(), 1u);
}

TEST(MissTable, WithoutMergingBetweenOwnersEachOwnerHasAnEntryOfItsOwn) {
  MissTable table({4, 8, false});
  const auto first = table.allocate(1, warp(10));
  EXPECT_EQ(table.find(1, warp(10)), first);
  EXPECT_EQ(table.find(1, warp(11)), MissTable::kNone);
  const auto second = table.allocate(1, warp(11));
  EXPECT_EQ(table.find(1, warp(11)), second);
  completed(table, first);
  EXPECT_EQ(table.find(1, warp(10)), MissTable::kNone);
  EXPECT_EQ(table.find(1, warp(11)), second);
}

TEST(MissTable, ZeroMeansNoLimit) {
  MissTable table({0, 0, true});
  for (std::uint64_t sector = 0; sector < 1000; ++sector) {
    ASSERT_GT(table.free_entries(), 0u);
    const auto entry = table.allocate(sector, {});
    for (std::uint32_t i = 0; i < 20; ++i) {
      ASSERT_TRUE(table.can_merge(entry));
      table.add(entry, i);
    }
  }
  for (std::uint64_t sector = 0; sector < 1000; ++sector) {
    EXPECT_EQ(completed(table, table.find(sector, {})).size(), 20u);
  }
}

TEST(MissTable, EntriesAndPlacesAreReusedInAnyOrder) {
  MissTable table({8, 4, true});
  for (unsigned round = 0; round < 100; ++round) {
    for (std::uint64_t sector = 0; sector < 8; ++sector) {
      const auto entry = table.allocate(round * 64 + sector * 8, {});
      table.add(entry, static_cast<std::uint32_t>(sector));
    }
    for (std::uint64_t sector : {3, 0, 7, 1, 6, 2, 5, 4}) {
      const auto entry = table.find(round * 64 + sector * 8, {});
      ASSERT_NE(entry, MissTable::kNone);
      EXPECT_EQ(completed(table, entry), (std::vector<std::uint32_t>{static_cast<std::uint32_t>(sector)}));
    }
    EXPECT_EQ(table.used(), 0u);
  }
}

}  // namespace
}  // namespace heddle::memory
