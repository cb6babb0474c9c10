// SPDX-License-Identifier: Apache-2.0
#include "sm/issue/issue_schemes.h"

#include "sm/issue/issue_kit.h"
#include "sm/issue/slot_loop.h"

namespace heddle::sm {

void IndependentSlots::attach(IssueKit& kit) {
  SlotLoop* const loop = slots() == 0 ? nullptr : kit.order(IssueSlot(0)).slot_loop();
  bool same = loop != nullptr;
  for (IssueSlot s(1); s < slots(); ++s) same = same && kit.order(s).slot_loop() == loop;
  loop_ = same ? loop : run_independent_slots<OrderPolicy>;
}

void FillingSlots::cycle(IssueKit& kit) {
  constexpr IssueSlot kFirst(0), kSecond(1);
  kit.begin();
  const ContextId first = kit.pick(kFirst, kit.order(kFirst), kit.candidates(members_), [&](ContextId c) {
    PacketPlan plan = kit.whole(kFirst, c);
    return kit.place(plan) && kit.issue_whole(plan);
  });
  const ContextSet partners = first == kNoContext ? ContextSet{} : members_ & pairing_.partners(first);
  kit.pick(kSecond, kit.order(kSecond), kit.candidates(partners), [&](ContextId c) {
    if (!pairing_.pairs(*kit.contexts()[first].next, *kit.contexts()[c].next)) return false;
    PacketPlan plan = kit.whole(kSecond, c);
    plan.shares_lanes = true;
    return kit.place(plan) && kit.issue_whole(plan);
  });
}

}  // namespace heddle::sm
