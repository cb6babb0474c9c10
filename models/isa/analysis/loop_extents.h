// SPDX-License-Identifier: Apache-2.0
// Where a kernel's loops begin and end in program order, as marks on their first and last instruction would tell a
// machine. Only natural loops are marked. Calls are inlined, so a loop contains what it calls.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.5.1 and 9, questions 24 and 25.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/image.h"

namespace heddle::isa {

struct LoopExtent {
  std::uint32_t begin = 0, end = 0;       ///< program counters of its first and last instruction
  std::uint32_t depth = 1;                ///< 1: not inside another loop
  const LoopExtent* parent = nullptr;     ///< loop around it
  const LoopExtent* outermost = nullptr;  ///< the loop of depth 1 around it, or itself

  bool contains(std::uint32_t pc) const { return begin <= pc && pc <= end; }
};

class LoopExtents {
 public:
  explicit LoopExtents(const Kernel& kernel);
  LoopExtents(const LoopExtents&) = delete;
  LoopExtents& operator=(const LoopExtents&) = delete;

  /// By `begin`. Loops that share their first instruction count as one, the outer.
  const std::vector<LoopExtent>& all() const { return loops_; }
  /// The loop that begins at this PC; null: none.
  const LoopExtent* begins_at(std::uint32_t pc) const { return at(begins_, pc); }
  /// The innermost loop around the instruction; null: none.
  const LoopExtent* innermost(std::uint32_t pc) const { return at(innermost_, pc); }
  /// The loop with the smallest first PC above `pc`; null: none.
  const LoopExtent* next_after(std::uint32_t pc) const;
  /// Cycles of the control flow that are entered at several places: no loops.
  unsigned irreducible() const { return irreducible_; }

 private:
  const LoopExtent* at(const std::vector<std::uint32_t>& table, std::uint32_t pc) const {
    return pc >= table.size() || table[pc] == 0 ? nullptr : &loops_[table[pc] - 1];
  }

  std::vector<LoopExtent> loops_;
  std::vector<std::uint32_t> begins_, innermost_;  ///< by PC: index + 1; 0: none
  unsigned irreducible_ = 0;
};

}  // namespace heddle::isa
