// SPDX-License-Identifier: Apache-2.0
// Maintains the state sets of the contexts: which have their instruction, what each waits for, which are ready. Only
// contexts that changed are examined; there is no scan.
#pragma once

#include <array>

#include "sm/hazards/hazard_tracker.h"
#include "sm/issue/instruction_effects.h"
#include "sm/issue/instruction_supply.h"
#include "sm/issue/issue_units.h"
#include "sm/issue/regroupings.h"
#include "sm/issue/slot_policies.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class ContextStates {
 public:
  /// regroupings: null unless the tracker follows threads.
  ContextStates(SmContext& sm, HazardTracker& hazards, Regroupings* regroupings, InstructionSupply& supply,
                IssueUnits& units, SlotPolicies& policies, const InstructionEffects& effects);

  /// Updates every context that changed, until no more do.
  void settle();
  /// A register needed by the context's next instruction may have become available.
  void check_hazard(ContextId context) { check_hazards(context / 64, std::uint64_t{1} << (context % 64)); }
  /// The same for the contexts `some` of word w.
  void check_hazards(std::size_t w, std::uint64_t some);
  /// Re-evaluates whether the context is ready after one of its sets changed.
  void update_ready(ContextId context) { update_ready(context / 64, std::uint64_t{1} << (context % 64)); }
  /// The same for the contexts `some` of word w.
  void update_ready(std::size_t w, std::uint64_t some);

  /// Called before the slots choose.
  void choosing() { fresh_ready_ = false; }
  /// True if a context has become ready since choosing().
  bool fresh_ready() const { return fresh_ready_; }
  /// Cycle in which the context last became ready.
  Cycle ready_since(ContextId context) const { return ready_since_[context]; }

 private:
  /// The instruction at the context's PC. Throws Error(kInternal) if its kernel has none there.
  const isa::MicroOp* next_of(ContextId context) const;
  [[noreturn]] void fail_past_end(ContextId context) const;
  // Each of these concerns the contexts `some` of word w of a set: contexts in lock step change together.
  void refresh(std::size_t w, std::uint64_t some);
  /// Lets a run of InstructionSupply follow its PC. Returns those that have their instruction.
  std::uint64_t follow_run(std::size_t w, ContextId leader, std::uint64_t run);
  /// The same for all.
  std::uint64_t follow_runs(std::size_t w, std::uint64_t some);
  /// Finds those that wait for other threads.
  void find_stalled(std::size_t w, std::uint64_t some);
  /// buffered: those of `some` that have their instruction; the others wait for no register.
  void set_waits(std::size_t w, std::uint64_t some, std::uint64_t buffered);
  /// Tell policies and vetoes that a context has received threads, or has none left.
  void introduce(ContextId context);
  void retire(ContextId context);

  SmContext& sm_;
  ContextTable& contexts_;
  HazardTracker& hazards_;
  Regroupings* const regroupings_;
  InstructionSupply& supply_;
  IssueUnits& units_;
  SlotPolicies& policies_;
  const InstructionEffects& effects_;
  ContextSet known_;  ///< contexts announced to the policies
  std::array<Cycle, kMaxContexts> ready_since_{};
  bool fresh_ready_ = false;
};

}  // namespace heddle::sm
