// SPDX-License-Identifier: Apache-2.0
#include "report/columns.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace heddle::report {

PlacedColumn append_column(const std::vector<double>& values, std::string& bytes) {
  double largest = 0;
  bool whole = true;
  for (const double value : values) {
    whole = whole && value >= 0 && value == std::floor(value) && value < 4294967296.0;
    largest = std::max(largest, value);
  }
  const unsigned width = !whole ? 8 : largest < 256 ? 1 : largest < 65536 ? 2 : 4;
  const PlacedColumn placed{width == 8 ? "f64" : width == 4 ? "u32" : width == 2 ? "u16" : "u8", bytes.size()};
  bytes.reserve(bytes.size() + values.size() * width + 8);
  for (const double value : values) {
    const std::uint64_t bits = whole ? static_cast<std::uint64_t>(value) : std::bit_cast<std::uint64_t>(value);
    for (unsigned byte = 0; byte < width; ++byte) bytes += static_cast<char>(bits >> (8 * byte) & 0xFF);
  }
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return placed;
}

}  // namespace heddle::report
