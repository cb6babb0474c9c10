// SPDX-License-Identifier: Apache-2.0
// Two levels with an active and a pending pool: only active contexts issue. A context that waits for memory, or only
// one whose load missed, moves to the pending pool, and the oldest pending context that can issue takes its place.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 1.2 (S6); pool of eight and round robin:
// docs/sources/redundancy-and-resources.md, decision 25.
#include <array>
#include <cstdint>

#include "sm/scheduling/order_policy.h"
#include "sm/sm_site.h"

namespace heddle::sm {

namespace {

/// What sends a context that waits for memory to the pending pool.
enum class Leaves : std::uint8_t { wait, miss };

}  // namespace

class TwoLevelActive final : public OrderPolicy {
 public:
  struct Parameters {
    unsigned active = 8;
    Leaves leaves_on = Leaves::wait;
    void describe(ParameterVisitor& v) {
      v("active", active, "size of the active pool", unit::kContexts, range(1, 512),
        "docs/sources/redundancy-and-resources.md, decision 25");
      v("leaves_on", leaves_on, "what sends a context that waits for memory to the pending pool",
        choices<Leaves>({{"wait", Leaves::wait, "the wait, even if its data is in the cache"},
                         {"miss", Leaves::miss, "an outstanding load that missed in its cache"}}),
        "docs/sources/cache-conscious-and-divergence-aware.md 1.2, S6");
    }
  };

  TwoLevelActive(const Parameters& p, const SchedulerShape& shape)
      : size_(p.active), leaves_on_(p.leaves_on), members_(shape.members) {}

  void build(SmSite& site) override {
    if (leaves_on_ == Leaves::wait) return;
    site.events.missed.add([this](const Packet& packet) {
      if (misses_[packet.context]++ == 0) missed_.set(packet.context);
    });
    site.events.completed.add([this](const Packet& packet) {
      if (packet.away && --misses_[packet.context] == 0) missed_.reset(packet.context);
    });
  }

  ContextId choose(const ContextTable&, const ContextSet& candidates) const override {
    const ContextSet active = candidates & active_;
    return active.any() ? next_in_turn(active, last_) : kNoContext;
  }
  void issued(const ContextTable&, ContextId context) override { last_ = context; }

  void update(const ContextTable& contexts) override {
    ContextSet waits = contexts.long_latency;
    if (leaves_on_ == Leaves::miss) waits &= missed_;
    // Exclude contexts held by a veto, which would block places in the pool.
    const ContextSet able = (contexts.valid & members_) - waits - contexts.waiting_for_others() - contexts.held;
    active_ &= able;
    for (std::size_t held = active_.count(); held < size_; ++held) {
      const ContextSet pending = able - active_;
      if (pending.none()) return;
      active_.set(oldest_of(contexts, pending));
    }
  }
  void declare_state(ModuleState& state, const SchedulerShape& shape) override {
    declare_context_register(state, shape, "last", "the context that issued last", last_);
    state.show_set("active_pool", shape.contexts, "contexts of the active pool", active_);
    state.structure("active_pool", "contexts of the active pool", shape.contexts, {{"active", 1, 1, 1}})
        .added_by("two_level_active")
        .read([this](std::size_t entry, std::size_t) { return std::uint64_t{active_.test(entry)}; });
  }

 private:
  std::size_t size_;
  Leaves leaves_on_;
  ContextSet members_, active_;
  ContextSet missed_;                                 ///< have an outstanding load that missed; leaves_on=miss
  std::array<std::uint16_t, kMaxContexts> misses_{};  ///< number of those loads, by context
  ContextId last_ = kNoContext;
};

HEDDLE_REGISTER(OrderPolicy, TwoLevelActive, "two_level_active",
                "only an active pool issues; contexts that wait for memory are pending",
                "docs/sources/cache-conscious-and-divergence-aware.md 1.2, S6");

}  // namespace heddle::sm
