// SPDX-License-Identifier: Apache-2.0
// Narrow warps on independent slices of the datapath: each slice has an issue slot of its own and a warp keeps its
// slice; memory instructions that issue in one cycle, on whatever slices, are one access. Source:
// spec/variable-warp-size.md, 2.2, 2.3 and 2.9. Divergence inside a warp is the warp's own stack's business.
#include "sm/grouping/reconvergence_stack.h"

namespace heddle::sm {

class SlicedWarps final : public GroupingUnit {
 public:
  SlicedWarps(const GroupingShape& shape, ContextTable& table)
      : GroupingUnit(table),
        shape_(distinct(shape, 1)),
        warps_(shape.threads / shape.warp_size),
        slots_(warps_, shape.warp_size),
        stacks_(warps_) {
    if (shape.issue_slots * shape.warp_size != shape.simd_width) {
      fail(ExitCode::kConfiguration,
           "sm.grouping sliced_warps: schedulers ({}) times warp_size ({}) must be the SIMD width ({}): one issue slot "
           "a slice",
           shape.issue_slots, shape.warp_size, shape.simd_width);
    }
  }

  unsigned context_count() const override { return warps_; }
  unsigned allocation_granule() const override { return shape_.simd_width; }
  ContextSet slot_members(unsigned slot) const override {
    ContextSet members;
    for (unsigned w = slot; w < warps_; w += shape_.issue_slots) members.set(w);
    return members;
  }
  bool packs_memory_of_a_cycle() const override { return true; }
  std::string name() const override { return "sliced_warps"; }

  void launch(const Placement& placement) override {
    // Whole groups of warps, one a slice, so that thread 0 of a block lies on slice 0 and neighbours on neighbours.
    Placement whole = placement;
    whole.threads = (placement.threads + shape_.simd_width - 1) / shape_.simd_width * shape_.simd_width;
    slots_.launch(whole, [&](unsigned warp, std::uint32_t first, unsigned) {
      const auto context = static_cast<ContextId>(warp);
      first_thread_[context] = first;
      table_[context].block = placement.block_slot;
      table_[context].warp = context;
      const std::uint32_t end = placement.first_thread + placement.threads;
      const std::uint32_t threads = first >= end ? 0 : std::min<std::uint32_t>(shape_.warp_size, end - first);
      stacks_[context].start(0, ThreadSet::first_n(threads));
      publish(context);
      placement.contexts->push_back(context);
    });
  }
  void release(std::uint16_t block_slot) override { slots_.release(block_slot); }

  LanePlan lanes(ContextId context, const isa::MicroOp&, const ThreadSet&) const override {
    LaneMask lanes;
    const unsigned slice = context % shape_.issue_slots;
    lanes.set_word(0, LaneMask::first_n(shape_.warp_size).word(0) << (slice * shape_.warp_size));
    return {lanes, 1};
  }
  void advanced(ContextId context) override {
    stacks_[context].go(stacks_[context].pc + 1);
    publish(context);
  }
  void branched(ContextId context, const isa::MicroOp& op, const std::vector<Way>& ways) override {
    stacks_[context].split(ways, op.reconvergence_pc);
    publish(context);
  }
  void exited(ContextId context, const ThreadSet& threads) override {
    stacks_[context].leave(threads);
    publish(context);
  }
  void waiting_changed(ContextId context, const ThreadSet& awaited) override {
    if (let_others_run(table_, context, awaited, stacks_[context])) publish(context);
  }

  void waiting_paths(ContextId context, std::vector<Way>& paths) const override {
    stacks_[context].waiting_paths(paths);
  }
  void declare_state(ModuleState& state) override { declare_stacks(state, stacks_, shape_.warp_size); }

 private:
  void publish(ContextId context) { publish_active(table_, context, stacks_[context]); }
  GroupingShape shape_;
  unsigned warps_;
  WarpSlots slots_;
  std::vector<StackState> stacks_;
};

HEDDLE_REGISTER(GroupingUnit, SlicedWarps, "sliced_warps",
                "narrow warps on independent slices; memory instructions of one cycle are one access",
                "spec/variable-warp-size.md 2.2, 2.9");

}  // namespace heddle::sm
