// SPDX-License-Identifier: Apache-2.0
// Lost-locality scores of the warps of an SM: how they rise when warps lose locality, decay, and decide who may load.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.3.4 and 9 (Q1 to Q5, Q9, Q29). Logic only.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "core/config/parameters.h"
#include "core/kernel/cycle.h"
#include "sm/scheduling/locality/score_cutoff.h"

namespace heddle::sm {

/// Whose lost lines and instructions the score of a loss follows from.
enum class LossTotals : std::uint8_t {
  resident,    ///< of the warps on the SM
  cumulative,  ///< of all warps since the kernel began
};

/// What becomes of a score while the score of a loss is below the base score.
enum class LossBelowBase : std::uint8_t {
  clamp,      ///< a loss leaves at least the base score; nothing else touches it
  reference,  ///< as in the reference simulator: a decay drops a raised score to it, until the warp's next access
};

struct LostLocalityParameters {
  unsigned k_throttle = 8;
  unsigned base_score = 100;
  unsigned score_bits = 10;  ///< 0: unlimited
  CutoffRule cutoff_rule = CutoffRule::crossing_admitted;
  LossTotals totals = LossTotals::resident;
  LossBelowBase below_base = LossBelowBase::clamp;
  bool never_lower = false;
  unsigned decay = 1;         ///< points
  unsigned decay_cycles = 1;  ///< cycles of the SM
  unsigned latency = 1;       ///< cycles
  unsigned period = 1;        ///< cycles

  /// Scores are below 2^score_limit_bits().
  unsigned score_limit_bits() const { return score_bits == 0 ? 31 : score_bits; }
  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
};

/// In a cycle, call first what happened, then advance(), then ask; what issues follows.
class LostLocalityScores {
 public:
  /// warps: 1 .. 512. cutoff: the test; must outlive this.
  LostLocalityScores(const LostLocalityParameters& parameters, unsigned warps, ScoreCutoff& cutoff);

  // -- events
  /// The warp has threads, or none any more.
  void begins(WarpId warp);
  void ends(WarpId warp);
  /// A kernel begins on an SM without warps.
  void kernel_begins();
  /// The warp issued an instruction that is neither a barrier nor a fence.
  void issued(WarpId warp);
  /// The warp missed a line that it had lost. The score is raised in cycle `cycle`, later than the last advance().
  void lost(WarpId warp, Cycle cycle);
  /// The warp accessed the cache; only for LossBelowBase::reference.
  void accessed(WarpId warp, Cycle cycle);

  /// Cycle `now` begins, later than the last one.
  void advance(Cycle now);

  // -- state in the last cycle that began
  const WarpSet& active() const { return request_.active; }
  /// Active warps whose loads are withheld.
  const WarpSet& blocked() const { return blocked_; }
  /// The next cycle in which blocked() may change without an event; kNever: none.
  Cycle next_change() const;
  std::uint32_t score(WarpId warp) const;
  /// The score of a loss.
  std::uint32_t loss_score() const;
  std::uint64_t cutoff() const { return request_.cutoff; }
  std::uint64_t lost_total() const { return lost_total_; }
  std::uint64_t issued_total() const { return issued_total_; }
  /// Losses that raised and that lowered a score since the last call.
  struct Changes {
    std::uint64_t raised = 0, lowered = 0;
  };
  Changes take_changes() { return std::exchange(changes_, {}); }

 private:
  struct Event {
    Cycle cycle;
    WarpId warp;
    bool loss;  ///< else an access
  };
  bool reference() const { return parameters_.below_base == LossBelowBase::reference; }
  std::uint64_t base_sum() const { return request_.active.count() * std::uint64_t{parameters_.base_score}; }
  std::uint64_t steps_until(Cycle cycle) const { return cycle / parameters_.decay_cycles; }
  /// The first cycle from `cycle` on in which the test is made.
  Cycle test_from(Cycle cycle) const {
    return (cycle + parameters_.period - 1) / parameters_.period * parameters_.period;
  }

  void happens(const Event& event);
  /// Decays the scores up to and including cycle `until`.
  void decay(Cycle until);
  std::uint32_t score_after(std::uint32_t score, std::uint64_t steps) const;
  /// What becomes of a score in the reference simulator: not below the base, else not above the score of a loss.
  std::uint32_t clamped(std::uint64_t score) const;
  void set_score(WarpId warp, std::uint32_t score);
  void test();
  /// Decay steps after which the result of the test may differ; some score is above the base.
  std::uint64_t steps_to_change(std::size_t admitted) const;

  const LostLocalityParameters parameters_;
  const std::uint32_t limit_;  ///< highest score
  ScoreCutoff& test_;
  std::deque<Event> events_;  ///< to come, by cycle
  CutoffRequest request_;     ///< active warps, scores after the decay of cycle decayed_
  WarpSet above_;             ///< active warps with more than the base score
  WarpSet blocked_;
  std::vector<std::uint64_t> losses_, instructions_;  ///< by warp, since it began
  std::uint64_t lost_total_ = 0, issued_total_ = 0;
  Changes changes_;
  Cycle now_ = 0;
  Cycle decayed_ = 0;          ///< cycle up to which the stored scores have decayed
  bool stale_ = false;         ///< the test may have another result
  Cycle changes_at_ = kNever;  ///< cycle in which decay may change the result; kNever: none
};

}  // namespace heddle::sm
