// SPDX-License-Identifier: Apache-2.0
// What an L1 data cache would do if its SM issued from a limited number of warps: the recorded stream of each warp is
// played back on an abstract SM. Method and its errors: docs/locality.md.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/locality/l1_trace.h"

namespace heddle::memory {

struct LimitCounts {
  std::uint64_t hits = 0, merges = 0, misses = 0;
};

struct LimitResult {
  std::vector<LimitCounts> places;  ///< loads, by TracedKernel::places
  std::uint64_t cycles = 0;
};

/// One SM in one launch.
class LimitModel {
 public:
  /// The machine's cache is not unlimited. The arguments outlive this.
  LimitModel(const TracedMachine& machine, const TracedKernel& kernel, const TracedTimes& times, const TracedSm& sm);

  /// Only the oldest `limit` warps may issue; where one of them waits at a barrier, all may (static_limit). limit: from
  /// 1.
  LimitResult run(unsigned limit) const;
  /// Most warps resident at a time.
  unsigned most_warps() const { return most_warps_; }

 private:
  class Run;
  /// A memory instruction or barrier of a warp.
  struct Item {
    std::uint32_t first = 0, count = 0;  ///< accesses, in by_instruction_
    std::uint32_t instructions = 0;      ///< issued by the warp before it
    unsigned overlap = 0;                ///< loads of the warp that need not have their data before it issues
    TracedKind kind = TracedKind::load;
  };
  struct Block {
    std::uint32_t first = 0, end = 0;  ///< warps
    bool waits = false;                ///< for the block before it in its slot
    std::uint32_t next = kNone;        ///< block that gets its slot
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void find_items();
  void find_blocks();

  const TracedMachine& machine_;
  const TracedKernel& kernel_;
  const TracedTimes& times_;
  const TracedSm& sm_;
  std::vector<std::uint32_t> by_instruction_;  // accesses, those of an instruction together
  std::vector<std::vector<Item>> items_;       // by warp
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> block_of_;  // by warp
  unsigned most_warps_ = 0;
};

}  // namespace heddle::memory
