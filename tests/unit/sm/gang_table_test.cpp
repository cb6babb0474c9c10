// SPDX-License-Identifier: Apache-2.0
// The gang table: splits and merges of an original gang; the ports of the instruction cache.
// Source: docs/sources/variable-warp-size.md, 2.5, 2.7, 2.10 to 2.13 and 3.
#include "sm/grouping/ganging/gang_table.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <random>

#include "sm/grouping/ganging/gang_fetch.h"

namespace heddle::sm {
namespace {

constexpr unsigned kSet = 5;

/// Key of each slice from 0 on, named by a letter.
CoalescePcs at(SliceMask members, const char* letters) {
  CoalescePcs request{.members = members, .pcs = {}};
  for_each_slice(members, [&](unsigned s) { request.pcs[s] = static_cast<std::uint64_t>(*letters++); });
  return request;
}

GangTable table_of(SliceMask live) {
  GangTable table(32);
  table.start(kSet, live);
  return table;
}

void expect_set(const GangTable& table, std::array<SliceMask, kGangWays> gangs, SliceMask alone) {
  EXPECT_EQ(table[kSet].gangs, gangs);
  EXPECT_EQ(table[kSet].alone, alone);
}

TEST(GangTable, ABlockStartsAsOneGangPerOriginalGang) { expect_set(table_of(0xff), {0xff}, 0); }

TEST(GangTable, ASingleWarpStartsAlone) { expect_set(table_of(0x01), {}, 0x01); }

TEST(GangTable, APartialOriginalGangHasOnlyItsWarps) { expect_set(table_of(0x07), {0x07}, 0); }

TEST(GangTable, AWayIsWithinSlicesThatAllItsWarpsAreOn) {
  const GangSetState set{.gangs = {0b00110011, 0, 0b10001000, 0b01000100}, .alone = 0};
  for (unsigned slices = 0; slices <= 0xff; ++slices) {
    unsigned within = 0;
    for (unsigned way = 0; way < kGangWays; ++way) {
      const unsigned gang = set.gangs[way];
      if (gang != 0 && (gang & ~slices) == 0) within |= 1u << way;
    }
    EXPECT_EQ(set.ways_within(static_cast<SliceMask>(slices)), within) << slices;
  }
}

TEST(GangTable, ThreeGroupsTakeTwoEntriesAndLeaveOneAlone) {
  GangTable table = table_of(0xff);
  table.regroup(kSet, coalesce_pcs(at(0xff, "AABBACBA")));
  expect_set(table, {0x93, 0x4c}, 0x20);
}

TEST(GangTable, TheWorstSplitTakesAllEntriesOfTheSet) {
  GangTable table = table_of(0xff);
  table.regroup(kSet, coalesce_pcs(at(0xff, "AABBCCDD")));
  expect_set(table, {0x03, 0x0c, 0x30, 0xc0}, 0);
  // Any further split leaves warps alone.
  table.regroup(kSet, coalesce_pcs(at(0x30, "AB")));
  expect_set(table, {0x03, 0x0c, 0, 0xc0}, 0x30);
}

TEST(GangTable, EightProgramCountersFreeTheEntry) {
  GangTable table = table_of(0xff);
  table.regroup(kSet, coalesce_pcs(at(0xff, "ABCDEFGH")));
  expect_set(table, {}, 0xff);
}

TEST(GangTable, AGangThatSplitsKeepsItsEntryAndTheLowestFreeOnes) {
  GangTable table = table_of(0xff);
  table.regroup(kSet, coalesce_pcs(at(0xff, "AAAABBBB")));
  expect_set(table, {0x0f, 0xf0}, 0);
  table.regroup(kSet, coalesce_pcs(at(0xf0, "AABB")));
  expect_set(table, {0x0f, 0x30, 0xc0}, 0);
}

TEST(GangTable, WarpsThatEndLeaveTheirGang) {
  GangTable table = table_of(0x0f);
  table.leave(kSet, 0x05);
  expect_set(table, {0x0a}, 0);
  table.leave(kSet, 0x02);
  expect_set(table, {}, 0x08);
  table.leave(kSet, 0x08);
  expect_set(table, {}, 0);
}

TEST(GangTable, HalfExitsAndTheOtherHalfStaysAGangOfFour) {
  // V6.
  GangTable table = table_of(0xff);
  table.regroup(kSet, coalesce_pcs(at(0xff, "AAAABBBB")));
  table.leave(kSet, 0x0f);
  expect_set(table, {0, 0xf0}, 0);
}

TEST(GangTable, GroupSplitByTheCycleOfTheData) {
  // Cycle 100: the lower half; 140: slice 4; 141: the rest, which stays together.
  GangTable table = table_of(0xff);
  table.divide(kSet, 0xff, 0x0f);
  EXPECT_EQ(table[kSet].live(), 0xff);
  EXPECT_EQ(table[kSet].items(), 2u);
  table.divide(kSet, 0xf0, 0x10);
  EXPECT_EQ(table[kSet].alone, 0x10);
  EXPECT_EQ(table[kSet].gangs[table[kSet].way_of(5)], 0xe0);
  EXPECT_EQ(table[kSet].gangs[table[kSet].way_of(0)], 0x0f);
}

TEST(GangTable, ImpatientSplitLeavesAllAlone) {
  GangTable table = table_of(0xff);
  table.dissolve(kSet, 0xff);
  expect_set(table, {}, 0xff);
}

TEST(GangTable, AGangAndASingleWarpMerge) {
  // Gang 0x03 and warp 2 at one program counter, warp 4 at another.
  GangTable table = table_of(0x17);
  table.regroup(kSet, coalesce_pcs(at(0x17, "AABC")));
  expect_set(table, {0x03}, 0x14);
  CoalescePcs items{.members = 0x15, .pcs = {}};
  items.pcs[0] = items.pcs[2] = 0x200;
  items.pcs[4] = 0x240;
  const SliceMask parts = items_to_merge(table[kSet], coalesce_pcs(items), 2);
  EXPECT_EQ(parts, 0x07);
  table.merge(kSet, parts);
  expect_set(table, {0x07}, 0x10);
}

TEST(GangTable, AtMostAsManyPartsMergeAsConfigured) {
  GangTable table = table_of(0xff);
  table.dissolve(kSet, 0xff);
  const PcGroups groups = coalesce_pcs(at(0xff, "AAAAAAAA"));
  EXPECT_EQ(items_to_merge(table[kSet], groups, 2), 0x03);
  EXPECT_EQ(items_to_merge(table[kSet], groups, 8), 0xff) << "V4: a comparison of eight";
}

TEST(GangTable, NoPartsMergeAtDifferentProgramCounters) {
  GangTable table = table_of(0xff);
  table.dissolve(kSet, 0xff);
  EXPECT_EQ(items_to_merge(table[kSet], coalesce_pcs(at(0xff, "ABCDEFGH")), 8), 0);
}

TEST(GangTable, RandomChangesKeepEveryWarpInOnePlace) {
  std::mt19937 random(7);
  GangTable table(1);
  for (unsigned round = 0; round < 2000; ++round) {
    table.start(0, 0xff);
    SliceMask live = 0xff;
    for (unsigned step = 0; step < 12; ++step) {
      const GangSetState before = table[0];
      const SliceMask gang = before.gangs[random() % kGangWays];
      CoalescePcs request{.members = live, .pcs = {}};
      for (auto& pc : request.pcs) pc = random() % 3;
      switch (random() % 4) {
        case 0:
          request.members = gang;
          table.regroup(0, coalesce_pcs(request));
          break;
        case 1:
          table.divide(0, gang, static_cast<SliceMask>(gang & random()));
          break;
        case 2: {
          const auto gone = static_cast<SliceMask>(1u << random() % 8);
          table.leave(0, gone);
          live = static_cast<SliceMask>(live & ~gone);
          break;
        }
        default:
          // Parts are compared by their first warp.
          request.members = before.alone;
          for (const SliceMask one : before.gangs)
            request.members = static_cast<SliceMask>(request.members | (one & -one));
          table.merge(0, items_to_merge(before, coalesce_pcs(request), 2));
      }
      unsigned seen = table[0].alone;
      for (const SliceMask one : table[0].gangs) {
        ASSERT_FALSE(std::has_single_bit(one));
        ASSERT_EQ(one & seen, 0u);
        seen |= one;
      }
      ASSERT_EQ(seen, live);
    }
  }
}

/// Of eight slices, of which slice 4 is next in turn.
FetchPortArbiter at_slice_four() {
  FetchPortArbiter arbiter(8);
  EXPECT_EQ(arbiter.grant(0x08, 1), 0x08);
  return arbiter;
}

TEST(FetchPortArbiter, GrantsInTurn) {
  // Two ports, of which a gang takes one; slices 1, 4 and 6 ask.
  FetchPortArbiter arbiter = at_slice_four();
  EXPECT_EQ(arbiter.grant(0x52, 1), 0x10);
  EXPECT_EQ(arbiter.grant(0x42, 2), 0x42) << "slices 6 and 1";
  EXPECT_EQ(arbiter.grant(0xff, 1), 0x04) << "then slice 2";
}

TEST(FetchPortArbiter, WithoutPortsNobodyIsPassedOver) {
  FetchPortArbiter arbiter = at_slice_four();
  EXPECT_EQ(arbiter.grant(0x52, 0), 0);
  EXPECT_EQ(arbiter.grant(0, 2), 0);
  EXPECT_EQ(arbiter.grant(0xff, 1), 0x10);
}

TEST(FetchPortArbiter, ASliceWithAnL0HitDoesNotAsk) {
  // Slice 6 has its instruction in its L0 store.
  EXPECT_EQ(at_slice_four().grant(0x12, 1), 0x10) << "slice 1 waits";
}

}  // namespace
}  // namespace heddle::sm
