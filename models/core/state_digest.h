// SPDX-License-Identifier: Apache-2.0
// A number for a state of the machine, by which a look for endless loops knows a state it has seen before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/bits.h"

namespace heddle {

/// Values in their order, mixed to 64 bits. Two states may share a number by chance, one in 2^64: good for a heuristic
/// that is asked again, not for identity (core/digest.h).
class StateDigest {
 public:
  void add(std::uint64_t value) {
    // Both halves of the product, or the highest bits of a value would reach few of the result's.
    const auto product = static_cast<unsigned __int128>(hash_ ^ value) * 0xff51afd7ed558ccdull;
    hash_ = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  template <typename Kind, std::size_t N>
  void add(const GrowingBits<Kind, N>& set) {
    for (std::size_t w = 0; w < Bits<N>::kWords; ++w) add(set.word(w));
  }
  /// count: any number; of the last value, missing bytes count as zeros.
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
