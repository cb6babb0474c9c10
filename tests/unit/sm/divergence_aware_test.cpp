// SPDX-License-Identifier: Apache-2.0
// Footprints, admission, and what is learned of loads, against the worked examples.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 3, DA-1 to DA-8.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "sm/scheduling/locality/footprints.h"
#include "sm/scheduling/locality/load_classes.h"
#include "sm/scheduling/locality/load_detectors.h"

namespace heddle::sm {
namespace {

constexpr LoopBounds kLoop{100, 200};
constexpr unsigned kConverged = 2;

ContextId context(unsigned number) { return ContextId(number); }

/// A table, and the admission by it; context numbers are ages unless `ages` says otherwise.
struct Admitting {
  explicit Admitting(unsigned effective, unsigned lines = 256, bool strict_age = false)
      : admission({effective, lines, strict_age}) {}
  void begins(unsigned c, unsigned lines, CodeAddress loop = kLoop.begin) {
    table.begins(context(c), loop, kLoop, lines);
    decide();
  }
  void decide() {
    const auto age = [this](ContextId c) { return ages.empty() ? c.number() : ages[c]; };
    admission.admit(table, [&](ContextId a, ContextId b) { return age(a) < age(b); });
  }
  /// Numbers of the contexts that may not load.
  std::vector<unsigned> blocked() const {
    std::vector<unsigned> all;
    admission.blocked().for_each([&](std::size_t c) { all.push_back(static_cast<unsigned>(c)); });
    return all;
  }
  FootprintTable table;
  LoadAdmission admission;
  std::vector<unsigned> ages;
};
using Numbers = std::vector<unsigned>;

// -- DA-1: two warps of four threads sum rows of a matrix; the cache has four lines, fully associative

constexpr unsigned kThreads = 8, kWarpThreads = 4, kLines = 4, kFloatsPerLine = 32;
constexpr unsigned kRows[kThreads + 1] = {0, 64, 96, 128, 160, 160, 192, 224, 256};

struct ToyCache {
  std::deque<unsigned> lines;  ///< the one used least recently first
  unsigned hits = 0, misses = 0;
  void access(unsigned line) {
    const auto found = std::find(lines.begin(), lines.end(), line);
    if (found != lines.end()) {
      lines.erase(found);
      ++hits;
    } else {
      ++misses;
      if (lines.size() == kLines) lines.pop_front();
    }
    lines.push_back(line);
  }
};

struct ToyWarp {
  explicit ToyWarp(unsigned number) {
    for (unsigned t = 0; t < kWarpThreads; ++t) {
      next.push_back(kRows[number * kWarpThreads + t]);
      end.push_back(kRows[number * kWarpThreads + t + 1]);
    }
  }
  unsigned active() const {
    unsigned threads = 0;
    for (unsigned t = 0; t < kWarpThreads; ++t) threads += next[t] < end[t] ? 1u : 0u;
    return threads;
  }
  void trip(ToyCache& cache) {
    for (unsigned t = 0; t < kWarpThreads; ++t) {
      if (next[t] < end[t]) cache.access(next[t]++ / kFloatsPerLine);
    }
  }
  std::vector<unsigned> next, end;
};

TEST(WorkedExample_DA1, WithoutThrottlingTripsInTurnLoseTheLines) {
  ToyCache cache;
  ToyWarp warps[2] = {ToyWarp(0), ToyWarp(1)};
  while (warps[0].active() + warps[1].active() != 0) {
    for (ToyWarp& warp : warps) warp.trip(cache);
  }
  EXPECT_EQ(cache.hits, 31u);
  EXPECT_EQ(cache.misses, 225u);
}

TEST(WorkedExample_DA1, FootprintsKeepTheLinesInTheCache) {
  ToyCache cache;
  ToyWarp warps[2] = {ToyWarp(0), ToyWarp(1)};
  LoadClasses classes(32);
  Admitting toy(kLines, kLines);
  warps[0].trip(cache);  // time 0: the load is learned
  ASSERT_TRUE(classes.add(kLoop.begin, 110));
  classes.set_divergent(110, true);
  bool stopped = false, both_at_33 = false;
  unsigned trips = 1;
  while (warps[0].active() + warps[1].active() != 0) {
    for (unsigned w = 0; w < 2; ++w) {
      const unsigned lines = classes.groups(kLoop.begin).lines(warps[w].active(), kConverged);
      toy.table.begins(context(w), kLoop.begin, kLoop, lines);
    }
    toy.decide();
    if (trips == 1) {
      EXPECT_EQ(toy.admission.sum(), 7u) << "time 1: 4 and 3 lines";
      EXPECT_EQ(toy.blocked(), Numbers{1});
    }
    stopped = stopped || !toy.blocked().empty();
    if (trips == 32) both_at_33 = toy.blocked().empty() && toy.admission.sum() == 4;
    for (unsigned w = 0; w < 2; ++w) {
      if (!toy.admission.blocked().test(w)) warps[w].trip(cache);
    }
    ++trips;
  }
  EXPECT_TRUE(stopped);
  EXPECT_TRUE(both_at_33) << "time 2: one thread of W0 is left, and W1 fits beside it";
  EXPECT_EQ(cache.hits, 248u);
  EXPECT_EQ(cache.misses, 8u);
}

TEST(WorkedExample_DA1, OneWarpAfterTheOtherHitsAsOften) {
  ToyCache cache;
  for (unsigned w = 0; w < 2; ++w) {
    for (ToyWarp warp(w); warp.active() != 0;) warp.trip(cache);
  }
  EXPECT_EQ(cache.hits, 248u);
  EXPECT_EQ(cache.misses, 8u);
}

// -- DA-2: the stack of footprints

TEST(WorkedExample_DA2, AWarpIsBlockedUntilThreadsOfAnOlderOneLeave) {
  Admitting stack(50);
  EXPECT_EQ(stack.admission.sum(), 0u);
  stack.begins(0, 32);
  EXPECT_EQ(stack.blocked(), Numbers{});
  stack.begins(1, 16);
  EXPECT_EQ(stack.admission.sum(), 48u);
  EXPECT_EQ(stack.blocked(), Numbers{});
  stack.begins(2, 16);
  EXPECT_EQ(stack.admission.sum(), 64u);
  EXPECT_EQ(stack.blocked(), Numbers{2});
  stack.begins(0, 16);
  EXPECT_EQ(stack.admission.sum(), 48u);
  EXPECT_EQ(stack.blocked(), Numbers{});
}

TEST(WorkedExample_DA2, TheWarpAlreadyInItsLoopComesFirstUnlessAgeIsStrict) {
  Admitting usual(48), strict(48, 256, true);
  for (Admitting* order : {&usual, &strict}) {
    order->begins(1, 32);
    order->begins(0, 32);
  }
  EXPECT_EQ(usual.blocked(), Numbers{0});
  EXPECT_EQ(strict.blocked(), Numbers{1});
}

// -- DA-3

TEST(WorkedExample_DA3, EffectiveLinesAreAShareOfTheCache) {
  const std::pair<double, unsigned> examples[] = {{1.0, 256}, {0.9, 230}, {0.8, 204}, {0.7, 179},
                                                  {0.6, 153}, {0.5, 128}, {0.4, 102}};
  for (const auto& [factor, lines] : examples) EXPECT_EQ(effective_lines(factor, 256), lines) << factor;
}

// -- DA-4

struct Load {
  CodeAddress pc;
  bool divergent;
  CodeAddress repeats = kNoCode;
};
unsigned lines_of(const std::vector<Load>& loads, unsigned threads) {
  LoadClasses classes(32);
  for (const Load& load : loads) {
    EXPECT_TRUE(classes.add(kLoop.begin, load.pc));
    classes.set_divergent(load.pc, load.divergent);
  }
  for (const Load& load : loads) {
    if (load.repeats != kNoCode) classes.repeat(load.repeats, load.pc);
  }
  EXPECT_TRUE(classes.add(kLoop.begin + 50, 151)) << "a load of another loop does not count";
  return classes.groups(kLoop.begin).lines(threads, kConverged);
}

TEST(WorkedExample_DA4, PredictsTheLinesOfATrip) {
  const std::vector<Load> divergent{{110, true}}, converged{{110, false}};
  for (const unsigned threads : {32u, 16u, 2u, 1u}) EXPECT_EQ(lines_of(divergent, threads), threads);
  for (const unsigned threads : {32u, 16u, 2u}) EXPECT_EQ(lines_of(converged, threads), 2u);
  EXPECT_EQ(lines_of(converged, 1), 1u);
  EXPECT_EQ(lines_of(converged, 0), 0u);
  const std::vector<Load> spmv{{110, true}, {120, true}};
  EXPECT_EQ(lines_of(spmv, 32), 64u);
  EXPECT_EQ(lines_of(spmv, 10), 20u);
  EXPECT_EQ(lines_of({{110, true}, {120, true, 110}}, 32), 32u);
  EXPECT_EQ(lines_of({{110, true}, {120, false, 110}}, 32), 32u) << "a mixed group counts as diverged";
  EXPECT_EQ(lines_of({{110, false}, {120, true, 110}}, 32), 32u);
  const std::vector<Load> bfs{{124, true}, {127, true}, {132, false}, {140, false}, {141, false, 140}};
  EXPECT_EQ(lines_of(bfs, 32), 68u);
  EXPECT_EQ(lines_of(bfs, 8), 20u);
  EXPECT_EQ(lines_of(bfs, 1), 4u);
}

TEST(WorkedExample_DA4, AdmitsAsManyWarpsAsTheBestStaticLimit) {
  Admitting spmv(153), kmeans(153);
  for (unsigned w = 0; w < 5; ++w) {
    spmv.begins(w, 64);
    kmeans.begins(w, 34);
  }
  EXPECT_EQ(spmv.blocked(), (Numbers{2, 3, 4}));
  EXPECT_EQ(kmeans.blocked(), (Numbers{4}));
}

// -- DA-5

TEST(WorkedExample_DA5, TheOuterLoopKeepsTheFootprintOfTheInner) {
  constexpr CodeAddress kOuter = 100, kInner = 150;
  LoadClasses classes(32);
  ASSERT_TRUE(classes.add(kOuter, 105) && classes.add(kInner, 155));
  classes.set_divergent(155, true);
  FootprintTable table;
  const auto issues = [&](CodeAddress pc, unsigned threads) {
    if (table.leaves(context(0), pc)) table.clear(context(0));
    if (pc != kOuter && pc != kInner) return;
    const CodeAddress loop = table.predicted(context(0), pc);
    table.begins(context(0), loop, kLoop, classes.groups(loop).lines(threads, kConverged));
  };
  const auto entry = [&] { return std::pair<CodeAddress, unsigned>(table[context(0)].loop, table[context(0)].lines); };
  using Entry = std::pair<CodeAddress, unsigned>;
  issues(kOuter, 32);
  EXPECT_EQ(entry(), Entry(kOuter, 2));
  issues(kInner, 32);
  EXPECT_EQ(entry(), Entry(kInner, 32));
  issues(180, 32);  // behind the inner loop
  EXPECT_EQ(entry(), Entry(kInner, 32));
  issues(kOuter, 20);
  EXPECT_EQ(entry(), Entry(kInner, 20));
  issues(kLoop.end, 20);
  EXPECT_EQ(entry(), Entry(kInner, 20));
  issues(kLoop.end + 1, 20);
  EXPECT_EQ(entry(), Entry(kNoCode, 0));
  EXPECT_TRUE(table.in_loop().none());
}

// -- DA-6

TEST(WorkedExample_DA6, ALoadDivergesOnceTwoMoreAccessesSaySo) {
  DivergenceDetector detector(64);
  detector.observe(7, 32, 32);
  EXPECT_FALSE(detector.divergent(7));
  detector.observe(7, 32, 32);
  EXPECT_TRUE(detector.divergent(7));
  detector.observe(7, 32, 1);
  EXPECT_FALSE(detector.divergent(7));
  detector.observe(7, 2, 2);
  ASSERT_EQ(detector.entries().size(), 1u);
  EXPECT_EQ(detector.entries()[0].count.value(), 1) << "two threads are ignored";
  detector.observe(7, 3, 3);
  EXPECT_TRUE(detector.divergent(7)) << "three count";
}

TEST(DivergenceDetectorTest, CountsWithFourBitsAndForgetsTheLoadSeenLeastRecently) {
  DivergenceDetector detector(2);
  for (unsigned i = 0; i < 20; ++i) detector.observe(1, 32, 32);
  EXPECT_EQ(detector.entries()[0].count.value(), 7);
  for (unsigned i = 0; i < 40; ++i) detector.observe(1, 32, 2);
  EXPECT_EQ(detector.entries()[0].count.value(), -8);
  detector.observe(2, 32, 32);
  detector.observe(1, 32, 32);
  detector.observe(3, 32, 32);
  ASSERT_EQ(detector.entries().size(), 2u);
  EXPECT_EQ(detector.entries()[0].load, 1u);
  EXPECT_EQ(detector.entries()[1].load, 3u);
}

// -- DA-7

TEST(WorkedExample_DA7, LoadsOfATripThatAccessOneLineRepeat) {
  RepetitionDetector detector(8, 8);
  const WarpId warp(3);
  EXPECT_EQ(detector.probe(0x40, 10, warp), kNoCode);
  EXPECT_EQ(detector.probe(0x40, 18, warp), 10u);
  EXPECT_EQ(detector.probe(0x40, 10, warp), 10u) << "the load itself";
  detector.clear(warp);
  EXPECT_EQ(detector.probe(0x40, 18, warp), kNoCode);
}

TEST(RepetitionDetectorTest, ASetKeepsItsEightMostRecentLinesAndATripClearsThoseOfItsWarp) {
  RepetitionDetector detector(8, 8);
  const WarpId warp(1), other(2);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(detector.probe(8 * i, i, warp), kNoCode);
  EXPECT_EQ(detector.probe(0, 20, warp), 0u) << "used again";
  EXPECT_EQ(detector.probe(8 * 8, 8, warp), kNoCode) << "replaces line 8";
  EXPECT_EQ(detector.probe(0, 21, warp), 0u);
  EXPECT_EQ(detector.probe(8, 22, warp), kNoCode) << "replaces line 16";
  EXPECT_EQ(detector.probe(1, 30, other), kNoCode);
  detector.clear(warp);
  EXPECT_EQ(detector.probe(1, 31, other), 30u);
  EXPECT_EQ(detector.probe(24, 32, warp), kNoCode);
}

// -- DA-8

TEST(WorkedExample_DA8, PredictionsBeginOnceLocalityOutweighsMisses) {
  SamplingTable::Locality locality;
  std::vector<int> values;
  for (const bool captured_or_lost : {false, false, true, true, true}) {
    locality.count(captured_or_lost);
    values.push_back(locality.value());
  }
  EXPECT_EQ(values, (std::vector<int>{-1, -2, -1, 0, 1}));
  for (unsigned i = 0; i < 300; ++i) locality.count(true);
  EXPECT_EQ(locality.value(), 127);
  for (unsigned i = 0; i < 300; ++i) locality.count(false);
  EXPECT_EQ(locality.value(), -128);
}

// -- beyond the examples

TEST(LoadAdmissionTest, EqualityAdmitsAndOneLineMoreDoesNot) {
  Admitting exact(64);
  exact.begins(0, 32);
  exact.begins(1, 32);
  EXPECT_EQ(exact.blocked(), Numbers{});
  exact.begins(1, 33);
  EXPECT_EQ(exact.blocked(), Numbers{1});
}

TEST(LoadAdmissionTest, TheFirstIsAlwaysAdmittedAndABlockedOneStaysInTheSum) {
  Admitting order(100);
  order.begins(0, 200);
  EXPECT_EQ(order.blocked(), Numbers{}) << "first";
  Admitting behind(100);
  behind.begins(0, 60);
  behind.begins(1, 60);
  behind.begins(2, 10);
  EXPECT_EQ(behind.blocked(), (Numbers{1, 2})) << "the small one waits, too";
  behind.table.clear(context(0));
  behind.decide();
  EXPECT_EQ(behind.blocked(), Numbers{});
}

TEST(LoadAdmissionTest, ALoopOfWhichOneWarpFillsTheCacheIsNotThrottled) {
  Admitting loop(153, 256, true);
  loop.begins(0, 257);
  loop.begins(1, 40);
  loop.begins(2, 150, kLoop.begin + 20);
  loop.begins(3, 10, kLoop.begin + 20);
  EXPECT_EQ(loop.blocked(), Numbers{3}) << "only in the other loop";
  EXPECT_TRUE(loop.admission.over_capacity());
  loop.begins(0, 256);
  EXPECT_EQ(loop.blocked(), (Numbers{1, 2, 3})) << "256 fit";
  EXPECT_FALSE(loop.admission.over_capacity());
}

TEST(LoadAdmissionTest, TentativeFootprintsCountButLetNobodyIn) {
  Admitting order(100);
  order.table.expects(context(0), kLoop.begin, 60);
  order.decide();
  EXPECT_EQ(order.blocked(), Numbers{});
  EXPECT_FALSE(order.admission.admitted().test(0));
  EXPECT_FALSE(order.table.loop_with_lines()) << "a tentative entry is in no loop";
  order.begins(1, 60);
  EXPECT_EQ(order.blocked(), Numbers{1}) << "older, and not admitted either";
  order.table.clear(context(0));
  order.begins(1, 60);
  order.table.expects(context(0), kLoop.begin, 60);
  order.decide();
  EXPECT_EQ(order.blocked(), Numbers{0}) << "the younger one was let in first";
}

TEST(FootprintTableTest, AWaitingContextCountsForNothingUntilItsNextTrip) {
  Admitting order(40);
  order.begins(0, 32);
  order.begins(1, 32);
  EXPECT_EQ(order.blocked(), Numbers{1});
  order.table.waits(context(0));
  order.decide();
  EXPECT_EQ(order.blocked(), Numbers{});
  EXPECT_TRUE(order.table.in_loop().test(0));
  order.begins(0, 32);
  EXPECT_EQ(order.blocked(), Numbers{0}) << "the other was let in meanwhile";
}

TEST(FootprintTableTest, AFootprintHasTenBits) {
  FootprintTable table;
  table.begins(context(0), kLoop.begin, kLoop, 5000);
  EXPECT_EQ(table[context(0)].lines, 1023u);
}

TEST(LoadClassesTest, GroupsMergeAndAFullTableTakesNoMore) {
  LoadClasses classes(3);
  EXPECT_TRUE(classes.add(1, 10) && classes.add(1, 11) && classes.add(1, 12));
  EXPECT_FALSE(classes.add(1, 13));
  EXPECT_TRUE(classes.add(1, 12)) << "known";
  classes.repeat(10, 11);
  classes.repeat(12, 11);
  EXPECT_EQ(classes.groups(1).converged, 1u) << "all three share a line";
  classes.repeat(10, 99);
  classes.forget(1);
  EXPECT_TRUE(classes.entries().empty());
}

TEST(SamplingTableTest, AFullTableReplacesTheLoopUsedLeastRecentlyThatNobodySamples) {
  SamplingTable table(2);
  CodeAddress replaced = kNoCode;
  table.use(1, replaced)->sampled = true;
  ASSERT_NE(table.use(2, replaced), nullptr);
  EXPECT_EQ(replaced, kNoCode);
  ASSERT_NE(table.use(3, replaced), nullptr);
  EXPECT_EQ(replaced, 2u);
  table.find(3)->sampled = true;
  EXPECT_EQ(table.use(4, replaced), nullptr);
  EXPECT_EQ(table.find(2), nullptr);
}

}  // namespace
}  // namespace heddle::sm
