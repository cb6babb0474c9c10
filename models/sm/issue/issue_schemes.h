// SPDX-License-Identifier: Apache-2.0
// Issue schemes shared by several groupings. A scheme specific to one grouping lives in that grouping's folder.
#pragma once

#include <utility>
#include <vector>

#include "sm/issue/issue_scheme.h"

namespace heddle::sm {

/// Every slot picks one of its contexts and issues that context's instruction as one packet.
class IndependentSlots final : public IssueScheme {
 public:
  /// members: by slot. one_access: memory packets issued in the same cycle, in any slots, form one access group.
  explicit IndependentSlots(std::vector<ContextSet> members, bool one_access = false)
      : members_(std::move(members)), one_access_(one_access) {}
  SlotShape slot(IssueSlot number) const override { return {members_[number], false}; }
  /// Uses the loop that the policies bring, if all slots have the same.
  void attach(IssueKit& kit) override;
  void cycle(IssueKit& kit) override { loop_(*this, kit); }

  std::size_t slots() const { return members_.size(); }
  const ContextSet& members(IssueSlot slot) const { return members_[slot]; }
  bool one_access() const { return one_access_; }

 private:
  std::vector<ContextSet> members_;
  bool one_access_;
  SlotLoop* loop_ = nullptr;
};

/// Decides which instructions may co-issue, for slots that fill lanes.
class Pairing {
 public:
  virtual ~Pairing() = default;
  /// Contexts that may issue in the same cycle as `first`, lanes permitting.
  virtual ContextSet partners(ContextId first) const = 0;
  /// Whether `second` may issue beside `first` in one cycle.
  virtual bool pairs(const isa::MicroOp& first, const isa::MicroOp& second) const = 0;
};

/// Slot 0 picks from all contexts; slot 1 issues a partner on the lanes left free or on another unit.
class FillingSlots final : public IssueScheme {
 public:
  /// pairing: must outlive the scheme.
  FillingSlots(const ContextSet& members, const Pairing& pairing) : members_(members), pairing_(pairing) {}
  SlotShape slot(IssueSlot number) const override { return {members_, number == 1}; }
  void cycle(IssueKit& kit) override;

 private:
  ContextSet members_;
  const Pairing& pairing_;
};

}  // namespace heddle::sm
