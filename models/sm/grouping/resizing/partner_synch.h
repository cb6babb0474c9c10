// SPDX-License-Identifier: Apache-2.0
// The rules of the partner-synch table: sub-warps of a group lock until all of their partners have locked, too, wait
// elsewhere, or are gone. Exchangeable, so that a synthesizable block can replace it.
// Source: docs/sources/dynamic-warp-resizing.md, 2.5, 2.6 and 8. Logic only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/config/mechanism.h"

namespace heddle::sm {

/// Sub-warps of a group at most: 2, 4 or 8.
inline constexpr unsigned kMaxPartners = 8;
/// Partners of a group, one bit each: the sub-warp with the group's lowest number is bit 0.
using PartnerMask = std::uint8_t;

/// Calls visit(partner) for each one in the mask, lowest first.
template <typename Visit>
void for_each_partner(PartnerMask mask, Visit&& visit) {
  for (unsigned partner = 0; mask >> partner != 0; ++partner) {
    if ((mask >> partner & 1) != 0) visit(partner);
  }
}

struct PartnerSynchShape {
  unsigned groups = 16;   ///< 1 .. 256
  unsigned partners = 8;  ///< 2, 4 or 8
};

/// A look at a group's entry: a sub-warp arrives at its barrier, or the state of its partners has changed.
struct PartnerSynchRequest {
  std::uint16_t group = 0;
  bool arrives = false;
  std::uint8_t partner = 0;  ///< that arrives
  std::uint32_t pc = 0;      ///< of its barrier
  PartnerMask others = 0;    ///< partners that are absent, have exited, or wait at a block barrier or a collective
  bool operator==(const PartnerSynchRequest&) const = default;
};

struct PartnerSynchAnswer {
  bool mismatch = false;   ///< the sub-warp arrives at another PC than the first one
  bool release = false;    ///< all partners that are locked go on; the entry is free again
  PartnerMask locked = 0;  ///< with the arriving one; with a release, those that go on
  std::uint32_t pc = 0;    ///< at which the first one arrived; 0: the entry was free
  bool operator==(const PartnerSynchAnswer&) const = default;
};

/// One entry of the table, for a group of partners.
struct PartnerSynchEntry {
  bool valid = false;
  std::uint32_t pc = 0;
  PartnerMask locked = 0;
};

struct BlockSite;

/// Interface of the table, implemented by the model or RTL as chosen by the key sm.blocks.partner_synch.
class PartnerSynch {
 public:
  using MakeArguments = void(const PartnerSynchShape& shape, const BlockSite& site);
  virtual ~PartnerSynch() = default;
  virtual PartnerSynchAnswer update(const PartnerSynchRequest& request) = 0;
};

/// The model.
class PartnerSynchLogic {
 public:
  explicit PartnerSynchLogic(const PartnerSynchShape& shape)
      : all_(static_cast<PartnerMask>((1u << shape.partners) - 1)), entries_(shape.groups) {}
  PartnerSynchAnswer update(const PartnerSynchRequest& request);
  const PartnerSynchEntry& operator[](std::size_t group) const { return entries_[group]; }

 private:
  const PartnerMask all_;
  std::vector<PartnerSynchEntry> entries_;
};

}  // namespace heddle::sm
