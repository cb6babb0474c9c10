// SPDX-License-Identifier: Apache-2.0
// Logic of the blocks of locality scheduling: a set of victim tags, and the cutoff of lost-locality scores.
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "locality_vectors.h"
#include "sm/scheduling/locality/gated_load.h"
#include "sm/scheduling/locality/score_cutoff.h"
#include "sm/scheduling/locality/victim_set.h"

namespace heddle::sm {
namespace {

using What = VictimSetRequest::What;

VictimTags victims_of(const VictimSetShape& shape) {
  return VictimTags([shape](const VictimSetRequest& request) { return look_up_victim(shape, request); });
}

TEST(VictimSet, AProbeLeavesTheTag) {
  VictimTags victims = victims_of({.ways = 8});
  EXPECT_FALSE(victims.ask(What::probe, 5).found);
  EXPECT_FALSE(victims.ask(What::insert, 5).found);
  EXPECT_TRUE(victims.ask(What::probe, 5).found);
  EXPECT_TRUE(victims.ask(What::probe, 5).found);
}

TEST(VictimSet, AnEmptyWayDoesNotMatchTagZero) {
  VictimTags victims = victims_of({.ways = 2});
  EXPECT_FALSE(victims.holds(0));
  victims.ask(What::insert, 0);
  EXPECT_TRUE(victims.holds(0));
}

TEST(VictimSet, WorkedExample_CC6_ATrace) {
  for (const auto replacement : {VictimReplacement::fifo, VictimReplacement::lru}) {
    const VictimSetShape shape{.ways = 8, .replacement = replacement};
    expect_victim_trace([&](const VictimSetRequest& request) { return look_up_victim(shape, request); });
  }
}

TEST(VictimSet, WorkedExample_CC7_TheNinthTagReplacesTheFirst) {
  expect_first_of_nine_replaced([](const VictimSetRequest& request) { return look_up_victim({.ways = 8}, request); });
}

TEST(VictimSet, OnlyLeastRecentlyUsedMindsUses) {
  for (const auto replacement : {VictimReplacement::fifo, VictimReplacement::lru}) {
    VictimTags victims = victims_of({.ways = 2, .replacement = replacement});
    victims.ask(What::insert, 1);
    victims.ask(What::insert, 2);
    EXPECT_TRUE(victims.ask(What::probe, 1).found);
    victims.ask(What::insert, 3);
    EXPECT_EQ(victims.set().tags[0] == 1, replacement == VictimReplacement::lru);
  }
}

TEST(VictimSet, AFreeWayIsTakenBeforeATagIsReplaced) {
  VictimTags victims = victims_of({.ways = 4});
  for (std::uint64_t tag = 1; tag <= 4; ++tag) victims.ask(What::insert, tag);
  EXPECT_TRUE(victims.ask(What::remove, 3).found);
  EXPECT_FALSE(victims.holds(3));
  EXPECT_FALSE(victims.ask(What::remove, 3).found);
  EXPECT_EQ(victims.ask(What::insert, 5).way, 2u);
  for (const std::uint64_t tag : {1, 2, 4, 5}) EXPECT_TRUE(victims.holds(tag)) << tag;
}

// Against a list in the order of replacement.
TEST(VictimSet, ReplacesAsAListDoes) {
  std::mt19937_64 random(3);
  for (const auto replacement : {VictimReplacement::fifo, VictimReplacement::lru}) {
    for (const unsigned ways : {1u, 2u, 4u, 8u, 16u}) {
      VictimTags victims = victims_of({.ways = ways, .replacement = replacement});
      std::deque<std::uint64_t> expected;  // first: replaced next
      for (unsigned round = 0; round < 4000; ++round) {
        const std::uint64_t tag = random() % (ways + 3);
        const bool inserts = random() % 2 == 0;
        const auto found = std::find(expected.begin(), expected.end(), tag);
        const bool was = found != expected.end();
        if (was && replacement == VictimReplacement::lru) expected.erase(found);
        if ((was && replacement == VictimReplacement::lru) || (inserts && !was)) expected.push_back(tag);
        if (expected.size() > ways) expected.pop_front();
        ASSERT_EQ(victims.ask(inserts ? What::insert : What::probe, tag).found, was) << ways << " ways";
        for (const std::uint64_t kept : expected) ASSERT_TRUE(VictimTags(victims).holds(kept));
      }
    }
  }
}

// -- the cutoff

TEST(ScoreCutoff, WorkedExamples_CC2_CC4) {
  for (const CutoffRule rule : {CutoffRule::crossing_admitted, CutoffRule::inclusive}) {
    const auto admit = [&](const CutoffRequest& request) { return admit_below_cutoff(rule, request); };
    expect_blocked_warps(rule, admit);
    expect_admitted_counts(rule, admit);
  }
}

TEST(ScoreCutoff, AtOneScoreTheLowestNumberComesFirst) {
  EXPECT_EQ(by_descending_score(warp_set({5, 1, 9}), std::vector<std::uint32_t>(10, 100)),
            (std::vector{WarpId(1), WarpId(5), WarpId(9)}));
}

TEST(ScoreCutoff, AWarpIsAlwaysAdmittedWhereTheCrossingOneIs) {
  const CutoffRequest request{warp_set({7}), 1, std::vector<std::uint32_t>(8, 1023)};
  EXPECT_EQ(admit_below_cutoff(CutoffRule::crossing_admitted, request), warp_set({7}));
  EXPECT_TRUE(admit_below_cutoff(CutoffRule::inclusive, request).none());
  EXPECT_TRUE(admit_below_cutoff(CutoffRule::crossing_admitted, {}).none());
}

// -- which instructions are withheld

TEST(GatedLoad, LoadsOfGlobalAndLocalMemory) {
  isa::MicroOp op;
  op.opcode = isa::Opcode::ld;
  for (const isa::Space space : {isa::Space::global, isa::Space::local, isa::Space::generic}) {
    op.space = space;
    EXPECT_TRUE(is_gated_load(op));
  }
  for (const isa::Space space : {isa::Space::shared, isa::Space::constant, isa::Space::param, isa::Space::texture}) {
    op.space = space;
    EXPECT_FALSE(is_gated_load(op));
  }
  op.space = isa::Space::global;
  for (const isa::Opcode other : {isa::Opcode::st, isa::Opcode::atom, isa::Opcode::tex, isa::Opcode::bar}) {
    op.opcode = other;
    EXPECT_FALSE(is_gated_load(op));
  }
}

}  // namespace
}  // namespace heddle::sm
