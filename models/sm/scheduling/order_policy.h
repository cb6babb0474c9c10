// SPDX-License-Identifier: Apache-2.0
// Scheduling policies. An order policy selects the best of the candidates; vetoes remove candidates. The configuration
// composes one order policy per level with any number of vetoes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/config/mechanism.h"
#include "core/kernel/module_state.h"
#include "core/statistics/statistics.h"
#include "sm/context_table.h"
#include "sm/issue/issue_scheme.h"

namespace heddle::sm {

struct SmSite;

/// Parameters passed to a policy at construction.
struct SchedulerShape {
  unsigned contexts = 32;  ///< number in the SM
  ContextSet members;      ///< contexts of this scheduler
  std::uint64_t seed = 1;  ///< for randomized policies
};

/// Priority among candidates. State may change only in issued() and update(), never in choose(), because a chosen
/// context may fail to issue.
class OrderPolicy {
 public:
  using MakeArguments = void(const SchedulerShape&);
  virtual ~OrderPolicy() = default;
  /// The best of `candidates`, which is not empty; kNoContext if the policy lets none of them issue in this cycle.
  /// Called again without contexts that could not issue.
  virtual ContextId choose(const ContextTable& contexts, const ContextSet& candidates) const = 0;
  /// run_independent_slots compiled for the policy's class; null: the one for any class.
  virtual SlotLoop* slot_loop() const { return nullptr; }
  virtual void issued(const ContextTable& /*contexts*/, ContextId /*context*/) {}
  /// Called once in every cycle in which the stage works, before choose(). The sets of the table are current. A policy
  /// that does not override it is asked only once.
  virtual void update(const ContextTable& /*contexts*/) { updates_ = false; }
  bool updates() const { return updates_; }
  /// The context received threads and had none before: at a block launch or when a warp diverges.
  virtual void launched(const ContextTable& /*contexts*/, ContextId /*context*/) {}
  /// The launched context has no threads left.
  virtual void finished(const ContextTable& /*contexts*/, ContextId /*context*/) {}
  /// Subscribes to events and builds modules on the SM. Called once, after construction.
  virtual void build(SmSite& /*site*/) {}
  /// Declares its state for waveforms, dumps and the storage cost. Called once, after construction.
  virtual void declare_state(ModuleState& /*state*/, const SchedulerShape& /*shape*/) {}
  /// Declares its statistics. Called once, after construction.
  virtual void declare_statistics(const StatisticsGroup& /*group*/) {}
  /// Where issued() notes the context, if it does nothing else: who has many policies to tell may do it instead. Null:
  /// issued() must be called.
  virtual ContextId* last_issued() { return nullptr; }

 private:
  bool updates_ = true;
};

/// Withholds candidates, independent of the order policy.
class Veto {
 public:
  using MakeArguments = void(const SchedulerShape&);
  virtual ~Veto() = default;
  /// Contexts that may not issue their next instruction in this cycle; a veto may apply to loads only.
  virtual const ContextSet& held(const ContextTable& contexts) = 0;
  virtual void issued(const ContextTable& /*contexts*/, ContextId /*context*/) {}
  virtual void launched(const ContextTable& /*contexts*/, ContextId /*context*/) {}
  virtual void finished(const ContextTable& /*contexts*/, ContextId /*context*/) {}
  /// Advances time-dependent state: `cycles`, 1 or more, have passed since the last call, or since cycle 0. Called
  /// before held() in every cycle in which the stage works.
  virtual void advance(Cycle /*cycles*/) {}
  /// The cycle, counted from 0, in which held() may next change without an event; kNever: none.
  virtual Cycle next_event() const { return kNever; }
  /// Counts the cycles before `until` that the clock gate skipped. Called before statistics are read.
  virtual void settle(Cycle /*until*/) {}
  /// Subscribes to events and builds modules on the SM, such as victim tag arrays. Called once, after construction.
  virtual void build(SmSite& /*site*/) {}
  /// Declares its state for waveforms, dumps and the storage cost. Called once, after construction.
  virtual void declare_state(ModuleState& /*state*/, const SchedulerShape& /*shape*/) {}
};

/// Declares a register that holds a context or none.
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

/// The oldest of `candidates`, with the smallest age. candidates: not empty.
inline ContextId oldest_of(const ContextTable& contexts, const ContextSet& candidates) {
  ContextId best = kNoContext;
  std::uint64_t best_age = ~std::uint64_t{0};
  candidates.for_each([&](std::size_t c) {
    if (contexts.age[c] < best_age) {
      best_age = contexts.age[c];
      best = ContextId(c);
    }
  });
  return best;
}

/// The first of `candidates` after `last` in cyclic order. candidates: not empty.
inline ContextId next_in_turn(const ContextSet& candidates, ContextId last) {
  const std::size_t after = candidates.next(last == kNoContext ? 0 : static_cast<std::size_t>(last) + 1);
  return ContextId(after < ContextSet::kBits ? after : candidates.first());
}

}  // namespace heddle::sm
