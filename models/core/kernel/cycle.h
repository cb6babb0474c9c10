// SPDX-License-Identifier: Apache-2.0
// Cycle numbers, for logic that does not include SystemC.
#pragma once

#include <cstdint>
#include <limits>

namespace heddle {

/// Cycles of one clock domain. Cycle n is the n-th rising edge; cycle 0 is at simulation start.
using Cycle = std::uint64_t;
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

}  // namespace heddle
