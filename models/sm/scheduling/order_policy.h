// SPDX-License-Identifier: Apache-2.0
// Who issues next. An order policy names the best of some candidates; vetoes take candidates away; both are composed by
// configuration, one policy a level and any number of vetoes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/config/mechanism.h"
#include "core/kernel/module_state.h"
#include "core/statistics/statistics.h"
#include "sm/context_table.h"

namespace heddle::sm {

struct SmSite;

/// What a policy is told at construction.
struct SchedulerShape {
  unsigned contexts = 32;  ///< of the SM
  ContextSet members;      ///< contexts of this scheduler
  std::uint64_t seed = 1;  ///< for policies that draw lots
};

/// Priority among candidates. State changes only in issued() and update(), never while choosing: a choice that then
/// could not issue must leave no trace.
class OrderPolicy {
 public:
  using MakeArguments = void(const SchedulerShape&);
  virtual ~OrderPolicy() = default;
  /// The best of `candidates`, which has at least one member. kNoContext when the policy lets none
  /// of them issue in this cycle. Asked again without those that could not issue.
  virtual ContextId choose(const ContextTable& contexts, const ContextSet& candidates) const = 0;
  virtual void issued(const ContextTable& /*contexts*/, ContextId /*context*/) {}
  /// Once in every cycle in which the stage works, before choosing: the sets of the table are current.
  virtual void update(const ContextTable& /*contexts*/) {}
  /// The context has threads, and before had none: at the launch of a block or when a warp's threads take two ways.
  virtual void launched(const ContextTable& /*contexts*/, ContextId /*context*/) {}
  /// The context, which was launched, has no threads any more.
  virtual void finished(const ContextTable& /*contexts*/, ContextId /*context*/) {}
  /// Subscribes to events and builds modules of its own on the SM. Called once, after construction.
  virtual void build(SmSite& /*site*/) {}
  /// Declares what it keeps, for waveforms, dumps and the storage cost. Called once, after construction.
  virtual void declare_state(ModuleState& /*state*/, const SchedulerShape& /*shape*/) {}
  /// Declares what it counts. Called once, after construction.
  virtual void declare_statistics(const StatisticsGroup& /*group*/) {}
};

/// Takes candidates away for a reason of its own, whatever the order.
class Veto {
 public:
  using MakeArguments = void(const SchedulerShape&);
  virtual ~Veto() = default;
  /// Contexts that may not issue their next instruction in this cycle, of all instructions or of loads only.
  virtual const ContextSet& held(const ContextTable& contexts) = 0;
  virtual void issued(const ContextTable& /*contexts*/, ContextId /*context*/) {}
  virtual void launched(const ContextTable& /*contexts*/, ContextId /*context*/) {}
  virtual void finished(const ContextTable& /*contexts*/, ContextId /*context*/) {}
  /// Whatever changes by itself with time: `cycles`, 1 or more, went by since the last call, or since cycle 0. Before
  /// held() in every cycle in which the stage works.
  virtual void advance(Cycle /*cycles*/) {}
  /// The cycle, counted from 0, in which held() may next change without an event; kNever when it does not.
  virtual Cycle next_event() const { return kNever; }
  /// Subscribes to events and builds modules of its own on the SM, such as victim tag arrays. Called once, after
  /// construction.
  virtual void build(SmSite& /*site*/) {}
  /// Declares what it keeps, for waveforms, dumps and the storage cost. Called once, after construction.
  virtual void declare_state(ModuleState& /*state*/, const SchedulerShape& /*shape*/) {}
};

/// Declares a register that names a context, or none.
inline void declare_context_register(ModuleState& state, const SchedulerShape& shape, const std::string& name,
                                     std::string sentence, const ContextId& holds) {
  state
      .traced_structure(name, std::move(sentence), 1,
                        {{"context", index_bits(shape.contexts), 1, 1}, {"valid", 1, 1, 1}})
      .read([&holds](std::size_t, std::size_t field) -> std::uint64_t {
        const bool valid = holds != kNoContext;
        return field == 1 ? valid : valid ? holds : 0;
      });
}

/// The oldest of `candidates`: smallest age. candidates: at least one.
inline ContextId oldest_of(const ContextTable& contexts, const ContextSet& candidates) {
  ContextId best = kNoContext;
  std::uint64_t best_age = ~std::uint64_t{0};
  candidates.for_each([&](std::size_t c) {
    if (contexts[c].age < best_age) {
      best_age = contexts[c].age;
      best = static_cast<ContextId>(c);
    }
  });
  return best;
}

/// The first of `candidates` after `last` in cyclic order of numbers. candidates: at least one.
inline ContextId next_in_turn(const ContextSet& candidates, ContextId last) {
  const std::size_t after = candidates.next(last == kNoContext ? 0 : static_cast<std::size_t>(last) + 1);
  return static_cast<ContextId>(after < ContextSet::kBits ? after : candidates.first());
}

}  // namespace heddle::sm
