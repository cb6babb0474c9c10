// SPDX-License-Identifier: Apache-2.0
// Static warp limiting: only the oldest contexts may issue, up to the limit. Contexts that wait for others do not
// count, so that the others can reach the barrier, the collective or the point at which their group re-forms. Source:
// docs/sources/cache-conscious-and-divergence-aware.md, 2.2.
#include <algorithm>
#include <vector>

#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

class StaticLimit final : public Veto {
 public:
  struct Parameters {
    unsigned limit = 32;
    void describe(ParameterVisitor& v) {
      v("limit", limit, "contexts of the SM that may issue", unit::kContexts, range(1, 512));
    }
  };

  StaticLimit(const Parameters& p, const SchedulerShape&) : limit_(p.limit) {}

  const ContextSet& held(const ContextTable& contexts) override {
    const ContextSet waiting = contexts.waiting_for_others();
    // Groupings that re-form warps give them a new age.
    if (stale_ || waiting != waiting_ || contexts.next_age != next_age_) recompute(contexts, waiting);
    return held_;
  }
  void launched(const ContextTable&, ContextId) override { stale_ = true; }
  void finished(const ContextTable&, ContextId) override { stale_ = true; }
  void declare_state(ModuleState& state, const SchedulerShape& shape) override {
    state.show_set("held", shape.contexts, "contexts beyond the limit", held_);
    state.structure("held", "contexts beyond the limit", shape.contexts, {{"held", 1, 1, 1}})
        .added_by("static_limit")
        .read([this](std::size_t entry, std::size_t) { return std::uint64_t{held_.test(entry)}; });
  }

 private:
  void recompute(const ContextTable& contexts, const ContextSet& waiting) {
    waiting_ = waiting;
    next_age_ = contexts.next_age;
    by_age_.clear();
    contexts.valid.for_each([&](std::size_t c) { by_age_.push_back(ContextId(c)); });
    std::sort(by_age_.begin(), by_age_.end(),
              [&](ContextId a, ContextId b) { return contexts.age[a] < contexts.age[b]; });
    held_ = contexts.valid;
    unsigned admitted = 0;
    for (ContextId c : by_age_) {
      held_.reset(c);
      // Stop at the limit unless that context waits for others; in that case admit all.
      if (++admitted == limit_ && !waiting.test(c)) break;
    }
    stale_ = false;
  }
  unsigned limit_;
  bool stale_ = true;
  ContextSet held_, waiting_;
  std::uint64_t next_age_ = 0;
  std::vector<ContextId> by_age_;
};

HEDDLE_REGISTER(Veto, StaticLimit, "static_limit", "only the oldest contexts, up to a fixed number, may issue",
                "docs/sources/cache-conscious-and-divergence-aware.md 2.2");

}  // namespace heddle::sm
