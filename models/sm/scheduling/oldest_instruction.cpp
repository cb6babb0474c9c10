// SPDX-License-Identifier: Apache-2.0
// Oldest instruction first: the context whose next instruction has been in its buffer longest, which is the one that
// has not issued for longest. Source: docs/sources/branch-and-warp-interweaving.md, 1 (M3), and 9, decision 21.
#include <array>

#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

class OldestInstruction final : public OrderPolicy {
 public:
  explicit OldestInstruction(const SchedulerShape&) {}
  ContextId choose(const ContextTable&, const ContextSet& candidates) const override {
    ContextId oldest = kNoContext;
    candidates.for_each([&](std::size_t c) {
      if (oldest == kNoContext || since_[c] < since_[oldest]) oldest = ContextId(c);
    });
    return oldest;
  }
  void issued(const ContextTable&, ContextId context) override { since_[context] = ++instructions_; }
  void launched(const ContextTable&, ContextId context) override { since_[context] = ++instructions_; }
  void declare_state(ModuleState& state, const SchedulerShape& shape) override {
    constexpr unsigned kAge = 16;
    state.structure("age", "order in which the contexts last issued", shape.members.count(), {{"order", kAge, 1, 2}});
  }

 private:
  std::array<std::uint64_t, kMaxContexts> since_{};  ///< by context: number of the last instruction before its own
  std::uint64_t instructions_ = 0;
};

HEDDLE_REGISTER(OrderPolicy, OldestInstruction, "oldest_instruction",
                "oldest instruction first: the context that has not issued for longest",
                "docs/sources/branch-and-warp-interweaving.md 1, M3");

}  // namespace heddle::sm
