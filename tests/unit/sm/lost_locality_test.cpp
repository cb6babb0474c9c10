// SPDX-License-Identifier: Apache-2.0
// Lost-locality scores and victim tags of a warp, without a cache.
#include <gtest/gtest.h>

#include <random>

#include "sm/blocks/block_site.h"
#include "sm/scheduling/locality/lost_locality_scores.h"
#include "sm/scheduling/locality/victim_partition.h"

namespace heddle::sm {
namespace {

struct ModelCutoff final : ScoreCutoff {
  explicit ModelCutoff(CutoffRule of_rule) : rule(of_rule) {}
  WarpSet admit(const CutoffRequest& request) override {
    ++asked;
    return admit_below_cutoff(rule, request);
  }
  CutoffRule rule;
  unsigned asked = 0;
};

/// Scores of the first `active` warps. A decay step is ten cycles, so that a score is seen before it decays.
struct Scores {
  explicit Scores(LostLocalityParameters parameters, unsigned active = 4)
      : cutoff(parameters.cutoff_rule), scores(slowed(parameters), 32, cutoff) {
    for (unsigned w = 0; w < active; ++w) scores.begins(WarpId(w));
    wait(10);
  }
  static LostLocalityParameters slowed(LostLocalityParameters parameters) {
    parameters.decay_cycles = 10;
    return parameters;
  }
  void wait(Cycle cycles) {
    for (Cycle end = now + cycles; now < end;) scores.advance(++now);
  }
  void steps(unsigned count) { wait(10 * count); }
  void issue(unsigned instructions, unsigned warp = 1) {
    for (unsigned i = 0; i < instructions; ++i) scores.issued(WarpId(warp));
  }
  /// The warp misses a line that it had lost; the score shows a cycle later.
  void lose(unsigned warp) { scores.lost(WarpId(warp), now + 1); }
  std::uint32_t score(unsigned warp) const { return scores.score(WarpId(warp)); }

  ModelCutoff cutoff;
  LostLocalityScores scores;
  Cycle now = 1;
};

WarpSet warps(std::initializer_list<unsigned> members) {
  WarpSet set;
  for (const unsigned w : members) set.set(w);
  return set;
}

class CutoffRules : public ::testing::TestWithParam<CutoffRule> {
 protected:
  const bool inclusive = GetParam() == CutoffRule::inclusive;
  WarpSet choose(std::initializer_list<unsigned> crossing, std::initializer_list<unsigned> inclusive_warps) const {
    return warps(inclusive ? inclusive_warps : crossing);
  }
};

TEST_P(CutoffRules, WorkedExample_CC2_LocalityScoring) {
  Scores s({.cutoff_rule = GetParam()});
  s.issue(16);
  s.lose(2);
  s.wait(1);
  EXPECT_EQ(s.scores.blocked(), warps({3})) << "T1";
  s.issue(16);
  EXPECT_EQ(s.score(0), 100u);
  s.lose(0);
  EXPECT_EQ(s.score(0), 100u) << "seen in the next cycle";
  s.wait(1);
  EXPECT_EQ(s.score(0), 200u);
  EXPECT_EQ(s.score(2), 200u);
  EXPECT_EQ(s.scores.blocked(), warps({1, 3})) << "T2";
  s.steps(49);
  EXPECT_EQ(s.score(0), 151u);
  EXPECT_EQ(s.scores.blocked(), choose({3}, {1, 3})) << "T2 + 49";
  s.steps(1);
  EXPECT_EQ(s.scores.blocked(), warps({3})) << "T2 + 50";
  s.steps(49);
  EXPECT_EQ(s.score(2), 101u);
  EXPECT_EQ(s.scores.blocked(), choose({}, {3})) << "T2 + 99";
  s.steps(1);
  EXPECT_EQ(s.score(2), 100u);
  EXPECT_TRUE(s.scores.blocked().none()) << "T3";
  s.steps(3);
  EXPECT_EQ(s.score(2), 100u) << "the base score does not decay";
}

TEST_P(CutoffRules, WorkedExample_CC2_AWarpFinishes) {
  for (const unsigned instructions : {24u, 32u}) {
    Scores s({.cutoff_rule = GetParam()});
    s.issue(instructions);
    s.scores.ends(WarpId(2));
    s.wait(2);
    EXPECT_EQ(s.scores.cutoff(), 300u);
    s.scores.lost(WarpId(2), s.now + 1);
    s.lose(0);
    s.lose(0);
    s.wait(1);
    EXPECT_EQ(s.score(0), instructions == 24 ? 200u : 150u) << "a loss of a warp that has ended does not count";
    EXPECT_EQ(s.scores.blocked(), instructions == 24 ? warps({3}) : choose({}, {3}));
  }
}

INSTANTIATE_TEST_SUITE_P(Both, CutoffRules, ::testing::Values(CutoffRule::crossing_admitted, CutoffRule::inclusive),
                         [](const auto& rule) {
                           return rule.param == CutoffRule::inclusive ? "inclusive" : "crossing_admitted";
                         });

TEST(LostLocalityScores, WorkedExample_CC3_ScoreOfALoss) {
  struct Row {
    unsigned losses, instructions, active;
    std::uint32_t loss_score, score;
  };
  const Row rows[] = {{39, 10000, 32, 99, 100},   {40, 10000, 32, 102, 102},    {50, 10000, 32, 128, 128},
                      {100, 10000, 32, 256, 256}, {400, 10000, 32, 1023, 1023}, {50, 10000, 16, 64, 100},
                      {625, 10000, 4, 200, 200}};
  for (const Row& row : rows) {
    Scores s({}, row.active);
    s.issue(row.instructions);
    for (unsigned i = 0; i < row.losses; ++i) s.lose(0);
    s.wait(1);
    EXPECT_EQ(s.scores.loss_score(), row.loss_score) << row.losses << " of " << row.instructions;
    EXPECT_EQ(s.score(0), row.score) << row.losses << " of " << row.instructions;
  }
  Scores unlimited({.score_bits = 0}, 32);
  unlimited.issue(10000);
  for (unsigned i = 0; i < 400; ++i) unlimited.lose(0);
  unlimited.wait(1);
  EXPECT_EQ(unlimited.score(0), 1024u);
}

TEST(LostLocalityScores, WithoutInstructionsALossIsWorthNothing) {
  Scores s({});
  s.lose(0);
  s.wait(1);
  EXPECT_EQ(s.scores.loss_score(), 0u);
  EXPECT_EQ(s.score(0), 100u);
}

TEST(LostLocalityScores, WorkedExample_CC5_LossesDoNotAddUp) {
  Scores s({}, 32);
  s.issue(20000);
  for (unsigned i = 0; i < 99; ++i) s.lose(1);
  s.wait(1);
  s.lose(0);
  s.wait(1);
  EXPECT_EQ(s.score(0), 128u);
  s.steps(1);
  EXPECT_EQ(s.score(0), 127u);
  s.issue(200);
  s.lose(0);
  s.wait(1);
  EXPECT_EQ(s.score(0), 128u);
}

TEST(LostLocalityScores, WorkedExample_CC5_AHitWorthLessThanTheBaseScore) {
  for (const LossBelowBase rule : {LossBelowBase::clamp, LossBelowBase::reference}) {
    Scores s({.below_base = rule}, 32);
    s.issue(400);
    s.lose(0);
    s.wait(1);
    EXPECT_EQ(s.scores.loss_score(), 64u);
    EXPECT_EQ(s.score(0), 100u);
  }
}

TEST(LostLocalityScores, WorkedExample_CC5_AScoreAboveALossThatIsWorthLessByNow) {
  for (const LossBelowBase rule : {LossBelowBase::clamp, LossBelowBase::reference}) {
    const bool clamps = rule == LossBelowBase::clamp;
    Scores s({.below_base = rule}, 3);
    s.issue(16);
    s.lose(0);
    s.wait(1);
    EXPECT_EQ(s.score(0), 150u);
    s.issue(21);
    EXPECT_EQ(s.scores.loss_score(), 64u);
    s.steps(1);
    EXPECT_EQ(s.score(0), clamps ? 149u : 64u);
    s.steps(1);
    EXPECT_EQ(s.score(0), clamps ? 148u : 64u) << "below the base score nothing decays";
    if (clamps) continue;
    s.scores.accessed(WarpId(0), s.now + 1);
    s.wait(1);
    EXPECT_EQ(s.score(0), 100u);
  }
}

TEST(LostLocalityScores, ALaterLossMayLowerAScore) {
  for (const bool never : {false, true}) {
    Scores s({.never_lower = never}, 3);
    s.issue(16);
    s.lose(0);
    s.wait(1);
    EXPECT_EQ(s.score(0), 150u);
    s.issue(24);
    s.lose(0);
    s.wait(1);
    EXPECT_EQ(s.scores.loss_score(), 120u);
    EXPECT_EQ(s.score(0), never ? 150u : 120u);
    const auto changes = s.scores.take_changes();
    EXPECT_EQ(changes.raised, 1u);
    EXPECT_EQ(changes.lowered, never ? 0u : 1u);
  }
}

TEST(LostLocalityScores, TotalsOfResidentWarpsGoWithTheWarps) {
  Scores resident({}), cumulative({.totals = LossTotals::cumulative});
  for (Scores* s : {&resident, &cumulative}) {
    s->issue(10, 0);
    s->issue(6, 1);
    s->lose(0);
    s->lose(1);
    s->wait(1);
    s->scores.ends(WarpId(0));
    s->scores.kernel_begins();
    s->wait(1);
  }
  EXPECT_EQ(resident.scores.lost_total(), 1u);
  EXPECT_EQ(resident.scores.issued_total(), 6u);
  EXPECT_EQ(cumulative.scores.lost_total(), 0u) << "a kernel begins";
}

TEST(LostLocalityScores, CumulativeTotalsKeepWhatEndedWarpsDid) {
  Scores s({.totals = LossTotals::cumulative});
  s.issue(10, 0);
  s.lose(0);
  s.wait(1);
  s.scores.ends(WarpId(0));
  s.wait(1);
  EXPECT_EQ(s.scores.lost_total(), 1u);
  EXPECT_EQ(s.scores.issued_total(), 10u);
}

TEST(LostLocalityScores, WorkedExample_CC8_EverybodyMayLoadOnceTheHighestScoreHasDecayed) {
  for (const CutoffRule rule : {CutoffRule::crossing_admitted, CutoffRule::inclusive}) {
    LostLocalityParameters parameters{.cutoff_rule = rule};
    ModelCutoff cutoff(rule);
    LostLocalityScores scores(parameters, 32, cutoff);
    for (unsigned w = 0; w < 32; ++w) scores.begins(WarpId(w));
    Cycle now = 1;
    scores.advance(++now);
    scores.advance(++now);
    scores.issued(WarpId(0));
    for (unsigned w = 0; w < 32; ++w) scores.lost(WarpId(w), now + 1);
    const Cycle lost = now;
    Cycle blocked = 0;
    do {
      scores.advance(++now);
      if (scores.blocked().any()) blocked = now;
    } while (now < lost + 2000);
    EXPECT_EQ(blocked - lost, rule == CutoffRule::inclusive ? 922u : 919u) << "within 923 cycles";
  }
}

TEST(LostLocalityScores, AtTheBaseScoreTheTestIsNotMade) {
  Scores s({});
  const unsigned before = s.cutoff.asked;
  s.issue(100);
  s.wait(1000);
  EXPECT_EQ(s.cutoff.asked, before);
  EXPECT_EQ(s.scores.next_change(), kNever);
}

TEST(LostLocalityScores, TheTestIsMadeOncePerPeriod) {
  Scores s({.period = 8}, 2);
  s.wait(8);
  s.issue(1);
  while (s.now % 8 != 1) s.wait(1);
  s.lose(0);
  s.wait(6);
  EXPECT_TRUE(s.scores.blocked().none());
  EXPECT_EQ(s.scores.next_change() % 8, 0u);
  s.wait(1);
  EXPECT_EQ(s.scores.blocked(), warps({1}));
}

// Against a model that keeps every score in every cycle. The one under test is only asked in cycles in which it says
// that something may change.
TEST(LostLocalityScores, SleepingMakesNoDifference) {
  std::mt19937_64 random(11);
  for (unsigned round = 0; round < 200; ++round) {
    LostLocalityParameters p{.k_throttle = 1u << random() % 8,
                             .cutoff_rule = random() % 2 == 0 ? CutoffRule::inclusive : CutoffRule::crossing_admitted,
                             .totals = random() % 2 == 0 ? LossTotals::resident : LossTotals::cumulative,
                             .below_base = random() % 4 == 0 ? LossBelowBase::reference : LossBelowBase::clamp,
                             .decay = 1 + static_cast<unsigned>(random() % 3),
                             .decay_cycles = 1 + static_cast<unsigned>(random() % 4),
                             .period = 1 + static_cast<unsigned>(random() % 3)};
    ModelCutoff cutoff(p.cutoff_rule);
    LostLocalityScores every(p, 8, cutoff), sleepy(p, 8, cutoff);
    for (Cycle now = 1; now < 3000; ++now) {
      const auto both = [&](auto&& act) {
        act(every);
        act(sleepy);
      };
      // Launches and ends are work of the stage that asks.
      bool works = sleepy.next_change() <= now;
      const WarpId warp(static_cast<unsigned>(random() % 8));
      if (random() % 200 == 0) {
        works = true;
        const bool active = every.active().test(warp);
        both([&](auto& s) { active ? s.ends(warp) : s.begins(warp); });
      }
      every.advance(now);
      if (works) sleepy.advance(now);
      ASSERT_EQ(every.blocked(), sleepy.blocked()) << "round " << round << ", cycle " << now;
      for (unsigned w = 0; works && w < 8; ++w) ASSERT_EQ(every.score(WarpId(w)), sleepy.score(WarpId(w))) << now;
      if (works && random() % 2 == 0 && every.active().test(warp)) both([&](auto& s) { s.issued(warp); });
      if (random() % 40 == 0) both([&](auto& s) { s.lost(warp, now + 1); });
      if (p.below_base == LossBelowBase::reference && random() % 30 == 0)
        both([&](auto& s) { s.accessed(warp, now + 1); });
    }
  }
}

// -- victim tags of a warp

struct ModelLookup final : VictimLookup {
  explicit ModelLookup(const VictimTagParameters& p) : shape{.ways = p.set_ways(), .replacement = p.replacement} {}
  VictimSetAnswer look_up(const VictimSetRequest& request) override { return look_up_victim(shape, request); }
  VictimSetShape shape;
};

TEST(VictimPartition, WorkedExample_CC7_Capacity) {
  const VictimTagParameters parameters;
  ModelLookup lookup(parameters);
  VictimPartition partition(&lookup, parameters);
  for (std::uint64_t line = 1; line <= 8; ++line) partition.insert(2 * line + 1, line);
  for (std::uint64_t line = 1; line <= 9; ++line) partition.insert(2 * line, line);
  EXPECT_FALSE(partition.find(2).has_value()) << "the first of nine lines of an even address";
  for (std::uint64_t line = 2; line <= 9; ++line) EXPECT_EQ(partition.find(2 * line), line);
  for (std::uint64_t line = 1; line <= 8; ++line) EXPECT_EQ(partition.find(2 * line + 1), line) << "the other set";
}

TEST(VictimPartition, RemembersTheLastUseOfALineThatIsLostAgain) {
  const VictimTagParameters parameters;
  ModelLookup lookup(parameters);
  VictimPartition partition(&lookup, parameters);
  EXPECT_FALSE(partition.insert(5, 10));
  EXPECT_TRUE(partition.insert(5, 20)) << "it was still there";
  EXPECT_EQ(partition.find(5), 20u);
  EXPECT_TRUE(partition.remove(5));
  EXPECT_FALSE(partition.remove(5));
  partition.insert(7, 1);
  partition.clear();
  EXPECT_FALSE(partition.find(7).has_value());
}

TEST(VictimPartition, WithoutLimitNothingIsForgotten) {
  const VictimTagParameters parameters{.entries = 0};
  VictimPartition partition(nullptr, parameters);
  for (std::uint64_t line = 0; line < 5000; ++line) EXPECT_FALSE(partition.insert(line, line));
  for (std::uint64_t line = 0; line < 5000; ++line) EXPECT_EQ(partition.find(line), line);
  EXPECT_TRUE(partition.insert(3, 9));
  EXPECT_TRUE(partition.remove(3));
  EXPECT_FALSE(partition.find(3).has_value());
}

TEST(VictimTagParameters, WaysAndSets) {
  struct Row {
    unsigned entries, ways, sets;
  };
  for (const Row& row :
       {Row{1, 1, 1}, Row{2, 2, 1}, Row{4, 4, 1}, Row{8, 8, 1}, Row{16, 8, 2}, Row{32, 8, 4}, Row{512, 8, 64}}) {
    const VictimTagParameters parameters{.entries = row.entries};
    EXPECT_EQ(parameters.set_ways(), row.ways);
    EXPECT_EQ(parameters.sets(), row.sets);
  }
}

}  // namespace
}  // namespace heddle::sm
