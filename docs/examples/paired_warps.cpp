// SPDX-License-Identifier: Apache-2.0
// Paired warps: two neighbouring warps at the same instruction issue it together, on one slot; one that comes first
// waits a few cycles for the other. Each keeps its own reconvergence stack: only the issue is new, so a scheme is
// enough.
#include "sm/grouping/reconvergence_stack.h"
#include "sm/issue/issue_kit.h"

namespace heddle::sm {

class PairSlots final : public IssueScheme {
 public:
  explicit PairSlots(std::vector<ContextSet> members) : members_(std::move(members)) {}

  SlotShape slot(IssueSlot number) const override { return {.members = members_[number], .fills = false}; }
  void attach(IssueKit& kit) override {
    cause_pair_ = kit.account().issuing_cause("pair", "two warps issued one instruction together");
    cause_alone_ = kit.account().cause("alone", "a warp that could issue waits for the other of its pair");
  }
  void cycle(IssueKit& kit) override {
    kit.begin();
    for (IssueSlot slot(0); slot < members_.size(); ++slot) {
      const ContextSet ready = kit.candidates(members_[slot]);
      bool waited = false;
      const ContextId issued = kit.pick(slot, kit.order(slot), ready, [&](ContextId first) {
        const ContextId second = other_of(first);
        if (!ready.test(second) && comes(kit, first, second)) {
          waited = true;
          return false;
        }
        PacketPlan plan = kit.whole(slot, first);
        if (!kit.place(plan)) return false;
        waiting_since_[first] = kNever;
        const isa::MicroOp& op = *plan.op;
        kit.issue_whole(plan);
        if (ready.test(second) && kit.contexts()[second].next == &op) join(kit, slot, second);
        return true;
      });
      if (issued == kNoContext && waited) kit.charge(slot, cause_alone_);
    }
  }

 private:
  static constexpr Cycle kPatience = 4;  ///< cycles that a warp waits for the other

  /// Warps are dealt to slots in turn: neighbours of one slot are as far apart as there are slots.
  ContextId other_of(ContextId context) const {
    const std::size_t slots = members_.size();
    return ContextId((context / slots) % 2 == 0 ? context + slots : context - slots);
  }
  /// Whether `second` is at the same instruction, and `first` has not waited long enough for it.
  bool comes(IssueKit& kit, ContextId first, ContextId second) {
    const ContextTable& contexts = kit.contexts();
    if (!contexts.valid.test(second) || contexts[second].pc != contexts[first].pc) return false;
    if (contexts.waiting_for_others().test(second)) return false;
    Cycle& since = waiting_since_[first];
    if (since == kNever) since = kit.now();
    return kit.now() < since + kPatience;
  }
  void join(IssueKit& kit, IssueSlot slot, ContextId second) {
    PacketPlan plan = kit.whole(slot, second);
    if (!kit.takes(kit.unit_of(*plan.op)) || !kit.place(plan)) return;
    waiting_since_[second] = kNever;
    kit.charge(slot, cause_pair_);
    kit.issue_whole(plan);
  }

  std::vector<ContextSet> members_;
  std::vector<Cycle> waiting_since_ = std::vector<Cycle>(kMaxContexts + members_.size(), kNever);
  CauseId cause_pair_{}, cause_alone_{};
};

class PairedWarps final : public StackWarps {
 public:
  static GroupingTraits traits(const GroupingShape& shape) {
    GroupingTraits traits = StackWarps::traits(shape);
    traits.packets_per_slot = 2;
    return traits;
  }
  PairedWarps(const GroupingShape& shape, ContextTable& table) : StackWarps(shape, table, traits(shape)) {}
  std::string name() const override { return "paired_warps"; }
  std::unique_ptr<IssueScheme> make_scheme() override { return std::make_unique<PairSlots>(members_); }
};

HEDDLE_REGISTER(GroupingUnit, PairedWarps, "paired_warps", "two warps at one instruction issue it together",
                "docs/guide-grouping.md");

}  // namespace heddle::sm
