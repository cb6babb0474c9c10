// SPDX-License-Identifier: Apache-2.0
// Random kernels as PTX text whose results do not depend on thread order: threads of a block communicate through
// barriers, threads of a warp by named masks, blocks by commutative atomics.
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
