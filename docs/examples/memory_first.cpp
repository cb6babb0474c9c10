// SPDX-License-Identifier: Apache-2.0
// Memory first: contexts whose next instruction accesses memory issue before the others, so that requests leave early;
// among equals the oldest, or the context that issued last.
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

class MemoryFirst final : public OrderPolicy {
 public:
  struct Parameters {
    bool greedy = true;
    void describe(ParameterVisitor& v) {
      v("greedy", greedy, "among equals, prefer the context that issued last to the oldest");
    }
  };

  MemoryFirst(const Parameters& p, const SchedulerShape&) : greedy_(p.greedy) {}

  ContextId choose(const ContextTable& contexts, const ContextSet& candidates) const override {
    ContextSet best;
    candidates.for_each([&](std::size_t c) {
      if (contexts[c].next->unit == isa::Unit::memory) best.set(c);
    });
    if (best.none()) best = candidates;
    return greedy_ && last_ != kNoContext && best.test(last_) ? last_ : oldest_of(contexts, best);
  }
  void issued(const ContextTable&, ContextId context) override { last_ = context; }
  void finished(const ContextTable&, ContextId context) override {
    if (last_ == context) last_ = kNoContext;
  }

 private:
  bool greedy_;
  ContextId last_ = kNoContext;
};

HEDDLE_REGISTER(OrderPolicy, MemoryFirst, "memory_first", "contexts about to access memory, then the oldest",
                "docs/guide-order-policy.md");

}  // namespace heddle::sm
