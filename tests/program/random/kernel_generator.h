// SPDX-License-Identifier: Apache-2.0
// Random kernels as PTX text whose results do not depend on the order of their threads: what threads of a block tell
// each other passes a barrier, what threads of a warp tell each other names them, blocks meet in atomics that commute.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::random {

/// Layout of what a kernel reads and writes. Parameters, in order: inputs, results, scratch, sums (addresses).
inline constexpr unsigned kInputWords = 1024;      ///< read only
inline constexpr unsigned kResultBytes = 128;      ///< a thread's
inline constexpr unsigned kScratchBytes = 8;       ///< a thread's, read by others of its block
inline constexpr unsigned kSums = 16;              ///< words that atomics of every block change
inline constexpr unsigned kSharedThreadBytes = 8;  ///< dynamic shared memory a thread
inline constexpr unsigned kSharedSums = 8;         ///< words of it before those of threads

struct GeneratedKernel {
  std::string ptx;           ///< one module; the kernel is `k`
  bool fixed_count = false;  ///< executes the same instructions on every machine: nothing tries again
};

/// size: about how many statements the kernel's body has.
GeneratedKernel generate_kernel(std::uint64_t seed, unsigned size);

/// Starting values of the sums, which depend on what is done to them: identity elements.
std::uint32_t first_sum(unsigned index);

}  // namespace heddle::random
