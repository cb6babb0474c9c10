// SPDX-License-Identifier: Apache-2.0
// Logic of the blocks of warp ganging: partition of a gang by program counter, and which gangs issue together.
#include <random>

#include "ganging_vectors.h"
#include "sm/blocks/block_site.h"

namespace heddle::sm {
namespace {

using Picks = std::vector<unsigned>;

struct ModelCoalescer final : PcCoalescer {
  PcGroups partition(const CoalescePcs& request) override { return coalesce_pcs(request); }
};
struct ModelTable final : GangIssueTable {
  explicit ModelTable(GangIssueShape shape) : logic(shape) {}
  ModelTable(unsigned gangs, GangOrder order) : ModelTable(GangIssueShape{32, 8, gangs, order}) {}
  void write(unsigned entry, SliceMask members) override { logic.write(entry, members); }
  void start(unsigned set) override { logic.start(set); }
  GangPicks pick(const GangCandidates& candidates) override { return logic.pick(candidates); }

  GangIssueLogic logic;
};

TEST(PcCoalescer, GivesTheVectorsOfTheSource) {
  ModelCoalescer coalescer;
  expect_pc_vectors(coalescer);
}

TEST(PcCoalescer, EveryBitOfAProgramCounterCounts) {
  for (unsigned bit = 0; bit < kGangPcBits; ++bit) {
    CoalescePcs request = pcs_of("AAAAAAAA");
    request.pcs[3] ^= std::uint64_t{1} << bit;
    EXPECT_EQ(coalesce_pcs(request), (PcGroups{{0xf7}, 0x08})) << bit;
  }
}

TEST(PcCoalescer, AWarpThatIsNoMemberDoesNotCount) {
  CoalescePcs request = pcs_of("AABB");
  request.members = 0b1010;
  EXPECT_EQ(coalesce_pcs(request), (PcGroups{{}, 0b1010}));
  request.members = 0;
  EXPECT_EQ(coalesce_pcs(request), PcGroups{});
}

// Any partition: groups are disjoint, cover the members, and are all of those at one program counter.
TEST(PcCoalescer, PartitionsTheMembers) {
  std::mt19937_64 random(4);
  for (unsigned round = 0; round < 20'000; ++round) {
    CoalescePcs request;
    request.members = static_cast<SliceMask>(random());
    for (std::uint64_t& pc : request.pcs) pc = random() % (1 + round % 8);
    const PcGroups groups = coalesce_pcs(request);
    unsigned covered = groups.singles, lowest = 0;
    for (const SliceMask gang : groups.gangs) {
      if (gang == 0) continue;
      EXPECT_GE(std::popcount(gang), 2);
      EXPECT_EQ(covered & gang, 0u);
      covered |= gang;
      EXPECT_GE(std::countr_zero(gang), static_cast<int>(lowest)) << "ascending";
      lowest = static_cast<unsigned>(std::countr_zero(gang)) + 1;
    }
    EXPECT_EQ(covered, request.members);
    for_each_slice(request.members, [&](unsigned a) {
      for_each_slice(request.members, [&](unsigned b) {
        bool together = a == b;
        for (const SliceMask gang : groups.gangs) together |= (gang >> a & 1) != 0 && (gang >> b & 1) != 0;
        EXPECT_EQ(together, request.pcs[a] == request.pcs[b]) << a << " and " << b;
      });
    });
    if (HasFailure()) return;
  }
}

TEST(GangIssue, BigGangThenOldestGivesTheVectorsOfTheSource) {
  for (const unsigned gangs : {1u, 2u, 4u}) {
    SCOPED_TRACE(gangs);
    ModelTable table(gangs, GangOrder::big_then_oldest);
    expect_big_then_oldest(table, gangs);
  }
}

// The four gangs of 3.2, all ready; slices left for single warps.
struct OrderVector {
  GangOrder order;
  unsigned gangs;
  Picks picks;
  unsigned left;
};
TEST(GangIssue, EveryOrderGivesTheVectorsOfTheSource) {
  const std::vector<OrderVector> vectors = {
      {GangOrder::big_then_oldest, 2, {0, 8}, 0x30},     {GangOrder::little_then_oldest, 2, {8, 12}, 0x0f},
      {GangOrder::greedy_then_oldest, 2, {0, 8}, 0x30},  {GangOrder::greedy_then_oldest, 4, {0, 8, 12}, 0x00},
      {GangOrder::big_then_oldest, 4, {0, 8, 12}, 0x00}, {GangOrder::little_then_oldest, 4, {8, 12, 0}, 0x00},
      {GangOrder::big_then_oldest, 1, {0}, 0xf0},        {GangOrder::greedy_then_oldest, 1, {0}, 0xf0},
      {GangOrder::little_then_oldest, 1, {8}, 0x3f},
  };
  for (const OrderVector& vector : vectors) {
    SCOPED_TRACE(::testing::Message() << static_cast<int>(vector.order) << " " << vector.gangs);
    ModelTable table(vector.gangs, vector.order);
    write_four_gangs(table);
    const Picks picks = picked_from(table, {0, 4, 8, 12});
    EXPECT_EQ(picks, vector.picks);
    unsigned left = 0xff;
    for (const unsigned entry : picks) left &= ~unsigned{table.logic.members(entry)};
    EXPECT_EQ(left, vector.left);
  }
}

TEST(GangIssue, AGangWithoutAllSlicesDoesNotIssue) {
  ModelTable table(2, GangOrder::big_then_oldest);
  write_four_gangs(table);
  EXPECT_EQ(picked_from(table, {4, 12}, {}, 0x3c), Picks{4});
  EXPECT_EQ(picked_from(table, {4, 12}, {}, 0x3b), Picks{12}) << "slice 2 is taken by a warp that aged";
}

TEST(GangIssue, TheMemoryUnitServesOneKindPerCycle) {
  ModelTable table(4, GangOrder::big_then_oldest);
  write_four_gangs(table);
  EXPECT_EQ(picked_from(table, {0, 8, 12}, {{0, 3}, {8, 3}, {12, 3}}), (Picks{0, 8, 12})) << "same kind";
  EXPECT_EQ(picked_from(table, {0, 8, 12}, {{0, 3}, {8, 5}, {12, 3}}), (Picks{0, 12})) << "g2 waits";
  EXPECT_EQ(picked_from(table, {0, 8, 12}, {{8, 5}, {12, 3}}), (Picks{0, 12}))
      << "g3 issued last of its size, so its kind is served";
  EXPECT_EQ(picked_from(table, {0, 8, 12}, {{0, 15}}), (Picks{0, 12, 8})) << "the others access no memory";
}

TEST(GangIssue, OfTwoGangsOfOneSizeInACycleTheFirstOneIsRemembered) {
  ModelTable table(2, GangOrder::big_then_oldest);
  for (unsigned set = 0; set < 3; ++set) table.start(set);
  table.write(0, 0x0f);
  table.write(4, 0xf0);
  table.write(8, 0xff);
  EXPECT_EQ(picked_from(table, {4}), Picks{4});
  EXPECT_EQ(picked_from(table, {0, 4}), (Picks{4, 0})) << "the one that issued last, then the older one";
  EXPECT_EQ(picked_from(table, {0, 4}), (Picks{4, 0})) << "still the same";
  EXPECT_EQ(picked_from(table, {8}), Picks{8});
  EXPECT_EQ(picked_from(table, {0, 4}), (Picks{4, 0})) << "a larger gang does not count";
}

TEST(GangIssue, AFreedEntryIsNotTheOneThatIssuedLast) {
  ModelTable table(1, GangOrder::big_then_oldest);
  table.start(0);
  table.start(1);
  table.write(0, 0x0f);
  table.write(4, 0xf0);
  EXPECT_EQ(picked_from(table, {4}), Picks{4});
  table.write(4, 0xf0);
  EXPECT_EQ(picked_from(table, {0, 4}), Picks{4}) << "it was only written";
  table.write(4, 0);
  table.write(4, 0xf0);
  EXPECT_EQ(picked_from(table, {0, 4}), Picks{0});
}

TEST(GangIssue, AGangThatShrinksIsNotTheOneThatIssuedLastOfItsSize) {
  ModelTable table(1, GangOrder::big_then_oldest);
  table.start(0);
  table.start(1);
  table.write(0, 0x0f);
  table.write(4, 0x3c);
  EXPECT_EQ(picked_from(table, {4}), Picks{4});
  table.write(4, 0x0c);
  table.write(0, 0x03);
  EXPECT_EQ(picked_from(table, {0, 4}), Picks{0}) << "the older one of two";
  table.write(0, 0x0f);
  table.write(4, 0x3c);
  EXPECT_EQ(picked_from(table, {0, 4}), Picks{4}) << "of four warps, it did";
}

TEST(GangIssue, ASetThatStartsBecomesTheYoungest) {
  for (const GangOrder order :
       {GangOrder::big_then_oldest, GangOrder::greedy_then_oldest, GangOrder::little_then_oldest}) {
    SCOPED_TRACE(static_cast<int>(order));
    ModelTable table(1, order);
    for (const unsigned set : {2u, 0u, 1u}) table.start(set);
    for (unsigned set = 0; set < 3; ++set) table.write(4 * set, 0xff);
    EXPECT_EQ(picked_from(table, {0, 4, 8}), Picks{8});
    table.write(8, 0);
    table.start(2);
    table.write(8, 0xff);
    EXPECT_EQ(picked_from(table, {0, 4, 8}), Picks{0});
    table.write(0, 0);
    EXPECT_EQ(picked_from(table, {4, 8}), Picks{4});
  }
}

TEST(GangIssue, OfOneSetTheLowestEntryIsTheOldest) {
  ModelTable table(2, GangOrder::big_then_oldest);
  table.start(1);
  table.write(6, 0x30);
  table.write(5, 0xc0);
  table.write(7, 0x03);
  EXPECT_EQ(picked_from(table, {5, 6, 7}), (Picks{5, 6}));
  EXPECT_EQ(picked_from(table, {7}), Picks{7});
  EXPECT_EQ(picked_from(table, {5, 6, 7}), (Picks{7, 5}));
}

TEST(GangIssue, LowestPcIgnoresSizeAndWhoIssuedLast) {
  ModelTable table(1, GangOrder::lowest_pc);
  write_four_gangs(table);
  GangCandidates candidates;
  candidates.free = 0xff;
  for (const unsigned entry : {0u, 4u, 8u, 12u}) {
    candidates.ready.set(entry);
    candidates.pcs[entry] = entry == 8 ? 0x10 : 0x20;
  }
  for (unsigned i = 0; i < 2; ++i) EXPECT_EQ(table.pick(candidates).entries[0], 8);
  candidates.ready.reset(8);
  for (unsigned i = 0; i < 2; ++i) EXPECT_EQ(table.pick(candidates).entries[0], 0) << "the oldest at one";
}

TEST(GangIssue, RoundRobinContinuesBehindTheOneThatIssuedLast) {
  ModelTable table(1, GangOrder::round_robin);
  write_four_gangs(table);
  for (const unsigned entry : {0u, 4u, 8u, 12u, 0u}) EXPECT_EQ(picked_from(table, {0, 4, 8, 12}), Picks{entry});
}

TEST(GangIssue, GreedyKeepsTheGangWhileItCanIssue) {
  ModelTable table(1, GangOrder::greedy_then_oldest);
  write_four_gangs(table);
  EXPECT_EQ(picked_from(table, {12}), Picks{12});
  EXPECT_EQ(picked_from(table, {0, 4, 8, 12}), Picks{12});
  EXPECT_EQ(picked_from(table, {0, 4, 8}), Picks{0});
  EXPECT_EQ(picked_from(table, {0, 4, 8, 12}), Picks{0});
}

}  // namespace
}  // namespace heddle::sm
