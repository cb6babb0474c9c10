// SPDX-License-Identifier: Apache-2.0
// The adder network that sums predicates over the lanes of a warp: how many lanes up to each one hold. Logic only.
// Source: spec/large-warps-and-database-search.md, 2.12 (Hillis and Steele's scan, the carry tree of Kogge and Stone).
#pragma once

#include <array>
#include <cstdint>

namespace heddle::isa {

inline constexpr unsigned kMaxPrefixLanes = 64;

/// What the network says of one word of predicates. Lanes that the network does not have hold the total.
struct PrefixSums {
  std::array<std::uint8_t, kMaxPrefixLanes> inclusive{};  ///< lanes 0 .. i that hold
  std::uint8_t total = 0;
  /// Lanes below this one that hold: the inclusive sum shifted by a lane.
  std::uint8_t exclusive(unsigned lane) const { return lane == 0 ? std::uint8_t{0} : inclusive[lane - 1]; }
  bool operator==(const PrefixSums&) const = default;
};

/// In level k = 1 .. log2(lanes), every lane i >= 2^(k-1) adds the sum that lane i - 2^(k-1) had after level k - 1, by
/// an adder of k bits whose result has one bit more; the other lanes pass theirs on.
class PrefixSum {
 public:
  /// lanes: a power of two, 2 .. 64.
  explicit PrefixSum(unsigned lanes);

  unsigned lanes() const { return lanes_; }
  unsigned levels() const { return levels_; }
  /// predicates: bit i is lane i; bits beyond the lanes do not count.
  PrefixSums sum(std::uint64_t predicates) const { return after(levels_, predicates); }
  /// What stands behind level 0 .. levels(): level 0 is the predicates themselves. `total` is the last lane's.
  PrefixSums after(unsigned level, std::uint64_t predicates) const;

  /// Adders of level 1 .. levels().
  unsigned adders(unsigned level) const { return lanes_ - (1u << (level - 1)); }
  /// Bits of each of them.
  static unsigned adder_bits(unsigned level) { return level; }
  /// Over all levels.
  unsigned adders() const;
  unsigned full_adder_bits() const;

 private:
  unsigned lanes_, levels_ = 0;
};

}  // namespace heddle::isa
