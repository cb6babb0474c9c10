// SPDX-License-Identifier: Apache-2.0
// Vector clocks of threads, compressed for typical kernels. A barrier of the whole block starts a new phase; events
// before it need no clocks. Within a phase, each thread stores the clocks of its own warp and shares those of other
// warps, which change only when it synchronises with them. Other blocks are represented by phase, with clocks for the
// last one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/micro_op.h"

namespace heddle::gpu {

/// One clock per thread of a block, rounded up to whole warps. An event at time t of a thread's clock is known if the
/// entry here is >= t.
using Clocks = std::vector<std::uint32_t>;
using SharedClocks = std::shared_ptr<const Clocks>;  ///< null: zeros

/// Known events of one block: all phases before `phase`, and those of `phase` up to the clocks.
struct KnownBlock {
  std::uint32_t block = 0, phase = 0;
  SharedClocks clocks;
};
using Past = std::vector<KnownBlock>;            ///< by block, ascending
using SharedPast = std::shared_ptr<const Past>;  ///< null: nothing

SharedClocks joined(const SharedClocks& a, const SharedClocks& b);
SharedPast joined(const SharedPast& a, const SharedPast& b);

/// The thread a view belongs to.
struct Viewer {
  std::uint32_t block = 0, warp = 0;
};

/// Everything one thread knows.
struct View {
  std::array<std::uint32_t, isa::kWordThreads> warp{};  ///< clocks of the threads of its warp, including its own
  std::uint32_t phase = 0;                              ///< of its block
  SharedClocks block;                                   ///< clocks of the other warps
  SharedPast others;                                    ///< other blocks; an entry for the own block is ignored

  /// Joins another view of the same warp. The later phase wins.
  void join(const View& other);
  /// Joins a published past. `foreign`: including other blocks.
  void acquire(const Viewer& self, const SharedPast& past, bool foreign);
  /// Publishes this view for others to acquire. `warps`: of the block.
  SharedPast publish(const Viewer& self, std::uint32_t warps) const;
  /// The subset of the threads `lanes` of a warp whose events at time `clock` of `phase` are unknown to this view.
  std::uint32_t unknown(const Viewer& self, const Viewer& who, std::uint32_t lanes, std::uint32_t phase,
                        std::uint32_t clock) const;
};

}  // namespace heddle::gpu
