// SPDX-License-Identifier: Apache-2.0
#include "isa/prefix_sum.h"

#include <bit>

#include "core/error.h"

namespace heddle::isa {

PrefixSum::PrefixSum(unsigned lanes) : lanes_(lanes) {
  if (!std::has_single_bit(lanes) || lanes < 2 || lanes > kMaxPrefixLanes) {
    fail(ExitCode::internal, "a prefix-sum network cannot have {} lanes: use a power of two from 2 to {}", lanes,
         kMaxPrefixLanes);
  }
  levels_ = static_cast<unsigned>(std::countr_zero(lanes));
}

PrefixSums PrefixSum::after(unsigned level, std::uint64_t predicates) const {
  PrefixSums sums;
  auto& lane = sums.inclusive;
  for (unsigned i = 0; i < lanes_; ++i) lane[i] = static_cast<std::uint8_t>(predicates >> i & 1);
  for (unsigned k = 1; k <= level; ++k) {
    const unsigned distance = 1u << (k - 1);
    // Descending, so that the lower lane still holds the previous level's sum.
    for (unsigned i = lanes_ - 1; i >= distance; --i) {
      lane[i] = static_cast<std::uint8_t>(lane[i] + lane[i - distance]);
    }
  }
  sums.total = lane[lanes_ - 1];
  for (unsigned i = lanes_; i < kMaxPrefixLanes; ++i) lane[i] = sums.total;
  return sums;
}

unsigned PrefixSum::adders() const {
  unsigned sum = 0;
  for (unsigned k = 1; k <= levels_; ++k) sum += adders(k);
  return sum;
}

unsigned PrefixSum::full_adder_bits() const {
  unsigned sum = 0;
  for (unsigned k = 1; k <= levels_; ++k) sum += adders(k) * adder_bits(k);
  return sum;
}

}  // namespace heddle::isa
