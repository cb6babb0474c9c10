// SPDX-License-Identifier: Apache-2.0
// An issue scheme decides how the slots of a cycle are used: which contexts a slot may pick from and which packets
// issue together. The grouping provides the scheme; the kit (issue/issue_kit.h) carries out its decisions.
#pragma once

#include "core/kernel/clock.h"
#include "sm/context_table.h"

namespace heddle::sm {

class IndependentSlots;
class IssueKit;

/// One cycle of independent slots, for their order policy (issue/slot_loop.h).
using SlotLoop = void(const IndependentSlots&, IssueKit&);

/// The contexts a slot picks from, and its policy.
struct SlotShape {
  ContextSet members;
  bool fills = false;  ///< fills lanes that other slots leave free; contexts are ranked by sm.fill_order
};

class IssueScheme {
 public:
  virtual ~IssueScheme() = default;
  /// Shape of each slot; called once.
  virtual SlotShape slot(IssueSlot number) const = 0;
  /// Registers causes and subscribes to events. Called once, before the first cycle.
  virtual void attach(IssueKit& /*kit*/) {}
  /// Issues the packets of this cycle. Must begin with kit.begin() and charge every slot to a cause.
  virtual void cycle(IssueKit& kit) = 0;
  /// Before the stage sleeps: removes contexts that wait for an event, or for a wake-up that the scheme has arranged.
  virtual void remove_awaited(ContextSet& /*ready*/) const {}
  /// The next cycle in which it has work even if no event occurs; kNever: none.
  virtual Cycle next_event() const { return kNever; }
  /// Counts the cycles before `until` that the clock gate skipped. Called before statistics are read.
  virtual void settle(Cycle /*until*/) {}
};

}  // namespace heddle::sm
