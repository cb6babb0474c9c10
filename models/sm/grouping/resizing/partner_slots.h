// SPDX-License-Identifier: Apache-2.0
// Issue of sub-warps: each slot has whole groups of partners. It issues one sub-warp per cycle; partners that are
// ready to be combined follow each other in consecutive cycles, and their packets are one memory access.
// Source: docs/sources/dynamic-warp-resizing.md, 2.8; decisions.md, dynamic warp resizing.
#pragma once

#include <vector>

#include "sm/grouping/resizing/dynamic_warp_resizing.h"
#include "sm/issue/issue_kit.h"

namespace heddle::sm {

class PartnerSlots final : public IssueScheme {
 public:
  explicit PartnerSlots(DynamicWarpResizing& warps);
  SlotShape slot(IssueSlot number) const override { return {warps_.slot_members()[number], false}; }
  void attach(IssueKit& kit) override;
  void cycle(IssueKit& kit) override;
  Cycle next_event() const override { return unit_.next_event(); }
  void settle(Cycle until) override { unit_.settle(until); }

 private:
  /// A large warp in the course of its issue.
  struct Sequence {
    unsigned group = 0;
    PartnerMask left = 0;  ///< members that have not issued; 0: there is no sequence
    std::uint64_t access = 0;
    std::uint8_t size = 0;
  };
  void choose(IssueKit& kit, IssueSlot slot);
  /// Sub-warps that could pass their barrier although the unit of their instruction is busy.
  ContextSet before_barrier(IssueKit& kit, const ContextSet& busy) const;
  bool attempt(IssueKit& kit, IssueSlot slot, ContextId context);
  bool issue_alone(IssueKit& kit, IssueSlot slot, ContextId context);
  bool begin_sequence(IssueKit& kit, IssueSlot slot, ContextId context);
  /// Tells those who watch that these partners begin to issue together; 0: that the last one has issued.
  void report(SmWatch& watch, unsigned group, PartnerMask members) const;
  /// Issues the next member of the slot's sequence. False: it cannot issue in this cycle.
  bool go_on(IssueKit& kit, IssueSlot slot);

  DynamicWarpResizing& warps_;
  SubWarpSynchroniser& unit_;
  std::vector<Sequence> sequences_;  ///< by slot
  std::uint64_t accesses_ = 0;       ///< large warps so far
  CauseId combined_{}, waits_{};
  StatisticsGroup group_;
  Counter threads_, barriers_;
  std::vector<Counter> warps_of_;  ///< by size of a large warp, from 1
  ModuleState state_;
  ProbeGroup::SignalId size_;
};

}  // namespace heddle::sm
