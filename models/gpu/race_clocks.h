// SPDX-License-Identifier: Apache-2.0
// What a thread knows of the pasts of others: vector clocks, kept small by what kernels do. A barrier of a whole block
// starts a new phase of the block, and nobody needs clocks for what was before it. Within a phase a thread has clocks
// of its warp at hand and shares those of the other warps, which change only when it synchronises with them. Other
// blocks are known by phase, with clocks for the last one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/micro_op.h"

namespace heddle::gpu {

/// One for each thread of a block, whole warps. What a thread did at a time of its own clock is known when the clock
/// here is not less.
using Clocks = std::vector<std::uint32_t>;
using SharedClocks = std::shared_ptr<const Clocks>;  ///< null: zeros

/// Of one block: all of its phases before `phase`, and of that one what the clocks say.
struct KnownBlock {
  std::uint32_t block = 0, phase = 0;
  SharedClocks clocks;
};
using Past = std::vector<KnownBlock>;            ///< by block, ascending
using SharedPast = std::shared_ptr<const Past>;  ///< null: nothing

SharedClocks joined(const SharedClocks& a, const SharedClocks& b);
SharedPast joined(const SharedPast& a, const SharedPast& b);

/// Whose view it is.
struct Viewer {
  std::uint32_t block = 0, warp = 0;
};

/// What one thread knows.
struct View {
  std::array<std::uint32_t, isa::kWordThreads> warp{};  ///< clocks of the threads of its warp, its own among them
  std::uint32_t phase = 0;                              ///< of its block
  SharedClocks block;                                   ///< clocks of the other warps
  SharedPast others;                                    ///< other blocks; what it says of the own block means nothing

  /// All that another view of this warp knows. The later phase counts.
  void join(const View& other);
  /// All that somebody published. `foreign`: what it says of other blocks too.
  void acquire(const Viewer& self, const SharedPast& past, bool foreign);
  /// In a form that others can take in. `warps`: of the block.
  SharedPast publish(const Viewer& self, std::uint32_t warps) const;
  /// Those of the threads `lanes` of a warp whose deeds at their time `clock` of `phase` are not known.
  std::uint32_t unknown(const Viewer& self, const Viewer& who, std::uint32_t lanes, std::uint32_t phase,
                        std::uint32_t clock) const;
};

}  // namespace heddle::gpu
