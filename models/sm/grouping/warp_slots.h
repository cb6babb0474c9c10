// SPDX-License-Identifier: Apache-2.0
// Warp slots of an SM, for groupings in which a warp keeps its threads from launch to exit, and the base class of
// groupings with one context per warp.
#pragma once

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "sm/grouping/grouping_unit.h"
#include "sm/issue/issue_schemes.h"

namespace heddle::sm {

/// Returns the shape if its contexts fit in kMaxContexts; else throws Error(kConfiguration).
inline const GroupingShape& distinct(const GroupingShape& shape, unsigned contexts_of_warp) {
  const unsigned contexts = shape.threads / shape.warp_size * contexts_of_warp;
  if (contexts > kMaxContexts) {
    fail(ExitCode::configuration, "sm.grouping: {} threads in warps of {} need {} contexts; the maximum is {}",
         shape.threads, shape.warp_size, contexts, kMaxContexts);
  }
  return shape;
}

/// As distinct(), and requires warps at least as wide as the datapath.
inline const GroupingShape& checked(const GroupingShape& shape, unsigned contexts_of_warp) {
  if (shape.warp_size < shape.simd_width) {
    fail(ExitCode::configuration, "sm.warp_size: {} is less than the SIMD width {}", shape.warp_size, shape.simd_width);
  }
  return distinct(shape, contexts_of_warp);
}

class WarpSlots {
 public:
  WarpSlots(unsigned warps, unsigned warp_size)
      : warp_size_(warp_size), free_(ContextSet::first_n(warps)), block_(warps), used_(warps) {}

  /// Calls place(warp, first thread of the block, threads) for every warp of the placement, in thread order.
  template <typename Place>
  void launch(const Placement& placement, Place&& place) {
    for (std::uint32_t t = 0; t < placement.threads; t += warp_size_) {
      const std::size_t warp = free_.first();
      if (warp >= block_.size()) fail(ExitCode::internal, "a block was launched, but no warp slot is free");
      free_.reset(warp);
      block_[warp] = placement.block_slot;
      used_[warp] = true;
      place(WarpId(warp), placement.first_thread + t, std::min(warp_size_, placement.threads - t));
    }
  }
  /// Frees the slots of a block that has finished.
  void release(BlockSlot block_slot) {
    release(block_slot, [](std::size_t) { return true; });
  }
  /// Frees those of the block's slots for which ended(warp) is true.
  template <typename Ended>
  void release(BlockSlot block_slot, Ended&& ended) {
    for (std::size_t w = 0; w < block_.size(); ++w) {
      if (!used_[w] || block_[w] != block_slot || !ended(w)) continue;
      used_[w] = false;
      free_.set(w);
    }
  }

 private:
  unsigned warp_size_;
  ContextSet free_;
  std::vector<BlockSlot> block_;
  std::vector<bool> used_;
};

/// A grouping with one context per warp, numbered like the warp. Warps are dealt to schedulers by number, so that each
/// scheduler has an equal share of every block.
class OneContextWarps : public GroupingUnit {
 public:
  static GroupingTraits traits(const GroupingShape& shape) {
    return {.contexts = shape.threads / shape.warp_size,
            .granule = shape.warp_size,
            .span = shape.warp_size,
            .places_granules = true,
            .own_warps = true};
  }
  using GroupingUnit::traits;
  std::unique_ptr<IssueScheme> make_scheme() override { return std::make_unique<IndependentSlots>(members_); }

  void launch(const Placement& placement) final {
    // Allocate whole granules: the last one may contain warps without threads.
    const unsigned granule = GroupingUnit::traits().granule;
    Placement whole = placement;
    whole.threads = (placement.threads + granule - 1) / granule * granule;
    const std::uint32_t end = placement.first_thread + placement.threads;
    slots_.launch(whole, [&](WarpId warp, std::uint32_t first, unsigned) {
      const ContextId context(warp.number());
      first_thread_[context] = first;
      table_[context].block = placement.block_slot;
      table_[context].warp = warp;
      started(context, ThreadSet::first_n(first < end ? std::min(shape_.warp_size, end - first) : 0));
      placement.contexts->push_back(context);
    });
  }
  void release(BlockSlot block_slot) final { slots_.release(block_slot); }
  void release_granule(BlockSlot block_slot, std::uint32_t first_thread) final {
    slots_.release(block_slot, [&](std::size_t warp) {
      return first_thread_[warp] - first_thread < GroupingUnit::traits().granule;
    });
  }

 protected:
  /// shape: checked() or distinct().
  OneContextWarps(const GroupingShape& shape, ContextTable& table, const GroupingTraits& traits)
      : GroupingUnit(table, traits),
        shape_(shape),
        warps_(traits.contexts),
        members_(shape.issue_slots),
        slots_(warps_, shape.warp_size) {
    for (unsigned w = 0; w < warps_; ++w) members_[w % shape.issue_slots].set(w);
  }
  OneContextWarps(const GroupingShape& shape, ContextTable& table)
      : OneContextWarps(checked(shape, 1), table, traits(shape)) {}

  /// A warp of these threads starts at PC 0 and must be published.
  virtual void started(ContextId context, const ThreadSet& threads) = 0;

  const GroupingShape shape_;
  const unsigned warps_;

  std::vector<ContextSet> members_;  ///< by issue slot

 private:
  WarpSlots slots_;
};

}  // namespace heddle::sm
