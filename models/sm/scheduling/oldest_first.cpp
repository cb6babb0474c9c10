// SPDX-License-Identifier: Apache-2.0
// Oldest first, by age alone.
// Source: docs/sources/branch-and-warp-interweaving.md, 1 (M3).
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

class OldestFirst final : public OrderPolicy {
 public:
  explicit OldestFirst(const SchedulerShape&) {}
  ContextId choose(const ContextTable& contexts, const ContextSet& candidates) const override {
    return oldest_of(contexts, candidates);
  }
};

HEDDLE_REGISTER(OrderPolicy, OldestFirst, "oldest", "oldest first: the oldest context that can issue",
                "docs/sources/branch-and-warp-interweaving.md 1, M3");

}  // namespace heddle::sm
