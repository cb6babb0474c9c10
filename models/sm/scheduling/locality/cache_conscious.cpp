// SPDX-License-Identifier: Apache-2.0
// Cache-conscious scheduling: warps that lose lines of the L1 data cache which they would have used again raise their
// scores, and warps beyond the cutoff of the scores may not load until the others have what they need.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.3, 2.8 and 2.8b.
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <vector>

#include "isa/classify.h"
#include "sm/blocks/block_site.h"
#include "sm/level_time.h"
#include "sm/scheduling/locality/gated_load.h"
#include "sm/scheduling/locality/lost_locality_scores.h"
#include "sm/scheduling/locality/victim_tag_array.h"
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

namespace {

/// Width of the counters of lost lines and of instructions.
constexpr unsigned kTotalBits = 32;

bool counts_as_issued(const isa::MicroOp& op) {
  return is_counted(op.opcode) && op.opcode != isa::Opcode::bar && op.opcode != isa::Opcode::bar_warp &&
         op.opcode != isa::Opcode::fence;
}

struct ThrottlingCounters {
  explicit ThrottlingCounters(const StatisticsGroup& group)
      : held_loads(group, "held_loads",
                   "loads that were ready and had to wait because their warp was beyond the cutoff",
                   unit::kInstructions),
        let_go(group, "let_go",
               "loads of warps beyond the cutoff that issued, because threads of their warp waited for others",
               unit::kInstructions),
        raised(group, "raised", "lost lines that raised the score of their warp", unit::kEvents),
        lowered(group, "lowered", "lost lines that lowered it, because few instructions lose lines by now",
                unit::kEvents),
        lost_after_descheduling(group, "lost_after_descheduling",
                                "lost lines whose warp had a load held since it last used the line", unit::kAccesses),
        admitted(group, "admitted_warp_cycles", "warps that may load, summed over cycles", unit::kWarpCycles),
        active(group, "active_warp_cycles", "warps with threads, summed over cycles", unit::kWarpCycles),
        held(group, "held_load_cycles", "warps with a ready load that is held, summed over cycles", unit::kWarpCycles),
        descheduled(group, "descheduled_cycles", "cycles in which a ready load is held", unit::kCycles) {}
  void settle(Cycle until) {
    for (LevelTime* level : {&admitted, &active, &held, &descheduled}) level->settle(until);
  }

  Counter held_loads, let_go, raised, lowered, lost_after_descheduling;
  LevelTime admitted, active, held, descheduled;
};

}  // namespace

class CacheConscious final : public Veto, private LostLocality {
 public:
  struct Parameters {
    LostLocalityParameters scores;
    VictimTagParameters victim_tags;
    void describe(ParameterVisitor& v) {
      scores.describe(v);
      v("victim_tags", victim_tags, "victim tag array");
    }
    void check(ParameterChecks& checks) const { scores.check(checks); }
  };

  CacheConscious(const Parameters& parameters, const SchedulerShape& shape)
      : parameters_(parameters), warps_(shape.contexts) {}

  void build(SmSite& site) override;

  const ContextSet& held(const ContextTable& contexts) override {
    if (!begins_) return held_;
    begins_ = false;
    held_.clear();
    if (scores_->blocked().any()) {
      // What an instruction of several packets has begun goes on.
      const ContextSet buffered = (contexts.valid & contexts.buffered) - contexts.in_sequence;
      buffered.for_each([&](std::size_t c) {
        if (may_be_held(contexts, ContextId(c))) held_.set(c);
      });
    }
    count(contexts);
    return held_;
  }
  void advance(Cycle) override {
    begins_ = true;
    scores_->advance(site_->gate.now());
    const LostLocalityScores::Changes changes = scores_->take_changes();
    counters_->raised += changes.raised;
    counters_->lowered += changes.lowered;
    if (!losses_.empty()) count_losses();
  }
  Cycle next_event() const override { return scores_->next_change(); }

  void issued(const ContextTable& contexts, ContextId context) override {
    const isa::MicroOp& op = *contexts[context].next;
    if (counts_as_issued(op)) scores_->issued(warp_of_[context]);
    if (is_gated_load(op) && scores_->blocked().test(warp_of_[context])) ++counters_->let_go;
  }
  void launched(const ContextTable& contexts, ContextId context) override {
    const isa::LaunchState& launch = *contexts[context].words->block->launch;
    if (launch.id > launch_) {
      launch_ = launch.id;
      scores_->kernel_begins();
    }
    const WarpId warp = contexts[context].warp;
    warp_of_[context] = warp;
    if (contexts_of_[warp]++ == 0) scores_->begins(warp);
  }
  void finished(const ContextTable&, ContextId context) override {
    const WarpId warp = warp_of_[context];
    if (--contexts_of_[warp] != 0) return;
    scores_->ends(warp);
    victims_->warp_ended(warp);
  }
  void settle(Cycle until) override { counters_->settle(until); }

  void declare_state(ModuleState& state, const SchedulerShape& shape) override;

 private:
  static constexpr const char* kName = "cache_conscious";

  // -- from the L1 data cache, which may work before or after the issue stage in a cycle
  void lost(const CacheEvent& miss, Cycle last_use) override {
    losses_.push_back({miss.requester.warp, last_use, site_->gate.now()});
    scores_->lost(miss.requester.warp, happens_at());
  }
  void accessed(const CacheEvent& event) {
    const bool access = event.what == CacheEvent::What::hit || event.what == CacheEvent::What::miss ||
                        event.what == CacheEvent::What::merge || event.what == CacheEvent::What::write;
    if (access && event.requester.sm == site_->number) scores_->accessed(event.requester.warp, happens_at());
  }
  /// The cycle in which an event of the present cycle reaches the scores; the issue stage works then.
  Cycle happens_at() const {
    const Cycle at = site_->gate.now() + parameters_.scores.latency;
    site_->gate.wake(site_->issue_stage, at);
    return at;
  }

  bool may_be_held(const ContextTable& contexts, ContextId c) const {
    const WarpId warp = warp_of_[c];
    // Threads of its warp that wait may wait for it.
    return scores_->blocked().test(warp) && is_gated_load(*contexts[c].next) && !contexts.at_meeting.any(warp);
  }

  /// Counts the losses of earlier cycles.
  void count_losses();
  void count(const ContextTable& contexts);
  void publish(ModuleState& state);

  const Parameters parameters_;
  const unsigned warps_;  ///< a machine has no more of them than contexts
  SmSite* site_ = nullptr;
  std::unique_ptr<ScoreCutoff> cutoff_;
  std::optional<LostLocalityScores> scores_;
  std::unique_ptr<VictimTagArray> victims_;
  std::optional<StatisticsGroup> group_;
  std::optional<ThrottlingCounters> counters_;

  struct Loss {
    WarpId warp;
    Cycle last_use, cycle;
  };
  std::uint64_t launch_ = 0;                          ///< the latest one seen
  std::array<WarpId, kMaxContexts> warp_of_{};        ///< by context
  std::array<unsigned, kMaxContexts> contexts_of_{};  ///< by warp: contexts with threads
  bool begins_ = false;                               ///< a cycle has begun in which held() was not asked
  ContextSet held_, held_ready_;                      ///< the second: ready, too
  WarpSet held_warps_;                                ///< that have a ready load which is held
  std::array<Cycle, kMaxContexts> held_until_{};      ///< by warp: end of the last time when it had; 0: none
  WarpSet can_load_;
  std::vector<Loss> losses_;  ///< not counted yet
};

void CacheConscious::build(SmSite& site) {
  site_ = &site;
  const ScoreCutoffShape shape{warps_, parameters_.scores.score_limit_bits(), parameters_.scores.cutoff_rule};
  cutoff_ = make(site.parameters.blocks.score_cutoff, shape, block_site(site, "score_cutoff"));
  scores_.emplace(parameters_.scores, warps_, *cutoff_);
  victims_ = std::make_unique<VictimTagArray>("victim_tags", site, parameters_.victim_tags, warps_, kName);
  victims_->scheduler.bind(*this);
  if (parameters_.scores.below_base == LossBelowBase::reference)
    site.events.l1d.add([this](const CacheEvent& event) { accessed(event); });
  group_.emplace(site.statistics, kName);
  counters_.emplace(*group_);
}

void CacheConscious::declare_state(ModuleState& state, const SchedulerShape&) {
  const unsigned bits = parameters_.scores.score_limit_bits();
  state.signals.add("cutoff", 20, "sum of the base scores of the active warps", [this] { return scores_->cutoff(); });
  state.signals.add("loss_score", bits, "score of a warp that loses a line", [this] { return scores_->loss_score(); });
  state.show_set("can_load", warps_, "active warps whose loads may issue", can_load_);
  state.show_set("held", warps_, "contexts whose loads are held", held_);
  state.traced_structure("scores", "lost-locality score of each warp", warps_, {{"score", bits, 1, 1}})
      .read([this](std::size_t warp, std::size_t) { return std::uint64_t{scores_->score(WarpId(warp))}; });
  state.structure("lost_total", "lines that warps have lost", 1, {{"count", kTotalBits, 1, 1}})
      .read([this](std::size_t, std::size_t) { return scores_->lost_total(); });
  state.structure("issued_total", "instructions that warps have issued", 1, {{"count", kTotalBits, 1, 1}})
      .read([this](std::size_t, std::size_t) { return scores_->issued_total(); });
  const unsigned sum_bits = bits + index_bits(warps_);
  state
      .structure("prefix_sum", "sum of the sorted scores and its comparison with the cutoff", warps_,
                 {{"sum", sum_bits, 0, 0}})
      .is_logic();
  publish(state);
}

void CacheConscious::count_losses() {
  const Cycle now = site_->gate.now();
  std::erase_if(losses_, [&](const Loss& loss) {
    if (loss.cycle == now) return false;
    const bool held = held_warps_.test(loss.warp) || held_until_[loss.warp] > loss.last_use;
    if (held) ++counters_->lost_after_descheduling;
    return true;
  });
}

void CacheConscious::count(const ContextTable& contexts) {
  const Cycle now = site_->gate.now();
  const ContextSet ready = held_ & contexts.ready;
  counters_->held_loads += (ready - held_ready_).count();
  held_ready_ = ready;
  const WarpSet before = held_warps_;
  held_warps_.clear();
  ready.for_each([&](std::size_t c) { held_warps_.set(warp_of_[c]); });
  (before - held_warps_).for_each([&](std::size_t w) { held_until_[w] = now; });
  can_load_ = scores_->active() - scores_->blocked();
  counters_->admitted.set(now, can_load_.count());
  counters_->active.set(now, scores_->active().count());
  counters_->held.set(now, ready.count());
  counters_->descheduled.set(now, ready.any());
}

void CacheConscious::publish(ModuleState& state) {
  // Valid bits and the order of replacement are not in the source's figures.
  const VictimTagParameters& tags = parameters_.victim_tags;
  if (tags.entries == 0) return;
  site_->events.l1d_built.add([this, &state, sets = tags.sets()](const L1dShape& l1d) {
    const unsigned address_bits = kVictimAddressBits - index_bits(l1d.line_bytes);
    const std::uint64_t tag_bits = address_bits - static_cast<unsigned>(std::countr_zero(sets));
    state.publish({kName, "victim tags, line owners, scores and two counters, without valid bits",
                   "docs/sources/cache-conscious-and-divergence-aware.md 2.3.1: about 2.7 KB for 32 warps",
                   warps_ * (parameters_.victim_tags.entries * tag_bits + parameters_.scores.score_limit_bits()) +
                       l1d.lines * std::uint64_t{index_bits(warps_)} + 2 * kTotalBits});
  });
}

HEDDLE_REGISTER(Veto, CacheConscious, "cache_conscious",
                "warps beyond the cutoff of the lost-locality scores may not load",
                "docs/sources/cache-conscious-and-divergence-aware.md 2.3");

}  // namespace heddle::sm
