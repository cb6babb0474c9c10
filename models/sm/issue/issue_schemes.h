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
  /// members: by slot.
  explicit IndependentSlots(std::vector<ContextSet> members) : members_(std::move(members)) {}
  SlotShape slot(IssueSlot number) const override { return {members_[number], false}; }
  /// Uses the loop that the policies bring, if all slots have the same.
  void attach(IssueKit& kit) override;
  void cycle(IssueKit& kit) override { loop_(*this, kit); }

  std::size_t slots() const { return members_.size(); }
  const ContextSet& members(IssueSlot slot) const { return members_[slot]; }

 private:
  std::vector<ContextSet> members_;
  SlotLoop* loop_ = nullptr;
};

}  // namespace heddle::sm
