// SPDX-License-Identifier: Apache-2.0
// How the slots of a cycle are used: which contexts a slot may pick from and what issues together. The grouping brings
// its scheme; the kit (issue/issue_kit.h) carries out what the scheme decides.
#pragma once

#include "core/kernel/clock.h"
#include "sm/context_table.h"

namespace heddle::sm {

class IssueKit;

/// What a slot picks from, and by which policy.
struct SlotShape {
  ContextSet members;
  bool fills = false;  ///< takes what other slots of the cycle leave free: sm.fill_order ranks its contexts
};

class IssueScheme {
 public:
  virtual ~IssueScheme() = default;
  /// Of slot 0 .. schedulers - 1; asked once.
  virtual SlotShape slot(unsigned number) const = 0;
  /// Called once, before the first cycle: registers causes and subscribes to events.
  virtual void attach(IssueKit& /*kit*/) {}
  /// Issues what goes in this cycle. Begins with kit.begin() and charges every slot with a cause.
  virtual void cycle(IssueKit& kit) = 0;
  /// The next cycle in which it has something to do though nothing happens before; kNever: none.
  virtual Cycle next_event() const { return kNever; }
};

}  // namespace heddle::sm
