// SPDX-License-Identifier: Apache-2.0
// Greedy-then-round-robin: the context that issued last while it can issue, then the next in turn.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.8b.
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

class GreedyThenRoundRobin final : public OrderPolicy {
 public:
  explicit GreedyThenRoundRobin(const SchedulerShape&) {}
  ContextId choose(const ContextTable&, const ContextSet& candidates) const override {
    if (greedy_ != kNoContext && candidates.test(greedy_)) return greedy_;
    return next_in_turn(candidates, last_);
  }
  void issued(const ContextTable&, ContextId context) override { greedy_ = last_ = context; }
  void finished(const ContextTable&, ContextId context) override {
    if (greedy_ == context) greedy_ = kNoContext;
  }
  void declare_state(ModuleState& state, const SchedulerShape& shape) override {
    declare_context_register(state, shape, "last", "the context that issued last: the next in turn follows it", last_);
    declare_context_register(state, shape, "greedy", "the context that goes on while it can: the last, unless it ended",
                             greedy_);
  }

 private:
  ContextId last_ = kNoContext, greedy_ = kNoContext;
};

HEDDLE_REGISTER(OrderPolicy, GreedyThenRoundRobin, "grr",
                "greedy then round robin: the context that issued last, then the next in turn",
                "docs/sources/cache-conscious-and-divergence-aware.md 2.8b");

}  // namespace heddle::sm
