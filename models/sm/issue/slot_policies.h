// SPDX-License-Identifier: Apache-2.0
// The scheduling policies of an SM: one order policy per issue slot, and vetoes shared by all slots. Forwards events to
// them.
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <vector>

#include "sm/issue/issue_scheme.h"
#include "sm/scheduling/order_policy.h"
#include "sm/sm_site.h"

namespace heddle::sm {

class SlotPolicies {
 public:
  /// Creates the policies named by the parameters for the slots of the scheme. contexts: number in the SM.
  SlotPolicies(SmSite& site, const IssueScheme& scheme, unsigned contexts);

  std::size_t slots() const { return slots_.size(); }
  const SlotShape& shape(IssueSlot slot) const { return slots_[slot].shape; }
  const OrderPolicy& order(IssueSlot slot) const { return *slots_[slot].order; }

  /// The context received threads and had none before.
  void launched(const ContextTable& contexts, ContextId context);
  /// The context has no threads left.
  void finished(const ContextTable& contexts, ContextId context);
  void issued(ContextTable& contexts, ContextId context, Cycle now) {
    if (ContextId* const last = last_issued_[context]; last != nullptr) {
      *last = context;
    } else {
      for_slots_of(context, [&](std::size_t slot) { slots_[slot].order->issued(contexts, context); });
    }
    if (!vetoes_.empty()) tell_vetoes(contexts, context, now);
  }
  /// Brings orders and vetoes up to date. Call before the slots choose.
  void update(ContextTable& contexts, Cycle now);
  /// Lets the vetoes count the cycles before `until`.
  void settle(Cycle until) {
    for (auto& veto : vetoes_) veto->settle(until);
  }
  /// The next cycle after `now` in which a veto may change without an event; kNever: none.
  Cycle next_event(Cycle now) const;

  /// Declares the policies' state and statistics. Call once, after construction.
  void declare(const SmSite& site);

 private:
  struct Slot {
    SlotShape shape;
    std::unique_ptr<OrderPolicy> order;
  };
  /// Calls visit(slot) for each slot that the context is a member of.
  template <typename Visit>
  void for_slots_of(ContextId context, Visit&& visit) {
    for (unsigned rest = slots_of_[context]; rest != 0; rest &= rest - 1)
      visit(static_cast<std::size_t>(std::countr_zero(rest)));
  }
  void tell_vetoes(ContextTable& contexts, ContextId issued, Cycle now);
  /// Updates contexts.held. Call after any change that may affect a veto.
  void ask_vetoes(ContextTable& contexts, Cycle now);

  unsigned contexts_;
  std::vector<Slot> slots_;
  std::array<std::uint16_t, kMaxContexts> slots_of_{};  ///< by context: slots that it is a member of, one bit each
  std::vector<OrderPolicy*> updated_;                   ///< those that have something to update
  std::vector<std::unique_ptr<Veto>> vetoes_;
  Cycle vetoes_asked_ = 0;  ///< last cycle in which the vetoes were queried
  std::vector<std::unique_ptr<ModuleState>> states_;
  std::vector<std::unique_ptr<StatisticsGroup>> groups_;
  /// By context: OrderPolicy::last_issued() of its slot; null also if it is a member of several.
  std::array<ContextId*, kMaxContexts> last_issued_{};
};

}  // namespace heddle::sm
