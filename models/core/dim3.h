// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace heddle {

/// Extents or coordinates of a grid or a block.
struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

}  // namespace heddle
