// SPDX-License-Identifier: Apache-2.0
// Partition of the warps of an original gang by program counter: which form gangs, which are left alone. Stateless, so
// that a synthesizable block can replace it.
// Source: docs/sources/variable-warp-size.md, 2.10, 2.12, 3.2 and 8. Logic only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "core/config/mechanism.h"
#include "sm/grouping/ganging/gang_mask.h"

namespace heddle::sm {

/// Width of what is compared, as wide as the PC of the gang table. The model's PCs are the lower 32 bits; the highest
/// bit is set for a warp that waits at a barrier or a collective.
inline constexpr unsigned kGangPcBits = 40;

struct CoalescePcs {
  SliceMask members = 0;                        ///< warps to be compared
  std::array<std::uint64_t, kMaxSlices> pcs{};  ///< by slice, below 2^kGangPcBits; ignored for other warps
  bool operator==(const CoalescePcs&) const = default;
};

struct PcGroups {
  /// Groups of two or more warps at one PC, by ascending lowest slice; 0: none.
  std::array<SliceMask, kGangWays> gangs{};
  SliceMask singles = 0;  ///< warps alone at their PC
  bool operator==(const PcGroups&) const = default;
};

struct PcCoalescerShape {
  unsigned slices = 8;  ///< 2 .. kMaxSlices
};

struct BlockSite;

/// Interface of a coalescer, implemented by the model or RTL as chosen by the key sm.blocks.pc_coalescer.
class PcCoalescer {
 public:
  using MakeArguments = void(const PcCoalescerShape& shape, const BlockSite& site);
  virtual ~PcCoalescer() = default;
  virtual PcGroups partition(const CoalescePcs& request) = 0;
};

PcGroups coalesce_pcs(const CoalescePcs& request);

}  // namespace heddle::sm
