// SPDX-License-Identifier: Apache-2.0
// Sticky round robin: the contexts of one group in turn while any of them can issue, then those of the next group. A
// group holds the contexts that the grouping re-forms together, or else a block.
// Source: docs/sources/large-warps-and-database-search.md, 2.7.
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

class StickyRoundRobin final : public OrderPolicy {
 public:
  explicit StickyRoundRobin(const SchedulerShape&) {}
  ContextId choose(const ContextTable& contexts, const ContextSet& candidates) const override {
    if (last_ == kNoContext) return next_in_turn(candidates, last_);
    ContextSet same;
    candidates.for_each([&](std::size_t c) {
      if (contexts[c].group == group_) same.set(c);
    });
    return next_in_turn(same.any() ? same : candidates, last_);
  }
  void issued(const ContextTable& contexts, ContextId context) override {
    last_ = context;
    group_ = contexts[context].group;
  }
  void declare_state(ModuleState& state, const SchedulerShape& shape) override {
    declare_context_register(state, shape, "last", "the context that issued last", last_);
  }

 private:
  ContextId last_ = kNoContext;
  std::uint16_t group_ = 0;
};

HEDDLE_REGISTER(OrderPolicy, StickyRoundRobin, "sticky_round_robin",
                "round robin within the group that issued last while it can issue, then within the next",
                "docs/sources/large-warps-and-database-search.md 2.7");

}  // namespace heddle::sm
