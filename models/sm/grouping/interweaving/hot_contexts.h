// SPDX-License-Identifier: Apache-2.0
// The hot contexts of the warps of an SM: of every warp, the one or two splits with the lowest program counters, which
// can issue. What is behind them is cold.
// Source: docs/sources/branch-and-warp-interweaving.md, 2.6. Logic only.
#pragma once

#include <array>
#include <vector>

#include "isa/image.h"
#include "sm/grouping/interweaving/cold_contexts.h"

namespace heddle::sm {

struct HotShape {
  unsigned warps = 16;
  unsigned hot = 2;  ///< contexts per warp: 1 or 2
  /// A cold context with a lower program counter than a hot one replaces it. Always so with one hot context.
  bool head_swap = true;
  /// All that can be done is done in the same cycle: the reference.
  bool exact = false;
};

/// Whether a split at a reconvergence point waits for the lower one, which is at `primary`: while that is behind the
/// divergence and before the point. Source: 2.5.
inline bool waits_at(const isa::SyncPoint& point, std::uint32_t primary) {
  return point.divergence_pc < primary && primary < point.pc;
}

class HotContexts {
 public:
  using Row = std::array<SplitContext, 2>;  ///< by ascending program counter; valid ones first

  /// sorter, cold, waiting: must outlive this.
  HotContexts(const HotShape& shape, ContextSorter& sorter, ColdStore& cold, const WaitingSplits& waiting)
      : shape_(shape), sorter_(sorter), cold_(cold), waiting_(waiting), rows_(shape.warps) {}

  /// All threads of the warp are at program counter 0.
  void start(WarpId warp, std::uint64_t threads) { rows_[warp] = {SplitContext{true, false, 0, threads}, {}}; }
  /// A hot context as the program counter logic leaves it, before the next settle(). No threads: it ends.
  void put(WarpId warp, unsigned slot, std::uint32_t pc, std::uint64_t threads) {
    rows_[warp][slot] = threads == 0 ? SplitContext{} : SplitContext{true, false, pc, threads};
  }
  const Row& row(WarpId warp) const { return rows_[warp]; }

  struct Settled {
    /// By slot: the slots before whose threads it holds, one bit each; bit 2: others.
    std::array<std::uint8_t, 2> sources{};
    bool again = false;  ///< there is more to do in the next cycle
  };
  /// Once a cycle for every warp with a change: sorts and merges the hot contexts and a new split (invalid: none), and
  /// exchanges contexts with the cold ones. pinned: by slot, its next program counter is not known yet.
  Settled settle(WarpId warp, const SplitContext& fresh, const std::array<bool, 2>& pinned);

  struct Counts {
    std::uint64_t sorts = 0, merges = 0, swaps = 0, rotations = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  /// State of one settle().
  struct Work {
    WarpId warp;
    Row& row;
    std::array<bool, 2> pinned;
    Settled result;
  };
  void sort(Work& work, const SplitContext& fresh);
  /// Takes at most one context from the cold ones. False: there is none to take.
  bool exchange(Work& work);
  bool fill(Work& work);
  bool swap(Work& work);
  bool rotate(Work& work);
  void replace(Work& work, unsigned slot, const SplitContext* by);

  const HotShape shape_;
  ContextSorter& sorter_;
  ColdStore& cold_;
  const WaitingSplits& waiting_;
  std::vector<Row> rows_;
  Counts counts_;
};

}  // namespace heddle::sm
