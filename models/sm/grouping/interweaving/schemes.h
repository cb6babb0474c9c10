// SPDX-License-Identifier: Apache-2.0
// Issue schemes of interweaved warps.
// Source: docs/sources/branch-and-warp-interweaving.md, 2.4, 2.8 and 2.11; decisions.md, interweaving.
#pragma once

#include <memory>
#include <vector>

#include "sm/grouping/interweaving/interweaved_warps.h"
#include "sm/grouping/interweaving/secondary_lookup.h"
#include "sm/issue/issue_kit.h"

namespace heddle::sm {

/// What the schemes have in common: an instruction issues whole, or only for the threads of its first line.
class InterweavedSlots : public IssueScheme {
 public:
  SlotShape slot(IssueSlot number) const override {
    return {ContextSet::first_n(std::size_t{warps_.warps()} * warps_.hot()), number == kSecond};
  }
  void attach(IssueKit& kit) override;

 protected:
  static constexpr IssueSlot kFirst{0}, kSecond{1};

  /// slots: number that the scheme uses; throws Error(kConfiguration) if the machine has others.
  InterweavedSlots(InterweavedWarps& warps, unsigned slots, unsigned sync_cost);

  /// Issues the context's placed instruction. True if it uses the slot.
  bool issue(IssueKit& kit, const PacketPlan& whole);
  /// Reduces a plan to the threads that its packet serves, and counts the instruction. Call just before it issues.
  void begin(IssueKit& kit, PacketPlan& plan);
  /// Whether the context must not issue in this cycle because its split would find no row.
  bool lacks_row(IssueKit& kit, ContextId context);
  /// Whether the marker in front of the context's instruction takes the slot.
  bool takes_marker(IssueKit& kit, IssueSlot slot, ContextId context);
  /// The second slot issues nothing although instructions were ready.
  void charge_no_partner(IssueKit& kit) { kit.charge(kSecond, no_partner_); }
  /// Picks for the first slot: the second hot split of a warp only where the first one cannot issue.
  template <typename Attempt>
  ContextId pick_lowest(IssueKit& kit, const ContextSet& candidates, const Attempt& attempt) const;
  /// Whether both may issue in one cycle, as far as new splits are concerned.
  bool may_pair(const isa::MicroOp& first, const isa::MicroOp& second) const;

  InterweavedWarps& warps_;
  SmSite& site_;

 private:
  /// Threads of the plan whose address is not in the line of the first one; none if the access is not split.
  ThreadSet behind(IssueKit& kit, const PacketPlan& plan) const;

  const unsigned sync_cost_;
  CauseId marker_{}, no_partner_{};
};

/// One slot: the lowest split of a warp.
class FrontierSlot final : public InterweavedSlots {
 public:
  explicit FrontierSlot(InterweavedWarps& warps) : InterweavedSlots(warps, 1, 0) {}
  void cycle(IssueKit& kit) override;
};

/// Branch interweaving: a split, and beside it the other one of its warp or one of another warp.
class SplitSlots final : public InterweavedSlots {
 public:
  SplitSlots(InterweavedWarps& warps, const BranchParameters& parameters);
  void cycle(IssueKit& kit) override;

 private:
  struct First {
    ContextId context = kNoContext;
    const isa::MicroOp* op = nullptr;
  };
  /// Issues one of `members` beside the first instruction. False: none could.
  bool second(IssueKit& kit, const First& first, const ContextSet& members);

  const BranchParameters::Scope scope_;
  StatisticsGroup group_;
  Counter same_row_, same_warp_, other_warp_;
};

/// Warp interweaving: two schedulers in cascade. The first latches an instruction; one cycle later the second finds
/// another one that fits beside it, and both issue.
class CascadedSlots final : public InterweavedSlots {
 public:
  CascadedSlots(InterweavedWarps& warps, const LookupParameters& parameters, unsigned sync_cost);
  void attach(IssueKit& kit) override;
  void cycle(IssueKit& kit) override;

 private:
  /// Between the schedulers.
  struct Latch {
    PacketHandle packet;  ///< null: empty, or its instruction needs no unit
    PacketPlan plan;
    ContextId context = kNoContext;  ///< whose instruction it holds; kNoContext: none, or discarded
    const isa::MicroOp* op = nullptr;
    WarpId warp;  ///< of the last instruction that it held
  };
  /// Whether the latched packet has gone to its unit, or there is none. If the unit is busy it stays.
  bool pass_on(IssueKit& kit);
  ContextId pick_first(IssueKit& kit);
  bool finds_unit(IssueKit& kit, ContextId context);
  /// Whether the first scheduler could have picked another instruction than this one.
  bool has_other_choice(IssueKit& kit, ContextId picked);
  /// Issues an instruction beside the latched one. passed: the latched one issues in this cycle.
  ContextId pick_second(IssueKit& kit, bool passed);
  ContextSet fitting(IssueKit& kit, const ContextSet& candidates, bool passed);
  void count(IssueKit& kit, ContextId second, bool passed);
  void fill_latch(IssueKit& kit, ContextId context);
  const ContextSet& searched() const;
  /// Latency of an instruction that is past the first scheduler, which the latency of its class includes; 0: as the
  /// unit gives it.
  unsigned latency_behind_first(IssueKit& kit, const isa::MicroOp& op) const;

  const LookupParameters parameters_;
  std::unique_ptr<SecondaryLookup> lookup_;
  Latch latch_;
  LookupRequest request_;  ///< a member, so that it is not cleared for every look-up
  std::uint16_t random_;
  std::vector<ContextSet> sets_;  ///< contexts by set of warps
  CauseId held_{}, discarded_{};
  StatisticsGroup group_;
  Counter conflicts_, forced_conflicts_, held_cycles_, searches_, found_, same_row_, same_warp_, other_unit_;
  ModuleState state_;
  ProbeGroup::SignalId first_pick_, second_pick_, conflict_, free_lanes_;
};

}  // namespace heddle::sm
