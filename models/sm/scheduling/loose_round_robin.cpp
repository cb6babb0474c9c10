// SPDX-License-Identifier: Apache-2.0
// Loose round robin: the next candidate after the context that issued last; a context that cannot issue is skipped.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.1.
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

class LooseRoundRobin final : public OrderPolicy {
 public:
  explicit LooseRoundRobin(const SchedulerShape&) {}
  ContextId choose(const ContextTable&, const ContextSet& candidates) const override {
    return next_in_turn(candidates, last_);
  }
  void issued(const ContextTable&, ContextId context) override { last_ = context; }
  ContextId* last_issued() override { return &last_; }
  void declare_state(ModuleState& state, const SchedulerShape& shape) override {
    declare_context_register(state, shape, "last", "the context that issued last", last_);
  }

 private:
  ContextId last_ = kNoContext;
};

HEDDLE_REGISTER(OrderPolicy, LooseRoundRobin, "lrr", "loose round robin: the next context in turn that can issue",
                "docs/sources/cache-conscious-and-divergence-aware.md 2.1");

}  // namespace heddle::sm
