// SPDX-License-Identifier: Apache-2.0
// The two-level round-robin arbiter as RTL behind the order-policy seam: the worked example of docs/guide-rtl-block.md.
// The policy's update() begins a cycle, so it also applies the clock edge that ends the previous one.
#include <bit>

#include "TwoLevelRoundRobin32x8.h"
#include "TwoLevelRoundRobin4x1.h"
#include "core/error.h"
#include "rtl/ports.h"
#include "rtl/two_level_arbiter.h"
#include "sm/scheduling/order_policy.h"

namespace heddle::rtl {

using sm::ContextTable;

class TwoLevelRotatingRtl final : public sm::OrderPolicy {
 public:
  struct Parameters {
    unsigned group_size = 8;
    unsigned timeout = 0;
    void describe(ParameterVisitor& v) {
      v("group_size", group_size, "contexts per fetch group: 8 with 32 contexts, 1 with 4", unit::kContexts,
        one_of({1, 8}));
      v("timeout", timeout, "instructions of one context at the head after which the head moves on; 0: never",
        unit::kInstructions, range(0, 1e9));
    }
  };

  TwoLevelRotatingRtl(const Parameters& parameters, const sm::SchedulerShape& shape)
      : arbiter_(arbiter_for(shape.contexts, parameters)) {}

  ContextId choose(const ContextTable&, const ContextSet& candidates) const override {
    const std::uint32_t grant = arbiter_->grant(static_cast<std::uint32_t>(candidates.word(0)));
    return grant == 0 ? kNoContext : ContextId(std::countr_zero(grant));
  }
  void issued(const ContextTable&, ContextId context) override { arbiter_->issued(1u << context); }
  void update(const ContextTable& contexts) override {
    const ContextSet running = contexts.valid - contexts.long_latency - contexts.barrier;
    arbiter_->cycle(static_cast<std::uint32_t>(running.word(0)));
  }
  void declare_state(ModuleState& state, const sm::SchedulerShape&) override { arbiter_->show(state.signals); }

 private:
  static std::unique_ptr<TwoLevelArbiter> arbiter_for(unsigned contexts, const Parameters& parameters) {
    if (contexts == 32 && parameters.group_size == 8)
      return std::make_unique<TwoLevelArbiterOf<TwoLevelRoundRobin32x8, 32, 8>>(parameters.timeout);
    if (contexts == 4 && parameters.group_size == 1)
      return std::make_unique<TwoLevelArbiterOf<TwoLevelRoundRobin4x1, 4, 1>>(parameters.timeout);
    fail(ExitCode::configuration,
         "sm.two_level_rotating_rtl.group_size: there is RTL for 32 contexts in groups of 8 and 4 in groups of 1; this "
         "machine has {} in groups of {}",
         contexts, parameters.group_size);
  }

  std::unique_ptr<TwoLevelArbiter> arbiter_;
};

using sm::OrderPolicy;
HEDDLE_REGISTER(OrderPolicy, TwoLevelRotatingRtl, "two_level_rotating_rtl",
                "two_level_rotating in RTL (rtl/two_level_round_robin.sv, Verilated)",
                "docs/sources/large-warps-and-database-search.md 2.6");

}  // namespace heddle::rtl
