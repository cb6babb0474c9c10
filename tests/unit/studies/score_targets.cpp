// SPDX-License-Identifier: Apache-2.0
// Lost-locality scores, the cutoff and victim tags, on the worked examples.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.3.4 and 3 (CC-1 to CC-7).
#include <algorithm>
#include <initializer_list>

#include "locality_targets.h"
#include "sm/scheduling/locality/lost_locality_scores.h"
#include "sm/scheduling/locality/victim_partition.h"

namespace heddle::studies {
namespace {

using namespace sm;

constexpr unsigned kWarps = 32;
constexpr auto kCrossing = CutoffRule::crossing_admitted, kInclusive = CutoffRule::inclusive;
const std::pair<CutoffRule, const char*> kRules[] = {{kCrossing, "-crossing"}, {kInclusive, "-inclusive"}};

// -- the cutoff

/// Warps of these scores that may load; base: score of a warp that loses nothing.
double admitted(CutoffRule rule, const std::vector<std::uint32_t>& scores, unsigned base = 100) {
  return static_cast<double>(
      admit_below_cutoff(rule, {WarpSet::first_n(scores.size()), base * scores.size(), scores}).count());
}
double blocked(CutoffRule rule, const std::vector<std::uint32_t>& scores) {
  return static_cast<double>(scores.size()) - admitted(rule, scores);
}
std::vector<std::uint32_t> raised(unsigned count, std::uint32_t score) {
  std::vector<std::uint32_t> scores(kWarps, 100);
  std::fill_n(scores.begin(), count, score);
  return scores;
}
/// The least score of `count` warps with which another is blocked.
double least_excess(CutoffRule rule, unsigned count) {
  std::uint32_t score = 100;
  while (blocked(rule, raised(count, score)) == 0) ++score;
  return score;
}

void add_cutoff(Evaluations& targets) {
  const std::pair<const char*, std::vector<std::uint32_t>> times[] = {
      {"t0", {100, 100, 100, 100}},      {"t1", {100, 100, 200, 100}},    {"t2", {200, 100, 200, 100}},
      {"t2p49", {151, 100, 151, 100}},   {"t2p50", {150, 100, 150, 100}}, {"t2p99", {101, 100, 101, 100}},
      {"t3", {100, 100, 100, 100}},      {"t4-llds200", {200, 100, 100}}, {"t4-llds150", {150, 100, 100}},
      {"extreme", {500, 100, 100, 100}},
  };
  for (const auto& [rule, end] : kRules) {
    for (const auto& [time, scores] : times)
      targets[std::string("ccws.cc2n.") + time + end] = [=, s = scores, r = rule] { return blocked(r, s); };
    for (const unsigned count : {1u, 2u, 3u, 4u, 5u, 8u}) {
      for (const std::uint32_t score : {200u, 600u, 1023u}) {
        targets["ccws.cc4.m" + std::to_string(count) + "-s" + std::to_string(score) + end] = [=, r = rule] {
          return admitted(r, raised(count, score));
        };
      }
    }
    targets[std::string("ccws.rule.min-admitted") + end] = [r = rule] { return admitted(r, raised(kWarps, 1023)); };
  }
  targets["ccws.rule.excess-one-warp"] = [] { return least_excess(kCrossing, 1); };
  targets["ccws.rule.excess-two-warps"] = [] { return least_excess(kCrossing, 2); };
  targets["ccws.rule.excess-inclusive"] = [] { return least_excess(kInclusive, 1); };
}

// -- scores

/// Scores of some warps, from the moment at which all are at the base score.
class Scores {
 public:
  explicit Scores(unsigned warps, LostLocalityParameters parameters = {})
      : cutoff_(parameters.cutoff_rule), scores_(decaying(parameters), warps, cutoff_) {
    for (unsigned warp = 0; warp < warps; ++warp) scores_.begins(WarpId(warp));
    passes(2);
  }
  void issues(unsigned count) {
    for (unsigned i = 0; i < count; ++i) scores_.issued(WarpId(0));
  }
  /// The warps lose a line each, and the next cycle begins.
  Scores& lose(std::initializer_list<unsigned> warps) {
    for (const unsigned warp : warps) scores_.lost(WarpId(warp), now_ + 1);
    return passes(1);
  }
  Scores& passes(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) scores_.advance(++now_);
    return *this;
  }
  void ends(unsigned warp) {
    scores_.ends(WarpId(warp));
    passes(2);
  }
  double of(unsigned warp) const { return scores_.score(WarpId(warp)); }
  double of_loss() const { return scores_.loss_score(); }
  double blocked() const { return static_cast<double>(scores_.blocked().count()); }
  double cutoff() const { return static_cast<double>(scores_.cutoff()); }

 private:
  /// Every fourth cycle, so that there are cycles with a loss and without a decay.
  static LostLocalityParameters& decaying(LostLocalityParameters& parameters) {
    parameters.decay_cycles = 4;
    return parameters;
  }
  struct Model final : ScoreCutoff {
    explicit Model(CutoffRule r) : rule(r) {}
    WarpSet admit(const CutoffRequest& request) override { return admit_below_cutoff(rule, request); }
    CutoffRule rule;
  };
  Model cutoff_;
  LostLocalityScores scores_;
  Cycle now_ = 0;
};

/// The score of a loss after so many losses and instructions.
double loss_score(unsigned losses, unsigned instructions, unsigned warps, unsigned bits) {
  LostLocalityParameters parameters;
  parameters.score_bits = bits;
  Scores scores(warps, parameters);
  scores.issues(instructions);
  for (unsigned i = 0; i < losses; ++i) scores.lose({0});
  return scores.of_loss();
}

/// A score of 150 one cycle later, when that of a loss has fallen to 64.
double decayed(LossBelowBase rule) {
  LostLocalityParameters parameters;
  parameters.below_base = rule;
  Scores scores(6, parameters);
  scores.issues(32);
  scores.lose({1});
  scores.issues(43);
  return scores.passes(1).of(1);
}

/// Four warps at T1 to T4 of the example.
struct FourWarps : Scores {
  FourWarps() : Scores(4) {}
  FourWarps& to(unsigned time) {
    issues(16);
    if (time >= 1) lose({2});
    issues(16);
    if (time >= 2) lose({2, 0});
    if (time >= 3) passes(4 * 400);
    if (time >= 4) ends(2);
    return *this;
  }
};

void add_scores(Evaluations& targets) {
  const unsigned examples[][3] = {{39, 10000, 32},  {40, 10000, 32}, {50, 10000, 32}, {100, 10000, 32},
                                  {400, 10000, 32}, {50, 10000, 16}, {625, 10000, 4}};
  for (const auto& [losses, instructions, warps] : examples) {
    targets["ccws.cc3.llds-" + std::to_string(losses) + "-" + std::to_string(warps)] =
        [=, l = losses, i = instructions, w = warps] { return loss_score(l, i, w, 0); };
  }
  targets["ccws.cc3.saturated"] = [] { return loss_score(400, 10000, 32, 10); };
  targets["ccws.rule.throttle-threshold"] = [] { return 100.0 / (LostLocalityParameters().k_throttle * kWarps); };

  // 128 points: one loss of 25 instructions.
  const auto once = [](unsigned instructions) {
    Scores scores(4);
    scores.issues(instructions);
    scores.lose({1});
    return scores;
  };
  targets["ccws.cc5.hit-sets-llds"] = [=] { return once(25).of(1); };
  targets["ccws.cc5.second-hit"] = [] {
    Scores scores(4);
    scores.issues(25);
    scores.lose({1});
    scores.issues(25);
    return scores.passes(1).lose({1}).of(1);
  };
  targets["ccws.cc5.low-llds"] = [=] { return once(50).of(1); };
  targets["ccws.cc5.decay-clamp"] = [] { return decayed(LossBelowBase::clamp); };
  targets["ccws.cc5.decay-reference"] = [] { return decayed(LossBelowBase::reference); };

  for (const unsigned time : {0u, 1u, 2u, 3u})
    targets["ccws.cc2.t" + std::to_string(time) + "-blocked"] = [=] { return FourWarps().to(time).blocked(); };
  targets["ccws.cc2.t4-cutoff"] = [] { return FourWarps().to(4).cutoff() / LostLocalityParameters().base_score; };
}

// -- victim tags

struct Lookup final : VictimLookup {
  explicit Lookup(const VictimSetShape& s) : shape(s) {}
  VictimSetAnswer look_up(const VictimSetRequest& request) override { return look_up_victim(shape, request); }
  VictimSetShape shape;
};

/// The accesses of CC-6 to a set of two ways. Lines A, B and C are 0, 1 and 2.
struct Trace {
  ToyCache cache{1, 2};
  VictimTagParameters parameters;
  Lookup lookup{{.ways = parameters.set_ways(), .replacement = parameters.replacement}};
  std::vector<VictimPartition> victims{VictimPartition(&lookup, parameters), VictimPartition(&lookup, parameters)};
  std::vector<unsigned> found;  ///< by access

  Trace() {
    const std::pair<unsigned, std::uint64_t> loads[] = {{0, 0}, {0, 1}, {1, 2}, {0, 0}, {1, 1}, {1, 2}};
    for (const auto& [warp, line] : loads) {
      const ToyCache::Access access = cache.load(line, warp);
      if (access.evicted.any) victims[access.evicted.state.owner.warp].insert(access.evicted.line, 0);
      found.push_back(!access.hit && victims[warp].find(line) ? 1 : 0);
    }
    // A store.
    cache.invalidate(2);
    for (VictimPartition& partition : victims) partition.remove(2);
    found.push_back(0);
  }
};

/// A warp's tags after nine evictions of even lines.
struct NineEvictions {
  VictimTagParameters parameters;
  Lookup lookup{{.ways = parameters.set_ways(), .replacement = parameters.replacement}};
  VictimPartition tags{&lookup, parameters};
  NineEvictions() {
    for (std::uint64_t line = 0; line < 18; line += 2) tags.insert(line, 0);
  }
  double kept() {
    double count = 0;
    for (std::uint64_t line = 0; line < 18; line += 2) count += tags.find(line) ? 1 : 0;
    return tags.find(0) ? -1 : count;  // the first is gone
  }
};

double hits_in_order(std::initializer_list<unsigned> warps, bool all = false) {
  ToyCache cache(1, 4);
  for (const unsigned warp : warps) {
    for (unsigned line = 0; line < 4; ++line) cache.load(4 * warp + line);
  }
  return cache.hits() + (all ? cache.misses() : 0u);
}

void add_victims(Evaluations& targets) {
  targets["ccws.cc1.round-robin-hits"] = [] { return hits_in_order({0, 1, 2, 0, 1, 2}); };
  targets["ccws.cc1.grouped-hits"] = [] { return hits_in_order({0, 0, 1, 1, 2, 2}); };
  targets["ccws.cc1.accesses"] = [] { return hits_in_order({0, 0, 1, 1, 2, 2}, true); };
  for (unsigned access = 1; access <= 7; ++access)
    targets["ccws.cc6.access" + std::to_string(access)] = [=] { return Trace().found[access - 1]; };
  targets["ccws.cc6.total"] = [] {
    const Trace trace;
    return std::count(trace.found.begin(), trace.found.end(), 1u);
  };
  targets["ccws.cc6.misses"] = [] { return Trace().cache.misses(); };
  targets["ccws.cc7.kept"] = [] { return NineEvictions().kept(); };
  targets["ccws.cc7.other-set"] = [] { return std::popcount(NineEvictions().tags.set(1).valid); };
}

}  // namespace

void add_score_targets(Evaluations& targets) {
  add_cutoff(targets);
  add_scores(targets);
  add_victims(targets);
}

}  // namespace heddle::studies
