// SPDX-License-Identifier: Apache-2.0
// Issue of a sliced SM: up to some gangs issue in lock step on the slices of their warps, and each slice that is left
// free issues a warp of its own. Memory instructions of a cycle form one access.
// Source: docs/sources/variable-warp-size.md, 2.8 and 2.9; decisions.md, variable warp size.
#pragma once

#include <array>
#include <optional>

#include "sm/grouping/ganging/gang_packets.h"
#include "sm/grouping/ganging/ready_gangs.h"
#include "sm/grouping/ganging/variable_warps.h"

namespace heddle::sm {

class GangSlots final : public IssueScheme {
 public:
  explicit GangSlots(VariableWarps& warps);
  SlotShape slot(IssueSlot number) const override { return {warps_.slice_members()[number], false}; }
  void attach(IssueKit& kit) override;
  void cycle(IssueKit& kit) override;
  void remove_awaited(ContextSet& ready) const override;
  Cycle next_event() const override { return unit_.next_event(site_.gate.now()); }
  void settle(Cycle until) override;

 private:
  /// Issues gangs; returns the slices that they use.
  SliceMask issue_gangs(IssueKit& kit);
  /// Fills candidates_ with the gangs that could issue.
  void find_gangs(IssueKit& kit);
  void issue_gang(IssueKit& kit, unsigned set, SliceMask gang);
  /// Issues the gang's instruction as one packet, if that is the same as one for each of its warps.
  bool issue_joined(IssueKit& kit, unsigned set, SliceMask gang);
  /// Members of a gang arrive at their collective; returns those that may issue it.
  SliceMask arrive(IssueKit& kit, unsigned set, SliceMask gang);
  PacketPlan plan(IssueKit& kit, unsigned slice, ContextId context) const;
  /// Issues one of `singles`, ready warps that the slice schedules. False: none could.
  bool issue_alone(IssueKit& kit, unsigned slice, const ContextSet& singles);
  /// Charges those of these slices whose ready warps are all in gangs and did not issue. Returns the others.
  SliceMask charge_gangs(IssueKit& kit, SliceMask slices);
  /// denied: slices that gangs take in this cycle although a single warp is ready on them.
  void count_denials(SliceMask denied);
  /// Slices that a ready single warp gets although gangs want them.
  SliceMask aged() const;

  VariableWarps& warps_;
  WarpGangingUnit& unit_;
  SmSite& site_;
  ContextSet all_;
  ReadyGangs ready_gangs_;
  std::optional<GangPackets> packets_;  ///< from attach() on
  std::uint64_t issued_sets_ = 0;       ///< sets with a gang that issued since ready_gangs_ was updated
  /// By slices of a gang: times one issued as one packet that the slices have not been told of.
  std::array<std::uint64_t, 1u << kMaxSlices> joined_{};
  PacketPlan joined_plan_;  ///< of the gang that issues as one packet; kept, as most of it is the same for each
  // -- of a cycle
  ContextSet ready_;            ///< warps that were ready when it began; when gangs are found, those that may issue
  SliceMask ready_slices_ = 0;  ///< slices with such a warp
  GangCandidates candidates_;
  std::uint8_t kind_ = 0;                      ///< of the cycle's memory access; 0: none yet
  SliceMask complete_ = 0;                     ///< slices with a gang that could have issued
  SliceMask crowded_ = 0;                      ///< slices with a ready gang whose unit has no room
  bool accesses_wait_ = false;                 ///< no warp may access memory: there is no room
  bool kind_conflict_ = false;                 ///< the slice's warp would have accessed another kind of memory
  std::uint32_t crowded_units_ = 0;            ///< units without room for a gang that waits for them, one bit each
  SliceMask denied_slices_ = 0;                ///< where denied_ is not 0
  std::array<unsigned, kMaxSlices> denied_{};  ///< by slice: cycles in which gangs kept a ready single warp from it
  CauseId ganged_{}, gang_wait_{}, gang_conflict_{}, regrouping_{}, memory_kind_{};
  StatisticsGroup group_;
  Counter cycles_, gangs_, gang_lanes_, alone_lanes_, conflicts_;
  Maximum longest_denial_;
  ModuleState state_;
  ProbeGroup::SignalId first_, second_, slices_ganged_, slices_alone_;
};

}  // namespace heddle::sm
