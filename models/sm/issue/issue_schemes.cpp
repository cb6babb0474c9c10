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

}  // namespace heddle::sm
