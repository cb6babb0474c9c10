// SPDX-License-Identifier: Apache-2.0
#include "sm/scheduling/locality/lost_locality_scores.h"

#include <algorithm>

namespace heddle::sm {

void LostLocalityParameters::describe(ParameterVisitor& v) {
  const std::string source = "docs/sources/cache-conscious-and-divergence-aware.md 2.3.5";
  const std::string options = "docs/sources/cache-conscious-and-divergence-aware.md 9";
  v("k_throttle", k_throttle, "how strongly lost locality raises a score", unit::kNone, range(1, 1024), source);
  v("base_score", base_score, "score of a warp that loses no locality", unit::kNone, range(1, 1e6), source);
  v("score_bits", score_bits, "width of a score, which saturates; 0: unlimited", unit::kBits, range(0, 30), options);
  v("cutoff_rule", cutoff_rule, "which warps may load, with the scores of those before them added up",
    choices<CutoffRule>({{"crossing_admitted", CutoffRule::crossing_admitted,
                          "those whose score begins below the cutoff, which the last one may cross"},
                         {"inclusive", CutoffRule::inclusive, "those whose score ends at or below the cutoff"}}),
    options);
  v("totals", totals, "whose lost lines and instructions the score of a loss follows from",
    choices<LossTotals>({{"resident", LossTotals::resident, "of the warps on the SM"},
                         {"cumulative", LossTotals::cumulative, "of all warps since the kernel began"}}),
    options);
  v("below_base", below_base, "what happens while the score of a loss is below the base score",
    choices<LossBelowBase>(
        {{"clamp", LossBelowBase::clamp, "a loss sets the base score, and other scores only decay"},
         {"reference", LossBelowBase::reference,
          "a decay drops a raised score to the score of a loss, where it stays until the warp's next access"}}),
    options);
  v("never_lower", never_lower, "a loss never lowers a score that was raised before", unit::kNone, any(), options);
  v("decay", decay, "points that a raised score loses at a time", unit::kNone, range(1, 1000), source);
  v("decay_cycles", decay_cycles, "cycles of the SM's clock between two decays", unit::kCycles, range(1, 1000),
    options);
  v("latency", latency, "cycles from a miss of a lost line to the higher score", unit::kCycles, range(1, 1000),
    "docs/sources/cache-conscious-and-divergence-aware.md 2.3.2");
  v("period", period, "cycles between two tests of the scores against the cutoff", unit::kCycles, range(1, 1000),
    "docs/sources/cache-conscious-and-divergence-aware.md 2.8b");
}

void LostLocalityParameters::check(ParameterChecks& checks) const {
  checks.require(base_score < std::uint64_t{1} << score_limit_bits(), "base_score", "does not fit into score_bits");
  checks.require(!never_lower || below_base == LossBelowBase::clamp, "never_lower",
                 "the reference simulator lowers scores: this needs below_base=clamp");
}

LostLocalityScores::LostLocalityScores(const LostLocalityParameters& parameters, unsigned warps, ScoreCutoff& cutoff)
    : parameters_(parameters),
      limit_((std::uint32_t{1} << parameters.score_limit_bits()) - 1),
      test_(cutoff),
      losses_(warps),
      instructions_(warps) {
  request_.scores.resize(warps);
}

void LostLocalityScores::begins(WarpId warp) {
  request_.active.set(warp);
  request_.scores[warp] = parameters_.base_score;
  stale_ = true;
}

void LostLocalityScores::ends(WarpId warp) {
  request_.active.reset(warp);
  above_.reset(warp);
  request_.scores[warp] = 0;
  if (parameters_.totals == LossTotals::resident) {
    lost_total_ -= losses_[warp];
    issued_total_ -= instructions_[warp];
  }
  losses_[warp] = instructions_[warp] = 0;
  stale_ = true;
}

void LostLocalityScores::kernel_begins() {
  if (parameters_.totals == LossTotals::cumulative) lost_total_ = issued_total_ = 0;
}

void LostLocalityScores::issued(WarpId warp) {
  ++instructions_[warp];
  ++issued_total_;
}

void LostLocalityScores::lost(WarpId warp, Cycle cycle) { events_.push_back({cycle, warp, true}); }
void LostLocalityScores::accessed(WarpId warp, Cycle cycle) { events_.push_back({cycle, warp, false}); }

void LostLocalityScores::advance(Cycle now) {
  // In a cycle: losses, decay, the test with the cutoff as it was, the cutoff.
  while (!events_.empty() && events_.front().cycle <= now) {
    decay(events_.front().cycle - 1);
    happens(events_.front());
    events_.pop_front();
  }
  now_ = now;
  if (changes_at_ <= now) stale_ = true;
  if (stale_ && test_from(now) == now) test();
}

std::uint32_t LostLocalityScores::loss_score() const {
  if (issued_total_ == 0) return 0;
  const std::uint64_t score = lost_total_ * parameters_.k_throttle * request_.cutoff / issued_total_;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(score, limit_));
}

std::uint32_t LostLocalityScores::clamped(std::uint64_t score) const {
  return score <= parameters_.base_score ? parameters_.base_score
                                         : static_cast<std::uint32_t>(std::min<std::uint64_t>(score, loss_score()));
}

void LostLocalityScores::happens(const Event& event) {
  // A load may return after its warp has ended.
  if (!request_.active.test(event.warp)) return;
  const std::uint32_t before = request_.scores[event.warp];
  if (!event.loss) {
    set_score(event.warp, clamped(before));
    return;
  }
  ++losses_[event.warp];
  ++lost_total_;
  const std::uint32_t loss = loss_score();
  std::uint32_t after = std::max(parameters_.base_score, loss);
  // The access itself is a second event, worth nothing.
  if (reference()) after = clamped(clamped(std::uint64_t{before} + loss));
  if (parameters_.never_lower) after = std::max(after, before);
  if (after > before) ++changes_.raised;
  if (after < before) ++changes_.lowered;
  set_score(event.warp, after);
}

void LostLocalityScores::set_score(WarpId warp, std::uint32_t score) {
  if (request_.scores[warp] == score) return;
  request_.scores[warp] = score;
  above_.assign(warp, score > parameters_.base_score);
  stale_ = true;
}

void LostLocalityScores::decay(Cycle until) {
  const std::uint64_t steps = steps_until(until) - steps_until(decayed_);
  decayed_ = until;
  if (steps == 0 || above_.none()) return;
  const WarpSet above = above_;
  above.for_each([&](std::size_t w) {
    const WarpId warp(w);
    if (!reference()) {
      set_score(warp, score_after(request_.scores[warp], steps));
      return;
    }
    for (std::uint64_t step = 0; step < steps && above_.test(warp); ++step)
      set_score(warp, clamped(score_after(request_.scores[warp], 1)));
  });
}

std::uint32_t LostLocalityScores::score_after(std::uint32_t score, std::uint64_t steps) const {
  const std::uint32_t base = parameters_.base_score;
  if (score <= base) return score;
  const std::uint64_t points = steps * parameters_.decay;
  return score - base <= points ? base : score - static_cast<std::uint32_t>(points);
}

std::uint32_t LostLocalityScores::score(WarpId warp) const {
  return score_after(request_.scores[warp], steps_until(now_) - steps_until(decayed_));
}

void LostLocalityScores::test() {
  decay(now_);
  changes_at_ = kNever;
  blocked_.clear();
  if (above_.any() || base_sum() > request_.cutoff) {
    const WarpSet admitted = test_.admit(request_);
    blocked_ = request_.active - admitted;
    if (above_.any() && (blocked_.any() || reference())) {
      const std::uint64_t steps = reference() ? 1 : steps_to_change(admitted.count());
      changes_at_ = test_from((steps_until(now_) + steps) * parameters_.decay_cycles);
    }
  }
  const std::uint64_t cutoff = std::max<std::uint64_t>(1, base_sum());
  stale_ = cutoff != request_.cutoff;
  request_.cutoff = cutoff;
}

std::uint64_t LostLocalityScores::steps_to_change(std::size_t admitted) const {
  // A warp that reaches the base score is overtaken by others of the base score with lower numbers.
  const auto steps_to_base = [this](std::uint32_t score) {
    return (score - parameters_.base_score + parameters_.decay - 1) / parameters_.decay;
  };
  std::uint64_t last = kNever;
  above_.for_each([&](std::size_t w) { last = std::min<std::uint64_t>(last, steps_to_base(request_.scores[w])); });
  // Until then the order stays, and more warps fit as their scores decay.
  const std::vector<WarpId> order = by_descending_score(request_.active, request_.scores);
  const auto more_fit = [&](std::uint64_t steps) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < admitted; ++i) sum += score_after(request_.scores[order[i]], steps);
    return parameters_.cutoff_rule == CutoffRule::crossing_admitted
               ? sum < request_.cutoff
               : sum + score_after(request_.scores[order[admitted]], steps) <= request_.cutoff;
  };
  std::uint64_t first = 1;
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (more_fit(middle)) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

Cycle LostLocalityScores::next_change() const {
  Cycle next = events_.empty() ? kNever : events_.front().cycle;
  next = std::min(next, changes_at_);
  return stale_ ? std::min(next, test_from(now_ + 1)) : next;
}

}  // namespace heddle::sm
