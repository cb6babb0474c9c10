// SPDX-License-Identifier: Apache-2.0
// The combination of sub-warps: which partners of a group form one large warp, and its active mask. Stateless, so that
// a synthesizable block can replace it.
// Source: docs/sources/dynamic-warp-resizing.md, 2.8 and 8. Logic only.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>

#include "core/config/mechanism.h"
#include "sm/grouping/resizing/partner_synch.h"

namespace heddle::sm {

struct MergeRequest {
  std::uint8_t selected = 0;                         ///< partner that the scheduler has picked, which is ready
  PartnerMask ready = 0;                             ///< partners of its group that are ready to be combined
  std::array<std::uint32_t, kMaxPartners> pcs{};     ///< by partner; ignored for those that are not ready
  std::array<std::uint32_t, kMaxPartners> active{};  ///< by partner: active threads, bit i for its thread i
  bool operator==(const MergeRequest&) const = default;
};

struct LargeWarp {
  PartnerMask members = 0;                           ///< partners at the PC of the selected one
  std::array<std::uint32_t, kMaxPartners> active{};  ///< the large warp's mask, by partner; 0 for those outside
  /// Sub-warps in it, 1 .. 8: the size that travels with its packets.
  unsigned size() const { return static_cast<unsigned>(std::popcount(members)); }
  bool operator==(const LargeWarp&) const = default;
};

struct MaskMergeShape {
  unsigned partners = 8;  ///< 2, 4 or 8
  unsigned threads = 8;   ///< of a sub-warp: 4 .. 32
};

struct BlockSite;

/// Interface of the combiner, implemented by the model or RTL as chosen by the key sm.blocks.mask_merge.
class MaskMerge {
 public:
  using MakeArguments = void(const MaskMergeShape& shape, const BlockSite& site);
  virtual ~MaskMerge() = default;
  virtual LargeWarp merge(const MergeRequest& request) = 0;
};

LargeWarp merge_masks(const MergeRequest& request);

}  // namespace heddle::sm
