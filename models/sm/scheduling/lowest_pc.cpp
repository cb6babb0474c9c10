// SPDX-License-Identifier: Apache-2.0
// Lowest PC first, of several the oldest.
// Source: docs/sources/variable-warp-size.md, 1a (P10) and 2.8.
#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

class LowestPc final : public OrderPolicy {
 public:
  explicit LowestPc(const SchedulerShape&) {}
  ContextId choose(const ContextTable& contexts, const ContextSet& candidates) const override {
    std::uint32_t lowest = ~0u;
    ContextSet best;
    candidates.for_each([&](std::size_t c) {
      if (contexts[c].pc > lowest) return;
      if (contexts[c].pc < lowest) best.clear();
      lowest = contexts[c].pc;
      best.set(c);
    });
    return oldest_of(contexts, best);
  }
};

HEDDLE_REGISTER(OrderPolicy, LowestPc, "lpc", "the context at the lowest program counter, then the oldest",
                "docs/sources/variable-warp-size.md 1a, P10");

}  // namespace heddle::sm
