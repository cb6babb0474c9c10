// SPDX-License-Identifier: Apache-2.0
// Register allocation by linear scan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/analysis/liveness.h"

namespace heddle::isa {

/// Result of an allocation: the first unit of each virtual register (kNone: never occurs) and the number of units used.
struct Allocation {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> units;
  std::uint32_t used = 0;
};

/// Assigns different units to simultaneously live values, by linear scan over live ranges with holes. `sizes` in units,
/// per register: 1, 2 (an aligned pair), or 0 (not allocated).
Allocation allocate_units(std::span<const std::vector<LiveRange>> ranges, std::span<const std::uint8_t> sizes);

}  // namespace heddle::isa
