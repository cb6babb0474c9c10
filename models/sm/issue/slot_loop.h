// SPDX-License-Identifier: Apache-2.0
// The cycle of independent slots, compiled for one order policy. Included by policies that common machines use, so that
// the choice among contexts is part of the loop and not a virtual call per slot and cycle.
#pragma once

#include <type_traits>

#include "sm/issue/issue_kit.h"
#include "sm/issue/issue_schemes.h"

namespace heddle::sm {

/// Order: the class of every slot's policy, final; or OrderPolicy, for slots of any policies. Order::kRanks says that
/// it ranks contexts, as pick_then_unit() needs.
template <typename Order>
void run_independent_slots(const IndependentSlots& scheme, IssueKit& kit) {
  static_assert(std::is_final_v<Order> || std::is_same_v<Order, OrderPolicy>);
  kit.begin();
  if (kit.contexts().ready.none() && !kit.parts().units.passing(kit.now())) {
    // No slot issues what another one waits for.
    kit.account().charge_idle(kit.account().all_slots());
    return;
  }
  for (IssueSlot s(0); s < scheme.slots(); ++s) {
    const auto attempt = [&](ContextId c) {
      PacketPlan plan = kit.whole(s, c);
      return kit.place(plan) && kit.issue_whole(plan);
    };
    const Order& order = static_cast<const Order&>(kit.order(s));
    if constexpr (requires { Order::kRanks; }) {
      kit.pick_then_unit(s, order, kit.ready(scheme.members(s)), attempt);
    } else {
      kit.pick(s, order, kit.candidates(scheme.members(s)), attempt);
    }
  }
}

}  // namespace heddle::sm
