// SPDX-License-Identifier: Apache-2.0
// Logic of the blocks of locality scheduling: a set of victim tags, and the cutoff of lost-locality scores.
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "sm/scheduling/locality/gated_load.h"
#include "sm/scheduling/locality/score_cutoff.h"
#include "sm/scheduling/locality/victim_set.h"

namespace heddle::sm {
namespace {

using What = VictimSetRequest::What;

/// A set that keeps its own state.
struct Victims {
  VictimSetShape shape;
  VictimSet set{};
  VictimSetAnswer ask(What what, std::uint64_t tag) {
    const VictimSetAnswer answer = look_up_victim(shape, {what, tag, set});
    if (what == What::insert) set.tags[answer.way] = tag;
    set.valid = answer.valid;
    set.order = answer.order;
    return answer;
  }
  bool holds(std::uint64_t tag) { return ask(What::probe, tag).found; }
};

TEST(VictimSet, AProbeLeavesTheTag) {
  Victims victims{{.ways = 8}};
  EXPECT_FALSE(victims.ask(What::probe, 5).found);
  EXPECT_FALSE(victims.ask(What::insert, 5).found);
  EXPECT_TRUE(victims.ask(What::probe, 5).found);
  EXPECT_TRUE(victims.ask(What::probe, 5).found);
}

TEST(VictimSet, AnEmptyWayDoesNotMatchTagZero) {
  Victims victims{{.ways = 2}};
  EXPECT_FALSE(victims.holds(0));
  victims.ask(What::insert, 0);
  EXPECT_TRUE(victims.holds(0));
}

TEST(VictimSet, WorkedExample_CC7_TheNinthTagReplacesTheFirst) {
  Victims victims{{.ways = 8}};
  for (std::uint64_t tag = 1; tag <= 8; ++tag) victims.ask(What::insert, tag);
  EXPECT_TRUE(victims.holds(1));
  victims.ask(What::insert, 9);
  EXPECT_FALSE(victims.holds(1));
  for (std::uint64_t tag = 2; tag <= 9; ++tag) EXPECT_TRUE(victims.holds(tag)) << tag;
}

TEST(VictimSet, OnlyLeastRecentlyUsedMindsUses) {
  for (const auto replacement : {VictimReplacement::fifo, VictimReplacement::lru}) {
    Victims victims{{.ways = 2, .replacement = replacement}};
    victims.ask(What::insert, 1);
    victims.ask(What::insert, 2);
    EXPECT_TRUE(victims.ask(What::probe, 1).found);
    victims.ask(What::insert, 3);
    EXPECT_EQ(victims.set.tags[0] == 1, replacement == VictimReplacement::lru);
  }
}

TEST(VictimSet, AFreeWayIsTakenBeforeATagIsReplaced) {
  Victims victims{{.ways = 4}};
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
      Victims victims{{.ways = ways, .replacement = replacement}};
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
        for (const std::uint64_t kept : expected) {
          const VictimSet before = victims.set;
          ASSERT_TRUE(victims.holds(kept));
          victims.set = before;
        }
      }
    }
  }
}

// -- the cutoff

WarpSet warps(std::initializer_list<unsigned> members) {
  WarpSet set;
  for (const unsigned w : members) set.set(w);
  return set;
}

/// Active warps that may not load.
WarpSet blocked(CutoffRule rule, const std::vector<std::uint32_t>& scores, const WarpSet& active) {
  const CutoffRequest request{active, 100 * active.count(), scores};
  return active - admit_below_cutoff(rule, request);
}

TEST(ScoreCutoff, WorkedExample_CC2_WhoIsBlocked) {
  const auto crossing = CutoffRule::crossing_admitted, inclusive = CutoffRule::inclusive;
  const WarpSet all = WarpSet::first_n(4), without_w2 = warps({0, 1, 3});
  struct Row {
    const char* time;
    std::vector<std::uint32_t> scores;
    WarpSet active, by_crossing, by_inclusive;
  };
  const Row rows[] = {
      {"T0", {100, 100, 100, 100}, all, {}, {}},
      {"T1", {100, 100, 200, 100}, all, warps({3}), warps({3})},
      {"T2", {200, 100, 200, 100}, all, warps({1, 3}), warps({1, 3})},
      {"T2+49", {151, 100, 151, 100}, all, warps({3}), warps({1, 3})},
      {"T2+50", {150, 100, 150, 100}, all, warps({3}), warps({3})},
      {"T2+99", {101, 100, 101, 100}, all, {}, warps({3})},
      {"T3", {100, 100, 100, 100}, all, {}, {}},
      {"T4, LLDS 200", {200, 100, 0, 100}, without_w2, warps({3}), warps({3})},
      {"T4, LLDS 150", {150, 100, 0, 100}, without_w2, {}, warps({3})},
      {"extreme", {500, 100, 100, 100}, all, warps({1, 2, 3}), all},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(blocked(crossing, row.scores, row.active), row.by_crossing) << row.time;
    EXPECT_EQ(blocked(inclusive, row.scores, row.active), row.by_inclusive) << row.time;
  }
}

TEST(ScoreCutoff, WorkedExample_CC4_NumberOfAdmittedWarps) {
  struct Row {
    unsigned raised, score;
    unsigned crossing, inclusive;
  };
  const Row rows[] = {
      {1, 200, 31, 31}, {1, 600, 27, 27}, {1, 1023, 23, 22}, {2, 200, 30, 30}, {2, 600, 22, 22}, {2, 1023, 14, 13},
      {3, 200, 29, 29}, {3, 600, 17, 17}, {3, 1023, 5, 4},   {4, 200, 28, 28}, {4, 600, 12, 12}, {4, 1023, 4, 3},
      {5, 200, 27, 27}, {5, 600, 7, 7},   {5, 1023, 4, 3},   {8, 200, 24, 24}, {8, 600, 6, 5},   {8, 1023, 4, 3},
  };
  for (const Row& row : rows) {
    CutoffRequest request{WarpSet::first_n(32), 3200, std::vector<std::uint32_t>(32, 100)};
    for (unsigned w = 0; w < row.raised; ++w) request.scores[3 * w % 32] = row.score;
    EXPECT_EQ(admit_below_cutoff(CutoffRule::crossing_admitted, request).count(), row.crossing)
        << row.raised << " at " << row.score;
    EXPECT_EQ(admit_below_cutoff(CutoffRule::inclusive, request).count(), row.inclusive)
        << row.raised << " at " << row.score;
  }
}

TEST(ScoreCutoff, AtOneScoreTheLowestNumberComesFirst) {
  EXPECT_EQ(by_descending_score(warps({5, 1, 9}), std::vector<std::uint32_t>(10, 100)),
            (std::vector{WarpId(1), WarpId(5), WarpId(9)}));
}

TEST(ScoreCutoff, AWarpIsAlwaysAdmittedWhereTheCrossingOneIs) {
  const CutoffRequest request{warps({7}), 1, std::vector<std::uint32_t>(8, 1023)};
  EXPECT_EQ(admit_below_cutoff(CutoffRule::crossing_admitted, request), warps({7}));
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
