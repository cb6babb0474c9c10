// SPDX-License-Identifier: Apache-2.0
// Greedy-then-oldest: the context that issued last while it can issue, then the oldest.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.1.
#include "sm/issue/slot_loop.h"
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

class GreedyThenOldest final : public OrderPolicy {
 public:
  static constexpr bool kRanks = true;  ///< see run_independent_slots()
  explicit GreedyThenOldest(const SchedulerShape&) {}
  ContextId choose(const ContextTable& contexts, const ContextSet& candidates) const override {
    if (last_ != kNoContext && candidates.test(last_)) return last_;
    return oldest_of(contexts, candidates);
  }
  SlotLoop* slot_loop() const override { return run_independent_slots<GreedyThenOldest>; }
  void issued(const ContextTable&, ContextId context) override { last_ = context; }
  ContextId* last_issued() override { return &last_; }
  void finished(const ContextTable&, ContextId context) override {
    if (last_ == context) last_ = kNoContext;
  }
  void declare_state(ModuleState& state, const SchedulerShape& shape) override {
    declare_context_register(state, shape, "last", "the context that issued last", last_);
  }

 private:
  ContextId last_ = kNoContext;
};

HEDDLE_REGISTER(OrderPolicy, GreedyThenOldest, "gto",
                "greedy then oldest: the context that issued last, then the oldest",
                "docs/sources/cache-conscious-and-divergence-aware.md 2.1");

}  // namespace heddle::sm
