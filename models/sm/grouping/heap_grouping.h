// SPDX-License-Identifier: Apache-2.0
// Base of groupings in which every thread has its own PC and a warp runs the threads at one PC at a time. Each warp has
// a heap of splits, one of which is the warp's context; derived groupings differ in which one they choose.
#pragma once

#include <vector>

#include "sm/grouping/split_heap.h"
#include "sm/grouping/warp_slots.h"

namespace heddle::sm {

class HeapGrouping : public OneContextWarps {
 public:
  LanePlan lanes(ContextId, const isa::MicroOp&, const ThreadSet&) const override {
    return {LaneMask::first_n(shape_.simd_width), shape_.warp_size / shape_.simd_width};
  }
  void waiting_changed(ContextId context, const ThreadSet&) override { publish(context); }
  bool part_waiting(ContextId context, const ThreadSet& waiting) override {
    heaps_[context].part(waiting);
    publish(context);
    return true;
  }
  void waiting_paths(ContextId context, std::vector<Path>& paths) const override {
    heaps_[context].others(table_[context].threads, paths);
  }
  void declare_state(ModuleState& state) override { declare_heaps(state, heaps_, shape_.warp_size); }

 protected:
  HeapGrouping(const GroupingShape& shape, ContextTable& table) : OneContextWarps(shape, table), heaps_(warps_) {}

  void started(ContextId context, const ThreadSet& threads) override {
    heaps_[context].start(0, threads);
    publish(context);
  }
  /// Makes the split that runs next the warp's context.
  virtual void publish(ContextId context) = 0;
  /// The first non-waiting split at or after PC `from`, else the first non-waiting one, else the first one; null: no
  /// splits.
  const SplitHeap::Split* first_free(ContextId context, std::uint32_t from = 0) const {
    const auto& splits = heaps_[context].splits();
    const SplitHeap::Split* lowest = nullptr;
    for (const auto& split : splits) {
      if (table_.waits(table_[context].warp, split.threads)) continue;
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
  /// Whether the shown split has an unresolved branch and so must not be replaced by other threads.
  bool awaits_branch(ContextId context) const { return table_.valid.test(context) && table_.branch.test(context); }

  std::vector<SplitHeap> heaps_;
};

}  // namespace heddle::sm
