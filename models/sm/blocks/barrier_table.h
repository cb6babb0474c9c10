// SPDX-License-Identifier: Apache-2.0
// Block barriers: the threads waiting at each of a block's 16 barriers, and whether all expected ones have arrived.
// Counts threads, so that exits and narrow warps need no special case. Logic only.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/types.h"
#include "sm/packet.h"

namespace heddle::sm {

class BarrierTable {
 public:
  static constexpr unsigned kBarriers = 16;

  struct Barrier {
    std::uint32_t expected = 0;  ///< expected threads; 0: all threads of the block that have not exited
    std::uint32_t arrived = 0;
    std::uint32_t true_count = 0;  ///< threads with a true predicate, for reductions
    bool all = true, any = false;
    std::vector<PacketHandle> waiting;  ///< packets whose threads wait, and which receive a reduction's result
  };
  struct Block {
    std::uint32_t live = 0;  ///< threads of the block that have not exited
    std::array<Barrier, kBarriers> barriers;
  };

  void launch(BlockSlot block, std::uint32_t threads) {
    Block& b = at(block);
    b.live = threads;
    for (Barrier& barrier : b.barriers) reset(barrier);
  }
  /// Threads arrive. expected: 0 for all of the block. Returns true when the barrier is complete; the caller then
  /// releases the waiting packets and calls reset().
  bool arrive(BlockSlot block, unsigned barrier, std::uint32_t threads, std::uint32_t expected) {
    Barrier& b = at(block).barriers[barrier];
    b.arrived += threads;
    if (expected != 0) b.expected = expected;
    return complete(blocks_[block], b);
  }
  /// Threads left the kernel. Returns the barriers completed by this, one bit each.
  std::uint32_t exited(BlockSlot block, std::uint32_t threads) {
    Block& b = at(block);
    b.live -= threads;
    std::uint32_t done = 0;
    for (unsigned i = 0; i < kBarriers; ++i) {
      if (b.barriers[i].arrived != 0 && complete(b, b.barriers[i])) done |= 1u << i;
    }
    return done;
  }
  Barrier& barrier(BlockSlot block, unsigned barrier) { return at(block).barriers[barrier]; }
  /// Null for a block slot that has not held a block yet.
  const Barrier* find(std::size_t block, std::size_t barrier) const {
    return block < blocks_.size() ? &blocks_[block].barriers[barrier] : nullptr;
  }
  static void reset(Barrier& barrier) {
    barrier.expected = barrier.arrived = barrier.true_count = 0;
    barrier.all = true;
    barrier.any = false;
    barrier.waiting.clear();
  }

 private:
  Block& at(BlockSlot block) {
    if (block >= blocks_.size()) blocks_.resize(block + 1u);
    return blocks_[block];
  }
  static bool complete(const Block& block, const Barrier& barrier) {
    const std::uint32_t expected = barrier.expected != 0 ? barrier.expected : block.live;
    return barrier.arrived >= expected && barrier.arrived != 0;
  }
  std::vector<Block> blocks_;
};

}  // namespace heddle::sm
