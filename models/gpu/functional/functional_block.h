// SPDX-License-Identifier: Apache-2.0
// A thread block in functional mode: its warps, its storage and its barriers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/functional/functional_warp.h"

namespace heddle::gpu {

/// A barrier of a block. Counts threads, as a warp may arrive in several splits.
struct BlockBarrier {
  std::uint32_t waiting = 0;     ///< threads that wait
  std::uint32_t arrived = 0;     ///< threads that arrived without waiting (bar.arrive)
  std::uint32_t expected = 0;    ///< thread count of the instruction; 0: every thread of the block that has not exited
  std::uint32_t true_count = 0;  ///< bar.red: threads whose predicate holds
  bool all_true = true, any_true = false;  ///< bar.red
};

class FunctionalBlock {
 public:
  static constexpr unsigned kBarriers = 16;

  /// Makes this the block `linear_index` of the launch, with zeroed registers, local and shared memory.
  void start(const Execution& execution, const isa::LaunchState& launch, std::uint64_t linear_index, SmId sm,
             BlockSlot slot);

  /// The threads `mask` of `warp` arrive with operation `op`; `wait` unless it is bar.arrive. Releases all waiting
  /// threads when the barrier is complete. The caller must already have put waiting threads in the barrier state.
  void arrive(Execution& execution, const FunctionalWarp& warp, const isa::MicroOp& op, std::uint32_t mask,
              unsigned barrier);
  /// Threads exited: completes barriers that only waited for them.
  void threads_exited(Execution& execution, unsigned count);

  bool finished() const { return live_threads_ == 0; }
  bool runnable() const;
  std::vector<FunctionalWarp>& warps() { return warps_; }
  const std::vector<FunctionalWarp>& warps() const { return warps_; }
  const isa::BlockState& state() const { return state_; }
  const BlockBarrier& barrier(unsigned i) const { return barriers_[i]; }

 private:
  struct FreeAligned {
    void operator()(std::byte* bytes) const;
  };

  void release_if_complete(Execution& execution, unsigned barrier);
  bool complete(unsigned barrier) const;
  void check_convergence(unsigned barrier) const;

  isa::BlockState state_;
  std::vector<FunctionalWarp> warps_;
  std::array<BlockBarrier, kBarriers> barriers_;
  std::uint32_t used_barriers_ = 0;  ///< bit i: barrier i was arrived at
  std::uint32_t live_threads_ = 0;
  std::unique_ptr<std::byte[], FreeAligned> storage_;
  std::size_t storage_bytes_ = 0, used_bytes_ = 0;
};

}  // namespace heddle::gpu
