// SPDX-License-Identifier: Apache-2.0
// The cycle of independent slots, compiled for one order policy. Included by policies that common machines use, so that
// the choice among contexts is part of the loop and not a virtual call per slot and cycle.
#pragma once

#include <type_traits>

#include "sm/issue/issue_kit.h"
#include "sm/issue/issue_schemes.h"

namespace heddle::sm {

/// Order: the class of every slot's policy, final; or OrderPolicy, for slots of any policies.
template <typename Order>
void run_independent_slots(const IndependentSlots& scheme, IssueKit& kit) {
  static_assert(std::is_final_v<Order> || std::is_same_v<Order, OrderPolicy>);
  kit.begin();
  for (IssueSlot s(0); s < scheme.slots(); ++s) {
    kit.pick(s, static_cast<const Order&>(kit.order(s)), kit.candidates(scheme.members(s)), [&](ContextId c) {
      PacketPlan plan = kit.whole(s, c);
      if (scheme.one_access()) plan.access_group = kit.now();
      return kit.place(plan) && kit.issue_whole(plan);
    });
  }
}

}  // namespace heddle::sm
