// SPDX-License-Identifier: Apache-2.0
// Greedy-then-round-robin: the context that issued last while it can issue, then the next in turn.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.8b.
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

class GreedyThenRoundRobin final : public OrderPolicy {
 public:
  explicit GreedyThenRoundRobin(const SchedulerShape&) {}
  ContextId choose(const ContextTable&, const ContextSet& candidates) const override {
    if (last_ != kNoContext && candidates.test(last_)) return last_;
    return next_in_turn(candidates, last_);
  }
  void issued(const ContextTable&, ContextId context) override { last_ = context; }
  void declare_state(ModuleState& state, const SchedulerShape& shape) override {
    declare_context_register(state, shape, "last", "the context that issued last", last_);
  }

 private:
  ContextId last_ = kNoContext;
};

HEDDLE_REGISTER(OrderPolicy, GreedyThenRoundRobin, "grr",
                "greedy then round robin: the context that issued last, then the next in turn",
                "docs/sources/cache-conscious-and-divergence-aware.md 2.8b");

}  // namespace heddle::sm
