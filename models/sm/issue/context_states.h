// SPDX-License-Identifier: Apache-2.0
// Keeps the state sets of the contexts: who has its instruction, who waits for what, who is ready. Contexts are looked
// at where something changed, and never scanned.
#pragma once

#include <array>

#include "sm/hazards/hazard_tracker.h"
#include "sm/issue/instruction_effects.h"
#include "sm/issue/instruction_supply.h"
#include "sm/issue/issue_units.h"
#include "sm/issue/slot_policies.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class ContextStates {
 public:
  ContextStates(SmContext& sm, HazardTracker& hazards, InstructionSupply& supply, IssueUnits& units,
                SlotPolicies& policies, const InstructionEffects& effects);

  /// Looks at every context that changed, until none has.
  void settle();
  /// A register that the context's next instruction needs may have come.
  void check_hazard(ContextId context);
  /// One of the context's sets changed: whether it is ready.
  void update_ready(ContextId context);

  /// The slots are about to choose.
  void choosing() { fresh_ready_ = false; }
  /// A context became ready since.
  bool fresh_ready() const { return fresh_ready_; }
  /// Cycle in which the context became ready last.
  Cycle ready_since(ContextId context) const { return ready_since_[context]; }

 private:
  void refresh(ContextId context);
  /// Policies and vetoes hear of a context that has threads, and when it has none any more.
  void introduce(ContextId context);
  void retire(ContextId context);

  SmContext& sm_;
  ContextTable& contexts_;
  HazardTracker& hazards_;
  InstructionSupply& supply_;
  IssueUnits& units_;
  SlotPolicies& policies_;
  const InstructionEffects& effects_;
  ContextSet known_;  ///< contexts that the policies were told of
  std::array<Cycle, kMaxContexts> ready_since_{};
  bool fresh_ready_ = false;
};

}  // namespace heddle::sm
