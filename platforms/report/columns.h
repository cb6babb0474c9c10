// SPDX-License-Identifier: Apache-2.0
// A column of numbers, stored with the smallest width that fits all values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::report {

struct PlacedColumn {
  const char* type;    ///< "u8", "u16", "u32" or "f64"
  std::size_t offset;  ///< start in bytes, a multiple of 8
};

/// Appends the values to `bytes`, least significant byte first, and pads to 8 bytes. Uses f64 unless all values are
/// integers from 0 to 2^32 - 1.
PlacedColumn append_column(const std::vector<double>& values, std::string& bytes);

}  // namespace heddle::report
