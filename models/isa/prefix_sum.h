// SPDX-License-Identifier: Apache-2.0
// The adder network that computes prefix sums of predicates over the lanes of a warp. Logic only. Source:
// docs/sources/large-warps-and-database-search.md, 2.12 (Hillis and Steele's scan, the carry tree of Kogge and Stone).
#pragma once

#include <array>
#include <cstdint>

namespace heddle::isa {

inline constexpr unsigned kMaxPrefixLanes = 64;

/// The network's output for one predicate word. Entries beyond its lanes hold the total.
struct PrefixSums {
  std::array<std::uint8_t, kMaxPrefixLanes> inclusive{};  ///< lanes 0 .. i that hold
  std::uint8_t total = 0;
  /// Lanes below this one that hold: the inclusive sum shifted by a lane.
  std::uint8_t exclusive(unsigned lane) const { return lane == 0 ? std::uint8_t{0} : inclusive[lane - 1]; }
  bool operator==(const PrefixSums&) const = default;
};

/// In level k = 1 .. log2(lanes), every lane i >= 2^(k-1) adds the level k - 1 sum of lane i - 2^(k-1) with a k-bit
/// adder, whose result has k + 1 bits; the other lanes pass their sum on.
class PrefixSum {
 public:
  /// lanes: a power of two, 2 .. 64.
  explicit PrefixSum(unsigned lanes);

  unsigned lanes() const { return lanes_; }
  unsigned levels() const { return levels_; }
  /// predicates: bit i is lane i; bits beyond the lanes are ignored.
  PrefixSums sum(std::uint64_t predicates) const { return after(levels_, predicates); }
  /// Sums after level 0 .. levels(); level 0 is the predicates themselves. `total` is the last lane's sum.
  PrefixSums after(unsigned level, std::uint64_t predicates) const;

  /// Number of adders in a level, 1 .. levels().
  unsigned adders(unsigned level) const { return lanes_ - (1u << (level - 1)); }
  /// Width of each adder in a level, in bits.
  static unsigned adder_bits(unsigned level) { return level; }
  /// Total over all levels.
  unsigned adders() const;
  unsigned full_adder_bits() const;

 private:
  unsigned lanes_, levels_ = 0;
};

}  // namespace heddle::isa
