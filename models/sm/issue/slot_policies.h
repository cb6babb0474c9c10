// SPDX-License-Identifier: Apache-2.0
// The policies of an SM: an order for every issue slot, and vetoes for all of them. Tells each of what it is to hear.
#pragma once

#include <memory>
#include <vector>

#include "sm/issue/issue_scheme.h"
#include "sm/scheduling/order_policy.h"
#include "sm/sm_site.h"

namespace heddle::sm {

class SlotPolicies {
 public:
  /// Makes the policies that the parameters name, for the slots of the scheme. contexts: of the SM.
  SlotPolicies(SmSite& site, const IssueScheme& scheme, unsigned contexts);

  std::size_t slots() const { return slots_.size(); }
  const SlotShape& shape(std::size_t slot) const { return slots_[slot].shape; }
  const OrderPolicy& order(std::size_t slot) const { return *slots_[slot].order; }

  /// The context has threads, and before had none.
  void launched(const ContextTable& contexts, ContextId context);
  /// It has none any more.
  void finished(const ContextTable& contexts, ContextId context);
  void issued(ContextTable& contexts, ContextId context, Cycle now);
  /// Before the slots choose: brings orders and vetoes up to date.
  void update(ContextTable& contexts, Cycle now);
  /// The next cycle after `now` in which a veto may change without an event; kNever: none.
  Cycle next_event(Cycle now) const;

  /// Declares what the policies keep and count. Once, after construction.
  void declare(const SmSite& site);

 private:
  struct Slot {
    SlotShape shape;
    std::unique_ptr<OrderPolicy> order;
  };
  /// Brings contexts.held up to date; after whatever changes what a veto holds.
  void ask_vetoes(ContextTable& contexts, Cycle now);

  unsigned contexts_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<Veto>> vetoes_;
  Cycle vetoes_asked_ = 0;  ///< last cycle in which they were
  std::vector<std::unique_ptr<ModuleState>> states_;
  std::vector<std::unique_ptr<StatisticsGroup>> groups_;
};

}  // namespace heddle::sm
