// SPDX-License-Identifier: Apache-2.0
// Places for values: as few as a linear scan needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/analysis/liveness.h"

namespace heddle::isa {

/// What an allocation gives: by virtual register its first unit (kNone: it never occurs), and how many units are used.
struct Allocation {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> units;
  std::uint32_t used = 0;
};

/// Values that live at the same time get different units, by a linear scan over lives with holes. `sizes`: by register,
/// 1 unit, 2 (an aligned pair), or 0: not to be placed.
Allocation allocate_units(std::span<const std::vector<LiveRange>> ranges, std::span<const std::uint8_t> sizes);

}  // namespace heddle::isa
