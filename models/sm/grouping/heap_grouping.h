// SPDX-License-Identifier: Apache-2.0
// What groupings share in which every thread has a program counter of its own and a warp runs those of one: a heap of
// splits a warp, of which one is shown as the warp's context. They differ in which one that is.
#pragma once

#include <vector>

#include "sm/grouping/split_heap.h"
#include "sm/grouping/warp_slots.h"

namespace heddle::sm {

class HeapGrouping : public GroupingUnit {
 public:
  unsigned context_count() const override { return warps_; }
  unsigned allocation_granule() const override { return shape_.warp_size; }
  ContextSet slot_members(unsigned slot) const override { return members_[slot]; }

  void launch(const Placement& placement) override {
    slots_.launch(placement, [&](unsigned warp, std::uint32_t first, unsigned threads) {
      const auto context = static_cast<ContextId>(warp);
      first_thread_[context] = first;
      table_[context].block = placement.block_slot;
      table_[context].warp = context;
      heaps_[warp].start(0, ThreadSet::first_n(threads));
      started(context);
      publish(context);
      placement.contexts->push_back(context);
    });
  }
  void release(std::uint16_t block_slot) override { slots_.release(block_slot); }

  LanePlan lanes(ContextId, const isa::MicroOp&, const ThreadSet&) const override {
    return {LaneMask::first_n(shape_.simd_width), shape_.warp_size / shape_.simd_width};
  }
  void waiting_changed(ContextId context, const ThreadSet&) override { publish(context); }
  void waiting_paths(ContextId context, std::vector<Way>& paths) const override {
    heaps_[context].others(table_[context].threads, paths);
  }
  void declare_state(ModuleState& state) override { declare_heaps(state, heaps_, shape_.warp_size); }

 protected:
  HeapGrouping(const GroupingShape& shape, ContextTable& table)
      : GroupingUnit(table),
        shape_(checked(shape, 1)),
        warps_(shape.threads / shape.warp_size),
        slots_(warps_, shape.warp_size),
        heaps_(warps_),
        members_(shape.issue_slots) {
    for (unsigned w = 0; w < warps_; ++w) members_[w % shape.issue_slots].set(w);
  }

  /// A warp begins at program counter 0.
  virtual void started(ContextId /*context*/) {}
  /// Shows the split that runs next.
  virtual void publish(ContextId context) = 0;
  /// The first split, from `from` on, that does not wait; if all do the first of them. None: the heap is empty.
  const SplitHeap::Split* first_free(ContextId context, std::uint32_t from = 0) const {
    const auto& splits = heaps_[context].splits();
    const SplitHeap::Split* lowest = nullptr;
    for (const auto& split : splits) {
      if (table_.waits(context, split.threads)) continue;
      if (split.pc >= from) return &split;
      if (lowest == nullptr) lowest = &split;
    }
    return lowest != nullptr || splits.empty() ? lowest : &splits.front();
  }
  void show(ContextId context, const SplitHeap::Split* split) {
    if (split == nullptr) {
      table_.set(context, 0, {});
    } else {
      table_.set(context, split->pc, split->threads);
    }
  }
  /// Threads that come free elsewhere do not take the place of a split whose branch is to resolve.
  bool awaits_branch(ContextId context) const { return table_.valid.test(context) && table_.branch.test(context); }

  GroupingShape shape_;
  unsigned warps_;
  WarpSlots slots_;
  std::vector<SplitHeap> heaps_;
  std::vector<ContextSet> members_;
};

}  // namespace heddle::sm
