// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// A set of numbers in command-line syntax: "3,7-9,12-".
class NumberRanges {
 public:
  NumberRanges() = default;
  /// least: smallest legal number. Throws Error(kUsage), naming `option`, for anything but numbers and ranges.
  NumberRanges(const std::string& text, const std::string& option, std::uint64_t least = 0);
  bool empty() const { return ranges_.empty(); }
  bool contains(std::uint64_t number) const;

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;  ///< first and last, inclusive
};

}  // namespace heddle
