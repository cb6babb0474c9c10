// SPDX-License-Identifier: Apache-2.0
// Paired warps: two neighbouring warps that stand at one instruction issue it together, on one slot. Each keeps a
// reconvergence stack of its own; only how they issue is new, so a scheme is all that is written.
#include "sm/grouping/reconvergence_stack.h"
#include "sm/issue/issue_kit.h"

namespace heddle::sm {

class PairSlots final : public IssueScheme {
 public:
  explicit PairSlots(std::vector<ContextSet> members) : members_(std::move(members)) {}

  SlotShape slot(unsigned number) const override { return {.members = members_[number], .fills = false}; }
  void attach(IssueKit& kit) override {
    cause_pair_ = kit.account().issuing_cause("pair", "two warps issued one instruction together");
  }
  void cycle(IssueKit& kit) override {
    kit.begin();
    for (std::uint16_t slot = 0; slot < members_.size(); ++slot) {
      const ContextSet ready = kit.candidates(members_[slot]);
      kit.pick(slot, kit.order(slot), ready, [&](ContextId first) {
        PacketPlan plan = kit.whole(slot, first);
        if (!kit.place(plan)) return false;
        const isa::MicroOp& op = *plan.op;
        kit.issue_whole(plan);
        // Neighbours of a slot are `members_.size()` contexts apart: warps are dealt to slots in turn.
        const auto slots = static_cast<ContextId>(members_.size());
        const auto second = static_cast<ContextId>((first / slots) % 2 == 0 ? first + slots : first - slots);
        if (ready.test(second) && kit.contexts()[second].next == &op) join(kit, slot, second);
        return true;
      });
    }
  }

 private:
  void join(IssueKit& kit, std::uint16_t slot, ContextId second) {
    PacketPlan plan = kit.whole(slot, second);
    if (!kit.takes(kit.unit_of(*plan.op)) || !kit.place(plan)) return;
    kit.charge(slot, cause_pair_);
    kit.issue_whole(plan);
  }

  std::vector<ContextSet> members_;
  CauseId cause_pair_{};
};

class PairedWarps final : public StackWarps {
 public:
  PairedWarps(const GroupingShape& shape, ContextTable& table) : StackWarps(shape, table) {}
  std::string name() const override { return "paired_warps"; }
  std::unique_ptr<IssueScheme> make_scheme() override { return std::make_unique<PairSlots>(members_); }
};

HEDDLE_REGISTER(GroupingUnit, PairedWarps, "paired_warps", "two warps at one instruction issue it together",
                "docs/guide-grouping.md");

}  // namespace heddle::sm
