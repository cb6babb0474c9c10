// SPDX-License-Identifier: Apache-2.0
// Post-dominator priority: of dynamically formed warps, those that have passed the fewest post-dominators, so that
// lagging warps catch up; among equals the oldest. Source: docs/sources/large-warps-and-database-search.md, 2.8.
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

class PostDominatorPriority final : public OrderPolicy {
 public:
  explicit PostDominatorPriority(const SchedulerShape&) {}
  ContextId choose(const ContextTable& contexts, const ContextSet& candidates) const override {
    ContextSet behind;
    std::uint32_t least = ~0u;
    candidates.for_each([&](std::size_t c) {
      if (contexts.passed[c] > least) return;
      if (contexts.passed[c] < least) behind.clear();
      least = contexts.passed[c];
      behind.set(c);
    });
    return oldest_of(contexts, behind);
  }
};

HEDDLE_REGISTER(OrderPolicy, PostDominatorPriority, "post_dominator_priority",
                "warps that have passed the fewest post-dominators, then the oldest",
                "docs/sources/large-warps-and-database-search.md 2.8");

}  // namespace heddle::sm
