// SPDX-License-Identifier: Apache-2.0
// Contexts that issue the same instruction in one cycle and share its packet (PacketPlan::company): for which
// operations they may, and what the issue does for each of them.
#pragma once

#include <array>

#include "isa/branches.h"
#include "sm/issue/issue_account.h"
#include "sm/issue/issue_units.h"
#include "sm/issue/packet_plan.h"
#include "sm/issue/packet_timing.h"

namespace heddle::sm {

class Companies {
 public:
  Companies(const SmContext& sm, const IssueUnits& units, const PacketTiming& timing, IssueAccount& account);

  /// Whether no stage, tracker or observer tells the packets of separate contexts from a shared one for this operation,
  /// and nothing can delay them on their way to its unit. Members of a load or store issue together, but travel on
  /// their own.
  bool may_join(const isa::MicroOp& op) const {
    return (op.lane_function != nullptr || op.opcode == isa::Opcode::special || isa::is_branch(op) || is_access(op)) &&
           joins_[static_cast<std::size_t>(units_.unit_of(op))] && sm_.watch == nullptr && !sm_.events.issued.any() &&
           !sm_.services.probes.attached();
  }
  /// Charges the slots of the plan's company to the cause, with the threads that each of them issues.
  void charge(const PacketPlan& plan, CauseId cause) {
    const unsigned all = sm_.parameters.warp_size;
    if (plan.threads.count() == std::size_t{all} * plan.members()) {
      account_.charge_together(plan.slot, plan.company, cause, all);
    } else {
      charge_each(plan, cause);
    }
  }

 private:
  /// A load or store, to one memory.
  static bool is_access(const isa::MicroOp& op) {
    return op.unit == isa::Unit::memory && (op.opcode == isa::Opcode::ld || op.opcode == isa::Opcode::st) &&
           op.space != isa::Space::generic;
  }
  /// charge() where the slots issue different numbers of threads.
  void charge_each(const PacketPlan& plan, CauseId cause);
  /// Whether packets pass from issue to this unit without delay.
  bool passes_freely(isa::Unit unit) const;

  const SmContext& sm_;
  const IssueUnits& units_;
  const PacketTiming& timing_;
  IssueAccount& account_;
  std::array<bool, static_cast<std::size_t>(isa::Unit::count)> joins_{};  ///< by unit
};

}  // namespace heddle::sm
