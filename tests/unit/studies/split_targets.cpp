// SPDX-License-Identifier: Apache-2.0
// The worked examples of splits: warps without latencies on the context tables, and the rule for who waits. Source:
// docs/sources/branch-and-warp-interweaving.md, 3 (V1 to V4).
#include <gtest/gtest.h>

#include <algorithm>

#include "interweaving_targets.h"
#include "sm/grouping/interweaving/secondary_lookup.h"
#include "tests/unit/sm/zero_latency_warp.h"

namespace heddle::studies {
namespace {

using namespace sm;

using Points = std::map<std::uint32_t, std::uint32_t>;

/// V1 without instruction 0, which stands before the branch and which the source does not have.
ZeroLatencyWarp::Result figure_2(unsigned hot, const Points& points = {}) {
  ZeroLatencyWarp::Result result = ZeroLatencyWarp(4, two_ways, hot).constrain(points).run();
  EXPECT_EQ(result.trace.at(0), "0:1111");
  result.trace.erase(result.trace.begin());
  result.cycles -= 1;
  result.issues -= 1;
  result.thread_instructions -= 4;
  return result;
}
const Points kFigure2Points = {{6, 1}};

/// Cycles in which an instruction issues.
std::vector<double> issues_of(const ZeroLatencyWarp::Result& result, const std::string& pc) {
  std::vector<double> cycles;
  for (std::size_t cycle = 0; cycle < result.trace.size(); ++cycle) {
    const std::string line = "|" + result.trace[cycle];
    if (line.find("|" + pc + ":") != std::string::npos) cycles.push_back(static_cast<double>(cycle));
  }
  return cycles;
}

/// V1 on two warps with one hot split each. In every cycle the oldest instruction issues, and of the other warp the one
/// that the look-up finds for the lanes left free.
class TwoWarps {
 public:
  /// if_threads: of the second warp, with a bit per thread; delay: cycles after which that warp begins.
  TwoWarps(std::uint64_t if_threads, unsigned delay) : entered_{0, delay} {
    const NextCounter second = [=](std::uint32_t pc, unsigned thread) {
      if (pc != 1) return two_ways(pc, thread);
      return (if_threads >> thread & 1) != 0 ? 2u : 5u;
    };
    next_ = {two_ways, second};
    for (unsigned w = 0; w < 2; ++w) {
      contexts_.start(WarpId(w), 0b1111);
      contexts_.put(WarpId(w), 0, 1, 0b1111);
    }
    for (; live(0) || live(1); ++cycles) {
      if (cycles > 100) throw std::runtime_error("two warps that never end");
      step();
    }
  }

  unsigned cycles = 0;
  /// Cycle of the last issue, by warp and program counter.
  std::map<std::pair<unsigned, std::uint32_t>, double> issued;

 private:
  const SplitContext& at(unsigned warp) const { return contexts_.row(WarpId(warp))[0]; }
  bool live(unsigned warp) const { return at(warp).valid; }
  bool ready(unsigned warp) const { return live(warp) && entered_[warp] <= cycles; }
  void step() {
    cold_.cycle();
    if (!ready(0) && !ready(1)) return;
    const unsigned first = !ready(1) || (ready(0) && entered_[0] <= entered_[1]) ? 0 : 1, other = 1 - first;
    LookupRequest request;
    request.same_unit = 0b11;
    request.free = ~at(first).threads;
    if (ready(other)) request.ready = std::uint64_t{1} << other;
    request.lanes[other] = at(other).threads;
    const bool both = look_up_secondary({2}, request).hits != 0;
    issue(first);
    if (both) issue(other);
  }
  void issue(unsigned warp) {
    issued[{warp, at(warp).pc}] = cycles;
    const SplitContext fresh = execute(contexts_, WarpId(warp), 0, next_[warp]);
    contexts_.settle(WarpId(warp), fresh, {});
    entered_[warp] = cycles + 1;
  }

  std::array<unsigned, 2> entered_;  ///< cycle in which the warp's instruction entered its buffer
  std::array<NextCounter, 2> next_;
  NobodyWaits nobody_;
  Sorter sorter_{1};
  ColdContexts cold_{{.warps = 2, .entries = 16}, nobody_};
  HotContexts contexts_{{.warps = 2, .hot = 1}, sorter_, cold_, nobody_};
};

/// Of the masks that instruction 2 of the second warp may have, those that issue with 1001 although they overlap, or do
/// not although they fit.
double broken_pair_rules() {
  double violations = 0;
  LookupRequest request;
  request.ready = request.same_unit = 1;
  request.free = ~std::uint64_t{0b1001};
  for (std::uint64_t mask = 1; mask < 16; ++mask) {
    request.lanes[0] = mask;
    const bool together = look_up_secondary({2}, request).hits != 0;
    violations += together != ((mask & 0b0110) == mask) ? 1 : 0;
  }
  return violations;
}

/// Whether the secondary split at the point waits for a primary one anywhere in first .. last; -1: it depends.
double waits_in(const isa::SyncPoint& point, std::uint32_t first, std::uint32_t last) {
  const bool waits = waits_at(point, first);
  for (std::uint32_t pc = first; pc <= last; ++pc) {
    if (waits_at(point, pc) != waits) return -1;
  }
  return waits ? 1 : 0;
}

/// Comparators of 32 bits that the rule takes, given that the primary split is the lower one: one, if a comparison with
/// the end of the dominator says the same.
double comparators_of_the_rule() {
  const isa::SyncPoint point{16, 11};
  for (std::uint32_t primary = 0; primary < point.pc; ++primary) {
    if (waits_at(point, primary) != (primary > point.divergence_pc)) return 2;
  }
  return 1;
}

}  // namespace

void add_split_targets(Evaluations& targets) {
  const struct {
    const char* name;
    unsigned hot;
    Points points;
  } machines[] = {{"a", 1, {}}, {"b", 2, {}}, {"c", 2, kFigure2Points}};
  for (const auto& machine : machines) {
    const std::string name = machine.name;
    const auto run = [machine] { return figure_2(machine.hot, machine.points); };
    targets["bwi.v1.cycles-" + name] = [=] { return run().cycles; };
    targets["bwi.v1.issues-" + name] = [=] { return run().issues; };
    targets["bwi.v1.thread-instructions-" + name] = [=] { return run().thread_instructions; };
  }
  targets["bwi.fig2.sbi-5-with-2"] = [] {
    const auto result = figure_2(2);
    return issues_of(result, "5").at(0) - issues_of(result, "2").at(0);
  };
  targets["bwi.fig2.sbi-6-twice"] = [] { return static_cast<double>(issues_of(figure_2(2), "6").size()); };
  targets["bwi.fig2.constraints-6-once"] = [] {
    return static_cast<double>(issues_of(figure_2(2, kFigure2Points), "6").size());
  };
  targets["bwi.fig2.swi-2-with-3"] = [] {
    // Begun a cycle later, warp 2 comes to its instruction 2 when warp 1 is at its 3.
    const TwoWarps warps(0b0110, 1);
    return warps.issued.at({1, 2}) - warps.issued.at({0, 3});
  };
  targets["bwi.v1.swi-full-run"] = [] { return TwoWarps(0b0110, 0).cycles; };
  targets["bwi.v1.swi-pair-rule"] = broken_pair_rules;

  const isa::SyncPoint inner{16, 11}, outer{18, 1};
  targets["bwi.v2.primary-in-d-or-e"] = [=] { return waits_in(inner, 12, 15); };
  targets["bwi.v2.primary-up-to-c"] = [=] { return waits_in(inner, 0, 11); };
  targets["bwi.v2.primary-at-f"] = [=] {
    const SortedContexts sorted =
        sort_contexts({2}, {SplitContext{true, false, inner.pc, 0b0100}, {true, false, inner.pc, 0b1000}, {}});
    return static_cast<double>(
        std::count_if(sorted.contexts.begin(), sorted.contexts.end(), [](auto& split) { return split.valid; }));
  };
  targets["bwi.v2.secondary-at-g"] = [=] { return waits_in(outer, 2, 17); };
  targets["bwi.inv.sync-comparator"] = comparators_of_the_rule;

  for (const bool on : {true, false}) {
    const std::string setting = on ? "on" : "off";
    const Points points = on ? kNestedPoints : Points();
    const auto one_inside = [=] { return ZeroLatencyWarp(4, nested(0b0111, 0b1000)).constrain(points).run(); };
    targets["bwi.v3.cycles-" + setting] = [=] { return one_inside().cycles; };
    targets["bwi.v3.issues-" + setting] = [=] { return one_inside().issues; };
    targets["bwi.v3.threads-" + setting] = [=] { return one_inside().thread_instructions; };
    const auto three_ways = [=] { return ZeroLatencyWarp(4, nested(0b0001, 0b0010)).constrain(points); };
    const auto exact = [=] {
      const auto exchanging = three_ways().run(), reference = three_ways().exact().run();
      EXPECT_EQ(exchanging.trace, reference.trace);
      return reference;
    };
    const auto literal = [=] { return three_ways().literal().run(); };
    targets["bwi.v4.exact-" + setting + "-cycles"] = [=] { return exact().cycles; };
    targets["bwi.v4.exact-" + setting + "-issues"] = [=] { return exact().issues; };
    targets["bwi.v4.literal-" + setting + "-cycles"] = [=] { return literal().cycles; };
    targets["bwi.v4.literal-" + setting + "-issues"] = [=] { return literal().issues; };
  }
}

}  // namespace heddle::studies
