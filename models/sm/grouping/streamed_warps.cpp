// SPDX-License-Identifier: Apache-2.0
// The warps of dynamic_warp_resizing's rivals: one reconvergence stack per warp of any fixed size, on one group of
// lanes. Whatever a warp executes passes the lanes in parts of their width, head to tail, and the issue slot is taken
// for as many cycles: a branch or an access of a wide warp, too, which other groupings issue in one cycle beside the
// arithmetic of another warp. Source: docs/sources/dynamic-warp-resizing.md, 2.2.
#include <vector>

#include "sm/grouping/reconvergence_stack.h"
#include "sm/issue/issue_kit.h"

namespace heddle::sm {

namespace {

class StreamingSlots final : public IssueScheme {
 public:
  explicit StreamingSlots(std::vector<ContextSet> members)
      : members_(std::move(members)), free_at_(members_.size(), 0) {}

  SlotShape slot(IssueSlot number) const override { return {members_[number], false}; }
  void attach(IssueKit& kit) override {
    streamed_ = kit.account().issuing_cause("streamed", "the next part of a warp wider than the lanes followed");
  }
  void cycle(IssueKit& kit) override {
    kit.begin();
    for (IssueSlot s(0); s < members_.size(); ++s) {
      if (kit.now() < free_at_[s]) {
        kit.stay();
        kit.charge(s, streamed_);
        continue;
      }
      kit.pick(s, kit.order(s), kit.candidates(members_[s]), [&](ContextId c) {
        PacketPlan plan = kit.whole(s, c);
        if (!kit.place(plan)) return false;
        free_at_[s] = kit.now() + plan.lanes.waves;
        return kit.issue_whole(plan);
      });
    }
  }

 private:
  std::vector<ContextSet> members_;
  std::vector<Cycle> free_at_;  ///< by slot
  CauseId streamed_{};
};

}  // namespace

class StreamedWarps final : public StackWarps {
 public:
  StreamedWarps(const GroupingShape& shape, ContextTable& table) : StackWarps(shape, table) {}
  std::string name() const override { return "streamed_warps"; }
  std::unique_ptr<IssueScheme> make_scheme() override { return std::make_unique<StreamingSlots>(members_); }
};

HEDDLE_REGISTER(GroupingUnit, StreamedWarps, "streamed_warps",
                "as reconvergence_stack, but a warp wider than the lanes takes its issue slot until its last part has "
                "been issued",
                "docs/sources/dynamic-warp-resizing.md 2.2");

}  // namespace heddle::sm
