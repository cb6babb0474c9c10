// SPDX-License-Identifier: Apache-2.0
// The splits of one warp, ordered by program counter: lower addresses first, equal ones merged. Exact and unbounded:
// the reference for heaps with a limited number of hot entries. Source:
// spec/branch-and-warp-interweaving.md, 2.0, 2.3, 2.6. Logic only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/bits.h"

namespace heddle::sm {

class SplitHeap {
 public:
  struct Split {
    std::uint32_t pc;
    ThreadSet threads;
  };

  void start(std::uint32_t pc, const ThreadSet& threads) { splits_.assign(1, {pc, threads}); }
  void clear() { splits_.clear(); }
  /// Splits by ascending program counter; thread sets are disjoint and not empty.
  const std::vector<Split>& splits() const { return splits_; }
  bool empty() const { return splits_.empty(); }

  /// Adds threads at a program counter.
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
  /// Takes threads out, wherever they are.
  void remove(const ThreadSet& threads) {
    std::size_t kept = 0;
    for (Split& split : splits_) {
      split.threads -= threads;
      if (split.threads.any()) splits_[kept++] = split;
    }
    splits_.resize(kept);
  }
  /// Moves threads to a program counter.
  void move(const ThreadSet& threads, std::uint32_t pc) {
    remove(threads);
    insert(pc, threads);
  }

 private:
  std::vector<Split> splits_;
};

}  // namespace heddle::sm
