// SPDX-License-Identifier: Apache-2.0
// Footprints, admission and what is learned of loads, on the worked examples.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.5, 2.7 and 3 (DA-1 to DA-8).
#include <algorithm>
#include <initializer_list>

#include "locality_targets.h"
#include "sm/scheduling/locality/footprints.h"
#include "sm/scheduling/locality/load_classes.h"
#include "sm/scheduling/locality/load_detectors.h"

namespace heddle::studies {
namespace {

using namespace sm;

constexpr LoopBounds kLoop{100, 200};
constexpr unsigned kConverged = 2;

struct Load {
  CodeAddress pc;
  bool divergent;
  CodeAddress repeats = kNoCode;
};
/// Lines that the loads of a loop access in a trip of so many threads.
unsigned lines_of(const std::vector<Load>& loads, unsigned threads) {
  LoadClasses classes(32);
  for (const Load& load : loads) {
    classes.add(kLoop.begin, load.pc);
    classes.set_divergent(load.pc, load.divergent);
    if (load.repeats != kNoCode) classes.repeat(load.repeats, load.pc);
  }
  return classes.groups(kLoop.begin).lines(threads, kConverged);
}
const std::vector<Load> kDivergent = {{110, true}};
const std::vector<Load> kTwoDivergent = {{110, true}, {120, true}};

/// Footprints of warps whose numbers are their ages.
class Stack {
 public:
  explicit Stack(unsigned effective_lines, bool strict_age = false) : admission_({effective_lines, 256, strict_age}) {}
  Stack& begins(unsigned warp, unsigned lines) {
    table_.begins(ContextId(warp), kLoop.begin, kLoop, lines);
    admission_.admit(table_, [](ContextId a, ContextId b) { return a < b; });
    return *this;
  }
  double sum() const { return admission_.sum(); }
  double blocked() const { return static_cast<double>(admission_.blocked().count()); }
  bool blocks(unsigned warp) const { return admission_.blocked().test(warp); }
  double first_blocked() const {
    unsigned warp = 0;
    while (!admission_.blocked().test(warp)) ++warp;
    return warp;
  }

 private:
  FootprintTable table_;
  LoadAdmission admission_;
};

// -- DA-1: two warps of four threads sum rows of a matrix; the cache has four lines, fully associative

constexpr unsigned kWarpThreads = 4, kLines = 4, kFloatsPerLine = 32;
constexpr unsigned kRows[] = {0, 64, 96, 128, 160, 160, 192, 224, 256};

class RowWarp {
 public:
  explicit RowWarp(unsigned number) {
    for (unsigned t = 0; t < kWarpThreads; ++t) {
      next_[t] = kRows[number * kWarpThreads + t];
      end_[t] = kRows[number * kWarpThreads + t + 1];
    }
  }
  unsigned active() const {
    unsigned threads = 0;
    for (unsigned t = 0; t < kWarpThreads; ++t) threads += next_[t] < end_[t] ? 1u : 0u;
    return threads;
  }
  void trip(ToyCache& cache) {
    for (unsigned t = 0; t < kWarpThreads; ++t) {
      if (next_[t] < end_[t]) cache.load(next_[t]++ / kFloatsPerLine);
    }
  }

 private:
  unsigned next_[kWarpThreads] = {}, end_[kWarpThreads] = {};
};

enum class Order { throttled, interleaved, serial };

/// The example, and what it is like in the second and in the 33rd trip of the first warp.
struct Rows {
  struct Moment {
    double footprints[2] = {}, sum = 0, blocked = 0, lines = 0, hits = 0;
  };
  explicit Rows(Order order) {
    Stack stack(kLines);
    for (unsigned trip = 0; warps[0].active() + warps[1].active() != 0; ++trip) {
      unsigned lines[2];
      for (unsigned w = 0; w < 2; ++w) {
        // Nothing is known of the loop before its first trip.
        lines[w] = trip == 0 ? 0 : lines_of(kDivergent, warps[w].active());
        stack.begins(w, lines[w]);
      }
      const unsigned hits = cache.hits();
      for (unsigned w = 0; w < 2; ++w) {
        const bool waits = order == Order::serial ? w == 1 && warps[0].active() != 0
                                                  : order == Order::throttled && (trip == 0 ? w == 1 : stack.blocks(w));
        if (!waits) warps[w].trip(cache);
      }
      if (trip != 1 && trip != 32) continue;
      Moment& now = trip == 1 ? time1 : time2;
      now = {{1.0 * lines[0], 1.0 * lines[1]}, stack.sum(), stack.blocked(), 0, 1.0 * (cache.hits() - hits)};
      for (const unsigned first : {32u, 160u, 192u, 224u}) now.lines += cache.holds(first / kFloatsPerLine) ? 1 : 0;
    }
  }
  RowWarp warps[2] = {RowWarp(0), RowWarp(1)};
  ToyCache cache{1, kLines};
  Moment time1, time2;
};

void add_rows(Evaluations& targets) {
  const auto throttled = [] { return Rows(Order::throttled); };
  targets["daws.da1.time1-w0-footprint"] = [=] { return throttled().time1.footprints[0]; };
  targets["daws.da1.time1-w1-footprint"] = [=] { return throttled().time1.footprints[1]; };
  targets["daws.da1.time1-sum"] = [=] { return throttled().time1.sum; };
  targets["daws.da1.time1-blocked"] = [=] { return throttled().time1.blocked; };
  targets["daws.da1.time1-w0-hits"] = [=] { return throttled().time1.hits; };
  targets["daws.da1.time2-w0-footprint"] = [=] { return throttled().time2.footprints[0]; };
  targets["daws.da1.time2-sum"] = [=] { return throttled().time2.sum; };
  targets["daws.da1.time2-blocked"] = [=] { return throttled().time2.blocked; };
  targets["daws.da1.time2-lines"] = [=] { return throttled().time2.lines; };
  targets["daws.da1.accesses"] = [=] { return throttled().cache.hits() + throttled().cache.misses(); };
  const std::pair<Order, const char*> orders[] = {
      {Order::throttled, "daws"}, {Order::interleaved, "interleaved"}, {Order::serial, "serial"}};
  for (const auto& [order, name] : orders) {
    targets[std::string("daws.da1.") + name + "-hits"] = [o = order] { return Rows(o).cache.hits(); };
    targets[std::string("daws.da1.") + name + "-misses"] = [o = order] { return Rows(o).cache.misses(); };
  }
}

// -- DA-2, DA-3, DA-4

/// At T0 to T4 of the example.
Stack stack_at(unsigned time) {
  Stack stack(50);
  if (time >= 1) stack.begins(0, 32);
  if (time >= 2) stack.begins(1, 16);
  if (time >= 3) stack.begins(2, 16);
  if (time >= 4) stack.begins(0, 16);
  return stack;
}
/// The first blocked warp where a younger one is in the loop already.
double blocked_of_two(bool strict_age) { return Stack(48, strict_age).begins(1, 32).begins(0, 32).first_blocked(); }

/// Warps of such a footprint that are admitted.
double admitted_of(unsigned lines) {
  Stack stack(effective_lines(0.6, 256));
  unsigned count = 0;
  while (!stack.begins(count, lines).blocks(count)) ++count;
  return count;
}

void add_footprints(Evaluations& targets) {
  for (const unsigned time : {0u, 1u, 2u, 3u, 4u}) {
    const std::string name = "daws.da2.t" + std::to_string(time);
    targets[name + "-sum"] = [=] { return stack_at(time).sum(); };
    targets[name + "-blocked"] = [=] { return stack_at(time).blocked(); };
  }
  targets["daws.da2.order-default"] = [] { return blocked_of_two(false); };
  targets["daws.da2.order-strict-age"] = [] { return blocked_of_two(true); };
  for (const unsigned tenths : {10u, 9u, 8u, 7u, 6u, 5u, 4u}) {
    targets["daws.da3.eff-" + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10)] = [=] {
      return effective_lines(tenths / 10.0, 256);
    };
  }
  const auto predicted = [&](const std::string& name, const std::vector<Load>& loads,
                             std::initializer_list<unsigned> threads) {
    for (const unsigned count : threads)
      targets["daws.da4." + name + "-" + std::to_string(count)] = [=] { return lines_of(loads, count); };
  };
  predicted("1div", kDivergent, {32, 16, 2, 1});
  predicted("1conv", {{110, false}}, {32, 16, 2, 1});
  predicted("2div", kTwoDivergent, {32, 10});
  predicted("2div-same", {{110, true}, {120, true, 110}}, {32});
  predicted("div-conv-same", {{110, true}, {120, false, 110}}, {32});
  predicted("bfs-like", {{124, true}, {127, true}, {132, false}, {140, false}, {141, false, 140}}, {32, 8, 1});
  targets["daws.da4.admit-spmv-scalar"] = [] { return admitted_of(lines_of(kTwoDivergent, 32)); };
  targets["daws.da4.admit-kmn"] = [] { return admitted_of(lines_of({{110, true}, {120, false}}, 32)); };
  targets["daws.cost.footprint-max"] = [] {
    std::vector<Load> loads;
    for (CodeAddress pc = 110; loads.size() < 26; ++pc) loads.push_back({pc, true});
    return lines_of(loads, 32);
  };
}

// -- DA-5

/// The footprint after each step of a warp through two loops, one in the other.
double nested(unsigned steps) {
  constexpr CodeAddress kOuter = 100, kInner = 150;
  LoadClasses classes(32);
  classes.add(kOuter, 105);
  classes.add(kInner, 155);
  classes.set_divergent(155, true);
  FootprintTable table;
  const ContextId warp(0);
  const std::pair<CodeAddress, unsigned> issued[] = {
      {kOuter, 32}, {kInner, 32}, {180, 32}, {kOuter, 20}, {kLoop.end + 1, 20}};
  for (unsigned step = 0; step < steps; ++step) {
    const auto [pc, threads] = issued[step];
    if (table.leaves(warp, pc)) table.clear(warp);
    if (pc != kOuter && pc != kInner) continue;
    const CodeAddress loop = table.predicted(warp, pc);
    table.begins(warp, loop, kLoop, classes.groups(loop).lines(threads, kConverged));
  }
  return table[warp].lines;
}

// -- DA-6, DA-7, DA-8

DivergenceDetector observed(unsigned steps) {
  DivergenceDetector detector(64);
  const unsigned accesses[][2] = {{32, 32}, {32, 32}, {32, 1}, {2, 2}};
  for (unsigned step = 0; step < steps; ++step) detector.observe(7, accesses[step][0], accesses[step][1]);
  return detector;
}

int locality_after(std::initializer_list<bool> found) {
  SamplingTable::Locality locality;
  for (const bool each : found) locality.count(each);
  return locality.value();
}

void add_learning(Evaluations& targets) {
  const char* const steps[] = {"enter-outer", "enter-inner", "leave-inner", "outer-again", "leave-outer"};
  for (unsigned step = 0; step < 5; ++step)
    targets[std::string("daws.da5.") + steps[step]] = [=] { return nested(step + 1); };
  for (unsigned step = 1; step <= 4; ++step) {
    targets["daws.da6.step" + std::to_string(step) + "-count"] = [=] {
      return observed(step).entries()[0].count.value();
    };
    if (step < 4)
      targets["daws.da6.step" + std::to_string(step) + "-flag"] = [=] { return observed(step).divergent(7); };
  }
  // Two loads of one line in a trip, and the line in the next trip.
  struct Trip {
    RepetitionDetector detector{8, 8};
    bool repeats = false, again = false;
    double left = 0;
    Trip() {
      const WarpId warp(3);
      detector.probe(0x40, 10, warp);
      repeats = detector.probe(0x40, 18, warp) == 10;
      detector.clear(warp);
      for (const RepetitionDetector::Entry& entry : detector.entries()) left += entry.used != 0 ? 1 : 0;
      again = detector.probe(0x40, 18, warp) != kNoCode;
    }
  };
  targets["daws.da7.same-trip"] = [] { return Trip().repeats; };
  targets["daws.da7.cleared"] = [] { return Trip().left; };
  targets["daws.da7.next-trip"] = [] { return Trip().again; };

  targets["daws.da8.step1"] = [] { return locality_after({false}); };
  targets["daws.da8.step2"] = [] { return locality_after({false, false}); };
  targets["daws.da8.step3"] = [] { return locality_after({false, false, true}); };
  targets["daws.da8.step4"] = [] { return locality_after({false, false, true, true}); };
  targets["daws.da8.step5"] = [] { return locality_after({false, false, true, true, true}); };
  targets["daws.da8.first-prediction"] = [] {
    SamplingTable::Locality locality;
    const bool found[] = {false, false, true, true, true};
    unsigned loads = 0;
    while (locality.value() <= 0) locality.count(found[loads++]);
    return loads;
  };
  targets["daws.da8.other-warp-hit"] = [] { return locality_after({false}); };
  targets["daws.da8.vta-hit"] = [] { return locality_after({true}); };
}

}  // namespace

void add_footprint_targets(Evaluations& targets) {
  add_rows(targets);
  add_footprints(targets);
  add_learning(targets);
}

}  // namespace heddle::studies
