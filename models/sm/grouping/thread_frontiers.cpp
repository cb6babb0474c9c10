// SPDX-License-Identifier: Apache-2.0
// Thread frontiers: of a warp's splits the one with the lowest program counter runs; splits that reach the same address
// merge. Addresses are in thread-frontier order, so nothing is marked and nothing is pushed. Source:
// spec/branch-and-warp-interweaving.md, 2.0 and 2.3.
#include "sm/grouping/split_heap.h"
#include "sm/grouping/warp_slots.h"

namespace heddle::sm {

class ThreadFrontiers final : public GroupingUnit {
 public:
  ThreadFrontiers(const GroupingShape& shape, ContextTable& table)
      : GroupingUnit(table),
        shape_(checked(shape, 1)),
        warps_(shape.threads / shape.warp_size),
        slots_(warps_, shape.warp_size),
        heaps_(warps_),
        members_(shape.issue_slots) {
    for (unsigned w = 0; w < warps_; ++w) members_[w % shape.issue_slots].set(w);
  }

  unsigned context_count() const override { return warps_; }
  unsigned allocation_granule() const override { return shape_.warp_size; }
  ContextSet slot_members(unsigned slot) const override { return members_[slot]; }
  std::string name() const override { return "thread_frontiers"; }

  void launch(const Placement& placement) override {
    slots_.launch(placement, [&](unsigned warp, std::uint32_t first, unsigned threads) {
      const auto context = static_cast<ContextId>(warp);
      first_thread_[context] = first;
      table_[context].block = placement.block_slot;
      table_[context].warp = context;
      heaps_[warp].start(0, ThreadSet::first_n(threads));
      publish(context);
      placement.contexts->push_back(context);
    });
  }
  void release(std::uint16_t block_slot) override { slots_.release(block_slot); }

  LanePlan lanes(ContextId, const isa::MicroOp&, const ThreadSet&) const override {
    return {LaneMask::first_n(shape_.simd_width), shape_.warp_size / shape_.simd_width};
  }
  void advanced(ContextId context) override {
    heaps_[context].move(table_[context].threads, table_[context].pc + 1);
    publish(context);
  }
  void branched(ContextId context, const isa::MicroOp&, const std::vector<Way>& ways) override {
    heaps_[context].remove(table_[context].threads);
    for (const Way& way : ways) heaps_[context].insert(way.pc, way.threads);
    publish(context);
  }
  void exited(ContextId context, const ThreadSet& threads) override {
    const ThreadSet staying = table_[context].threads - threads;
    heaps_[context].remove(threads);
    if (staying.any()) heaps_[context].move(staying, table_[context].pc + 1);
    publish(context);
  }

  void waiting_changed(ContextId context, const ThreadSet&) override { publish(context); }
  void waiting_paths(ContextId context, std::vector<Way>& paths) const override {
    heaps_[context].others(table_[context].threads, paths);
  }
  void declare_state(ModuleState& state) override { declare_heaps(state, heaps_, shape_.warp_size); }

 private:
  void publish(ContextId context) {
    // Threads that come free elsewhere do not take the place of a split whose branch is to resolve.
    if (table_.valid.test(context) && table_.branch.test(context)) return;
    // A split that waits steps aside for the next one that does not.
    const auto& splits = heaps_[context].splits();
    for (const auto& split : splits) {
      if (table_.waits(context, split.threads)) continue;
      table_.set(context, split.pc, split.threads);
      return;
    }
    if (splits.empty()) {
      table_.set(context, 0, {});
    } else {
      table_.set(context, splits.front().pc, splits.front().threads);
    }
  }
  GroupingShape shape_;
  unsigned warps_;
  WarpSlots slots_;
  std::vector<SplitHeap> heaps_;
  std::vector<ContextSet> members_;
};

HEDDLE_REGISTER(GroupingUnit, ThreadFrontiers, "thread_frontiers",
                "of a warp's splits the one with the lowest program counter runs; equal ones merge",
                "spec/branch-and-warp-interweaving.md 2.3");

}  // namespace heddle::sm
