// SPDX-License-Identifier: Apache-2.0
// Random kernels as PTX text whose results do not depend on the order of their threads: what threads of a block tell
// each other passes a barrier, what threads of a warp tell each other names them, blocks meet in atomics that commute.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::random {

struct GeneratedKernel {
  std::string ptx;           ///< one module; the kernel is `k`
  bool fixed_count = false;  ///< executes the same instructions on every machine: nothing tries again
};

/// size: about how many statements the kernel's body has.
GeneratedKernel generate_kernel(std::uint64_t seed, unsigned size);

}  // namespace heddle::random
