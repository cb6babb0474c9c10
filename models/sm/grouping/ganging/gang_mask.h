// SPDX-License-Identifier: Apache-2.0
// Sizes and sets of warp ganging. A narrow warp is a context; the warps of 32 consecutive threads of a block are an
// original gang, one warp on each slice.
// Source: docs/sources/variable-warp-size.md, 2.3 and 2.5. Logic only.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::sm {

/// Slices of an SM: 2 .. 8.
inline constexpr unsigned kMaxSlices = 8;
/// Gangs that an original gang can be split into, as each has two or more warps: the ways of a set of the gang table.
inline constexpr unsigned kGangWays = 4;
/// Original gangs of an SM, the sets of the gang table: 1 .. 64.
inline constexpr unsigned kMaxGangSets = 64;
inline constexpr unsigned kMaxGangs = kMaxGangSets * kGangWays;

/// Slices, one bit each: the warps of an original gang, or the slices that a cycle has free.
using SliceMask = std::uint8_t;

/// Calls visit(slice) for each slice of the mask, lowest first.
template <typename Visit>
void for_each_slice(SliceMask mask, Visit&& visit) {
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) visit(static_cast<unsigned>(std::countr_zero(rest)));
}

/// Calls visit(set) for each set of the gang table with a bit in `sets`, lowest first.
template <typename Visit>
void for_each_set(std::uint64_t sets, Visit&& visit) {
  for (; sets != 0; sets &= sets - 1) visit(static_cast<unsigned>(std::countr_zero(sets)));
}

/// Which groups of `slices` neighbouring bits, a power of two up to 8, are not 0: one bit each.
inline std::uint64_t groups_of(std::uint64_t word, unsigned slices) {
  if (slices == 8) {
    word |= word >> 4;
    word |= word >> 2;
    word |= word >> 1;
    // Bit 8 i moves to bit 56 + i.
    return (word & 0x0101010101010101) * 0x0102040810204080 >> 56;
  }
  for (unsigned half = slices / 2; half != 0; half /= 2) word |= word >> half;
  std::uint64_t groups = 0;
  for (unsigned i = 0; i < 64 / slices; ++i) groups |= (word >> (i * slices) & 1) << i;
  return groups;
}

}  // namespace heddle::sm
