// SPDX-License-Identifier: Apache-2.0
// Which warps of each original gang are in a gang, and in which entry of the gang table; the others are alone, and
// scheduled by their slice.
// Source: docs/sources/variable-warp-size.md, 2.5, 2.6, 2.10 to 2.13. Logic only.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "sm/grouping/ganging/pc_coalescer.h"

namespace heddle::sm {

/// One original gang: a set of the gang table, and the bits of its warps in the slices' masks.
struct GangSetState {
  std::array<SliceMask, kGangWays> gangs{};  ///< by way: two or more warps, or 0
  SliceMask alone = 0;
  bool operator==(const GangSetState&) const = default;

  SliceMask live() const;
  /// Ways whose gang has all of its warps on these slices, one bit each.
  unsigned ways_within(SliceMask slices) const {
    // All ways at once, a byte each. Bit 8 w + 7 tells whether byte w is not 0.
    const auto used = [](std::uint32_t bytes) { return (((bytes & 0x7f7f7f7f) + 0x7f7f7f7f) | bytes) & 0x80808080; };
    static_assert(kGangWays == sizeof(std::uint32_t) && std::endian::native == std::endian::little);
    const auto all = std::bit_cast<std::uint32_t>(gangs);
    const std::uint32_t within = used(all) & ~used(all & ~(slices * 0x01010101u));
    // Bit 8 w moves to bit 24 + w.
    return (within >> 7) * 0x01020408u >> 24 & 0xf;
  }
  /// Gangs and single warps.
  unsigned items() const;
  /// Way of the gang that the warp on this slice is in; kGangWays: none.
  unsigned way_of(unsigned slice) const;
};

class GangTable {
 public:
  explicit GangTable(unsigned sets) : sets_(sets) {}

  const GangSetState& operator[](unsigned set) const { return sets_[set]; }
  unsigned sets() const { return static_cast<unsigned>(sets_.size()); }

  /// A block starts with these warps, as one gang.
  void start(unsigned set, SliceMask live);
  /// Warps have ended.
  void leave(unsigned set, SliceMask gone);
  /// The gang or the single warps of a partition form these groups instead. A group keeps the way of a gang that the
  /// partition consists of; others get the lowest free way, in the order of groups.
  void regroup(unsigned set, const PcGroups& groups);
  /// Gangs and single warps become one gang.
  void merge(unsigned set, SliceMask parts) { regroup(set, {{parts}, 0}); }
  /// All warps of a gang become single.
  void dissolve(unsigned set, SliceMask gang) { regroup(set, {{}, gang}); }
  /// The gang is split in two.
  void divide(unsigned set, SliceMask gang, SliceMask part);

 private:
  std::vector<GangSetState> sets_;
};

/// Parts of an original gang that a partition by key puts together: the first group of it, at most `most` gangs or
/// single warps; 0: none. Each item is named by its lowest slice in `groups`.
SliceMask items_to_merge(const GangSetState& set, const PcGroups& groups, unsigned most);

}  // namespace heddle::sm
