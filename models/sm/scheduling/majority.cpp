// SPDX-License-Identifier: Apache-2.0
// Majority: of dynamically formed warps, those at the most common PC issue, oldest first, until none is left there;
// then the most common PC is determined again. Threads on rare paths may wait long. Source:
// docs/sources/large-warps-and-database-search.md, 2.8.
#include <algorithm>
#include <vector>

#include "sm/scheduling/order_policy.h"

namespace heddle::sm {

class Majority final : public OrderPolicy {
 public:
  explicit Majority(const SchedulerShape& shape) : members_(shape.members) {}

  ContextId choose(const ContextTable& contexts, const ContextSet& candidates) const override {
    ContextSet there;
    candidates.for_each([&](std::size_t c) {
      if (contexts[c].pc == pc_) there.set(c);
    });
    return there.any() ? oldest_of(contexts, there) : kNoContext;
  }
  void update(const ContextTable& contexts) override {
    // Warps with an instruction in flight are not in the pool, since their next PC is open: they wait for a result, for
    // memory or for a branch. Warps that wait for other warps are left out as well, to avoid waiting for each other.
    const ContextSet pool = (contexts.valid & members_) - contexts.pipeline - contexts.branch - contexts.in_sequence -
                            contexts.hazard - contexts.long_latency - contexts.waiting_for_others() - contexts.held;
    if (pool.none()) return;
    bool left = false;
    pool.for_each([&](std::size_t c) { left = left || contexts[c].pc == pc_; });
    if (left) return;
    places_.clear();
    pool.for_each([&](std::size_t c) { places_.push_back(contexts[c].pc); });
    std::sort(places_.begin(), places_.end());
    std::ptrdiff_t most = 0;
    for (auto first = places_.begin(); first != places_.end();) {
      const auto behind = std::upper_bound(first, places_.end(), *first);
      if (behind - first > most) {
        most = behind - first;
        pc_ = *first;
      }
      first = behind;
    }
  }
  void declare_state(ModuleState& state, const SchedulerShape&) override {
    state.traced_structure("majority", "program counter whose warps issue", 1, {{"pc", 32, 1, 1}})
        .added_by("majority")
        .read([this](std::size_t, std::size_t) { return std::uint64_t{pc_}; });
  }

 private:
  ContextSet members_;
  std::uint32_t pc_ = 0;
  std::vector<std::uint32_t> places_;  ///< scratch of update()
};

HEDDLE_REGISTER(OrderPolicy, Majority, "majority", "warps at the most common program counter, until none is left there",
                "docs/sources/large-warps-and-database-search.md 2.8");

}  // namespace heddle::sm
