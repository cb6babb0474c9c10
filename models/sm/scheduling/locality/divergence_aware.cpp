// SPDX-License-Identifier: Apache-2.0
// Divergence-aware scheduling: predicts the lines that each warp will access in a trip through its loop, from the
// classes of the loop's loads and the number of active threads, and keeps warps from loading whose lines would not fit
// in the cache beside those of older ones. The classes come from a profile, or are learned while the kernel runs.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.5 to 2.9.
#include <algorithm>
#include <memory>

#include "core/error.h"
#include "sm/scheduling/locality/divergence_parameters.h"
#include "sm/scheduling/locality/gated_load.h"
#include "sm/scheduling/locality/load_classifier.h"
#include "sm/scheduling/locality/load_scheduler.h"
#include "sm/scheduling/locality/static_load_classes.h"
#include "sm/scheduling/locality/victim_tag_array.h"
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

void DivergenceAwareParameters::describe(ParameterVisitor& v) {
  const auto in = [](const char* section) {
    return std::string("docs/sources/cache-conscious-and-divergence-aware.md ") + section;
  };
  v("classes", classes, "where the classes of loads come from",
    choices<LoadClassSource>({{"profiled", LoadClassSource::profiled, "from a profile of an earlier run"},
                              {"detected", LoadClassSource::detected, "from one sampled warp of each loop"}}));
  v("profile", profile, "profiled: file that `heddle profile-loops` has written");
  v("associativity_factor", associativity_factor,
    "share of the lines of the L1 data cache into which the footprints must fit", unit::kRatio, range(0.1, 1),
    in("4.3"));
  v("converged_lines", converged_lines, "lines that a load accesses which does not diverge", unit::kLines, range(1, 32),
    in("2.5.2"));
  v("strict_age", strict_age,
    "older contexts come first even if a younger one is already in its loop; else those come first that were let in",
    unit::kNone, any(), in("9, Q16"));
  v("ignore_control_flow", ignore_control_flow, "predict as if all threads of a warp were active", unit::kNone, any(),
    in("2.9"));
  v("count_lost_locality", count_lost_locality,
    "profiled: build victim tag arrays that count lost locality, and do nothing else");
  v("victim_tags", victim_tags, "victim tags by which lost locality is noticed; not profiled, unless they only count");
  v("table_entries", table_entries, "detected: loops, and loads in loops, that are known at a time", unit::kEntries,
    range(1, LoadClasses::kMaxEntries), in("2.7"));
  v("repetition_sets", repetition_sets, "detected: sets of the intra-loop repetition detector", unit::kSets,
    power_of_two(1, 64), in("4.3"));
  v("repetition_ways", repetition_ways, "detected: ways of the intra-loop repetition detector", unit::kWays,
    range(1, 64), in("4.3"));
}

namespace {

/// For victim tags that only count.
class Unheard final : public LostLocality {
  void lost(const CacheEvent&, Cycle) override {}
};

class DivergenceAware final : public Veto {
 public:
  using Parameters = DivergenceAwareParameters;
  DivergenceAware(const Parameters& parameters, const SchedulerShape& shape)
      : parameters_(parameters), contexts_(shape.contexts) {}

  void build(SmSite& site) override {
    const auto& vetoes = site.parameters.vetoes.names();
    if (std::find(vetoes.begin(), vetoes.end(), "cache_conscious") != vetoes.end()) {
      fail(ExitCode::configuration,
           "sm.vetoes: cache_conscious and divergence_aware both decide which warps may load; choose one");
    }
    site.events.l1d_built.add([this](const L1dShape&) { has_cache_ = true; });
    scheduler_ = std::make_unique<LoadScheduler>("load_scheduler", site, parameters_, contexts_, kName);
    const bool profiled = parameters_.classes == LoadClassSource::profiled;
    if (profiled) {
      static_classes_ = std::make_unique<StaticLoadClasses>("load_classes", site, parameters_, kName);
      scheduler_->classes.bind(static_classes_->call);
    } else {
      classifier_ = std::make_unique<LoadClassifier>("load_classifier", site, parameters_, contexts_, kName);
      scheduler_->classes.bind(classifier_->call);
    }
    if (profiled && !parameters_.count_lost_locality) return;
    victim_tags_ = std::make_unique<VictimTagArray>("victim_tags", site, parameters_.victim_tags, contexts_, kName);
    if (profiled) {
      victim_tags_->scheduler.bind(unheard_);
    } else {
      victim_tags_->scheduler.bind(classifier_->lost_locality);
    }
  }

  const ContextSet& held(const ContextTable& contexts) override {
    if (begins_) {
      begins_ = false;
      scheduler_->begin_cycle(contexts);
    }
    held_.clear();
    if (scheduler_->blocked().none()) return held_;
    // What an instruction of several packets has begun goes on.
    const ContextSet blocked = (scheduler_->blocked() & contexts.buffered) - contexts.in_sequence;
    blocked.for_each([&](std::size_t c) {
      // Threads of its warp that wait may wait for it.
      if (is_gated_load(*contexts[c].next) && !contexts.at_meeting.any(contexts[c].warp)) held_.set(c);
    });
    return held_;
  }
  void advance(Cycle) override { begins_ = true; }
  Cycle next_event() const override { return scheduler_->pending() ? 0 : kNever; }
  void issued(const ContextTable& contexts, ContextId context) override { scheduler_->issued(contexts, context); }
  void launched(const ContextTable&, ContextId) override {
    if (!has_cache_)
      fail(ExitCode::configuration, "caches.l1d: divergence_aware needs an L1 data cache, and there is none");
  }
  void finished(const ContextTable& contexts, ContextId context) override {
    scheduler_->finished(contexts, context);
    if (victim_tags_ != nullptr) victim_tags_->warp_ended(contexts[context].warp);
  }
  void settle(Cycle until) override { scheduler_->settle(until); }

 private:
  static constexpr const char* kName = "divergence_aware";
  const Parameters parameters_;
  const unsigned contexts_;
  bool begins_ = false, has_cache_ = false;
  ContextSet held_;
  std::unique_ptr<LoadScheduler> scheduler_;
  std::unique_ptr<StaticLoadClasses> static_classes_;  ///< null unless profiled
  std::unique_ptr<LoadClassifier> classifier_;         ///< null unless detected
  std::unique_ptr<VictimTagArray> victim_tags_;        ///< null: profiled, and nothing is counted
  Unheard unheard_;
};

HEDDLE_REGISTER(Veto, DivergenceAware, "divergence_aware",
                "contexts whose predicted cache footprint does not fit beside those of others may not load",
                "docs/sources/cache-conscious-and-divergence-aware.md 2.5");

}  // namespace

}  // namespace heddle::sm
