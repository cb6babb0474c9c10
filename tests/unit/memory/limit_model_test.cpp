// SPDX-License-Identifier: Apache-2.0
// The model of warp limits. Worked examples: docs/sources/cache-conscious-and-divergence-aware.md, 3.
#include "memory/locality/limit_model.h"

#include <gtest/gtest.h>

#include "traces.h"

namespace heddle::memory {
namespace {

using test::kernel;
using test::machine;
using test::Trace;

struct Answer {
  std::uint64_t hits, misses, cycles;
};

Answer play(const TracedMachine& machine, const TracedSm& sm, unsigned limit) {
  const TracedKernel of = kernel();
  const TracedTimes times{10, 100, 4};
  const LimitResult result = LimitModel(machine, of, times, sm).run(limit);
  return {result.places[0].hits, result.places[0].misses + result.places[0].merges, result.cycles};
}

/// Three warps of two instructions with four lines each.
TracedSm shaped() {
  Trace trace(3);
  for (unsigned trip = 1; trip < 3; ++trip) trace.load(0, "ABCD", trip).load(1, "EFGH", trip).load(2, "IJKL", trip);
  return trace.sm;
}

TEST(LimitModel, WorkedExample_CC1_ALimitOfOneWarpGroupsItsAccesses) {
  EXPECT_EQ(play(machine(1, 4), shaped(), 1).hits, 12u);
  TracedMachine turns = machine(1, 4);
  turns.order = TracedOrder::round_robin;
  EXPECT_EQ(play(turns, shaped(), 3).hits, 0u);
}

TEST(LimitModel, WithoutMissesTheGreedyOrderStaysWithAWarp) {
  Trace trace(2);
  trace.load(0, "A", 1).load(1, "A", 1);
  for (unsigned trip = 2; trip < 5; ++trip) trace.load(0, "A", trip).load(1, "A", trip);
  const Answer both = play(machine(1, 4), trace.sm, 2);
  EXPECT_EQ(both.hits + both.misses, 8u);
  EXPECT_EQ(both.misses, 2u) << "a first touch, and the other warp's merge with it";
}

TEST(LimitModel, TimeOfALimitIsThatOfItsMisses) {
  // Without reuse, one warp after the other takes as long as its misses; together they overlap.
  Trace trace(4);
  const std::string lines = "ABCDEFGHIJKLMNOP";
  for (unsigned i = 0; i < 16; ++i) trace.load(i % 4, lines.substr(i, 1), i / 4);
  const Answer one = play(machine(16, 4), trace.sm, 1), all = play(machine(16, 4), trace.sm, 4);
  EXPECT_EQ(one.misses, 16u);
  EXPECT_EQ(all.misses, 16u);
  EXPECT_GT(one.cycles, 3 * all.cycles);
}

TEST(LimitModel, MissesWaitForAnEntry) {
  Trace trace(8);
  for (unsigned warp = 0; warp < 8; ++warp) trace.load(warp, std::string(1, static_cast<char>('A' + warp)));
  for (unsigned warp = 0; warp < 8; ++warp) trace.load(warp, "X");
  TracedMachine narrow = machine(16, 4);
  narrow.cache.miss_entries = 1;
  EXPECT_GT(play(narrow, trace.sm, 8).cycles, 4 * play(machine(16, 4), trace.sm, 8).cycles);
}

TEST(LimitModel, WorkedExample_SW1_TheLimitIsLiftedWhileLimitedWarpsWaitAtABarrier) {
  // Every warp loads, waits for the others, and loads again. With a limit of two the others would never come.
  Trace trace(4);
  for (unsigned warp = 0; warp < 4; ++warp) trace.load(warp, std::string(1, static_cast<char>('A' + warp)), 1);
  for (unsigned warp = 0; warp < 4; ++warp) trace.barrier(warp);
  for (unsigned warp = 0; warp < 4; ++warp) trace.load(warp, std::string(1, static_cast<char>('A' + warp)), 2);
  const Answer limited = play(machine(1, 4), trace.sm, 2);
  EXPECT_EQ(limited.hits, 4u);
  EXPECT_EQ(limited.misses, 4u);
  EXPECT_GT(limited.cycles, 2 * 100u) << "the second pair loads after the first";
}

TEST(LimitModel, ABarrierThatAWarpNeverComesToEndsNothing) {
  Trace trace(2);
  trace.load(0, "A").load(1, "B").barrier(0).load(0, "A").load(1, "B");
  const Answer cut = play(machine(1, 4), trace.sm, 2);
  EXPECT_EQ(cut.hits + cut.misses, 4u);
}

TEST(LimitModel, ABlockWaitsForTheOneInItsSlot) {
  Trace trace(2);
  trace.load(0, "A").load(0, "A").load(1, "B").load(1, "B");
  trace.sm.warps[1].block = 1;
  const TracedKernel of = kernel();
  const TracedMachine with = machine(1, 1);
  const TracedTimes times{10, 100, 4};
  const LimitModel model(with, of, times, trace.sm);
  EXPECT_EQ(model.most_warps(), 1u);
  EXPECT_EQ(model.run(8).places[0].hits, 2u) << "one after the other";
}

TEST(LimitModel, ALoadRunsAheadOfOthersAsFarAsOneDidInTheRun) {
  Trace trace(1);
  const std::string lines = "ABCDEFGH";
  for (unsigned i = 0; i < 8; ++i) trace.load(0, lines.substr(i, 1), i);
  const Answer in_turn = play(machine(16, 4), trace.sm, 1);
  trace.sm.accesses[5].outstanding = 7;
  const Answer ahead = play(machine(16, 4), trace.sm, 1);
  EXPECT_GT(in_turn.cycles, 7 * 100u);
  EXPECT_LT(ahead.cycles, 2 * 100u);
}

}  // namespace
}  // namespace heddle::memory
