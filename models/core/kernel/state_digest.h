// SPDX-License-Identifier: Apache-2.0
// A digest of machine state, used to detect recurring states in the search for infinite loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/bits.h"

namespace heddle {

/// Mixes a sequence of values to 64 bits. Two states collide with probability 2^-64: enough for a heuristic that is
/// evaluated repeatedly, not for identity (core/digest.h).
class StateDigest {
 public:
  void add(std::uint64_t value) {
    // Use both halves of the product; otherwise a value's high bits would affect few result bits.
    const auto product = static_cast<unsigned __int128>(hash_ ^ value) * 0xff51afd7ed558ccdull;
    hash_ = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  template <typename Kind, std::size_t N>
  void add(const GrowingBits<Kind, N>& set) {
    for (std::size_t w = 0; w < Bits<N>::kWords; ++w) add(set.word(w));
  }
  /// count: any number; the last word is padded with zero bytes.
  void add(const std::byte* bytes, std::size_t count) {
    std::uint64_t value;
    for (; count >= sizeof value; bytes += sizeof value, count -= sizeof value) {
      std::memcpy(&value, bytes, sizeof value);
      add(value);
    }
    if (count == 0) return;
    value = 0;
    std::memcpy(&value, bytes, count);
    add(value);
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0x9e3779b97f4a7c15ull;
};

}  // namespace heddle
