// SPDX-License-Identifier: Apache-2.0
// The splits of one warp, ordered by ascending PC; splits at equal PCs are merged. Exact and unbounded: the reference
// for heaps with a limited number of hot entries. Source:
// docs/sources/branch-and-warp-interweaving.md, 2.0, 2.3, 2.6. Logic only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/bits.h"
#include "core/kernel/module_state.h"
#include "sm/grouping/grouping_unit.h"

namespace heddle::sm {

class SplitHeap {
 public:
  struct Split {
    std::uint32_t pc;
    ThreadSet threads;
  };

  void start(std::uint32_t pc, const ThreadSet& threads) {
    splits_.assign(1, {pc, threads});
    apart_.clear();
  }
  void clear() {
    splits_.clear();
    apart_.clear();
  }
  /// Splits by ascending PC; thread sets are disjoint and not empty.
  const std::vector<Split>& splits() const { return splits_; }
  bool empty() const { return splits_.empty(); }

  /// Adds threads at a PC.
  void insert(std::uint32_t pc, const ThreadSet& threads) {
    if (threads.none()) return;
    std::size_t i = 0;
    while (i < splits_.size() && splits_[i].pc < pc) ++i;
    if (i < splits_.size() && splits_[i].pc == pc) {
      splits_[i].threads |= threads;
    } else {
      splits_.insert(splits_.begin() + static_cast<std::ptrdiff_t>(i), {pc, threads});
    }
  }
  /// Removes threads from whatever split holds them.
  void remove(const ThreadSet& threads) {
    std::size_t kept = 0;
    for (Split& split : splits_) {
      split.threads -= threads;
      if (split.threads.any()) splits_[kept++] = split;
    }
    splits_.resize(kept);
    for (std::size_t i = 0; i < apart_.size();) {
      Apart& apart = apart_[i];
      apart.split.threads -= threads;
      if (!apart.before.intersects(threads)) {
        ++i;
        continue;
      }
      const Split back = apart.split;
      apart_.erase(apart_.begin() + static_cast<std::ptrdiff_t>(i));
      insert(back.pc, back.threads);
    }
  }
  /// Takes threads out of their split until one of the split's other threads has moved on: the others have completed
  /// the instruction at which these wait.
  void part(const ThreadSet& threads) {
    for (std::size_t i = 0; i < splits_.size(); ++i) {
      Split& split = splits_[i];
      if (!split.threads.intersects(threads)) continue;
      split.threads -= threads;
      apart_.push_back({{split.pc, threads}, split.threads});
      return;
    }
  }
  /// Appends the splits that contain no thread of `shown`.
  void others(const ThreadSet& shown, std::vector<GroupingUnit::Path>& paths) const {
    for (const Split& split : splits_) {
      if (!split.threads.intersects(shown)) paths.push_back({split.pc, split.threads});
    }
    for (const Apart& apart : apart_) paths.push_back({apart.split.pc, apart.split.threads});
  }
  /// Moves threads to a PC.
  void move(const ThreadSet& threads, std::uint32_t pc) {
    remove(threads);
    insert(pc, threads);
  }

 private:
  struct Apart {
    Split split;
    ThreadSet before;  ///< the other threads of its former split
  };
  std::vector<Split> splits_;
  std::vector<Apart> apart_;
};

/// Declares the heaps of an SM's warps, with one split per thread: the most there can be.
inline Structure& declare_heaps(ModuleState& state, const std::vector<SplitHeap>& heaps, unsigned warp_size) {
  Structure& splits = state.structure("heap", "splits of the warps, lowest program counter first",
                                      heaps.size() * warp_size, {{"pc", 32, 1, 1}, {"threads", warp_size, 1, 1}});
  splits.occupied(
      [&heaps, warp_size](std::size_t entry) { return entry % warp_size < heaps[entry / warp_size].splits().size(); });
  splits.read([&heaps, warp_size](std::size_t entry, std::size_t field) -> std::uint64_t {
    const auto& held = heaps[entry / warp_size].splits();
    if (entry % warp_size >= held.size()) return 0;
    const SplitHeap::Split& split = held[entry % warp_size];
    return field == 0 ? split.pc : split.threads.word(0);
  });
  Structure& count = state.traced_structure("splits", "number of splits of each warp", heaps.size(),
                                            {{"count", index_bits(warp_size + 1), 1, 1}});
  count.is_view();
  count.read([&heaps](std::size_t warp, std::size_t) { return std::uint64_t{heaps[warp].splits().size()}; });
  return splits;
}

}  // namespace heddle::sm
