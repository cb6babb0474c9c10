// SPDX-License-Identifier: Apache-2.0
// The lookup of the secondary scheduler: which instructions fit beside the primary one, and which of them fills most
// lanes. Stateless, so that a synthesizable block can replace it.
// Source: docs/sources/branch-and-warp-interweaving.md, 2.8, 2.10 and 8. Logic only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "core/bits.h"
#include "core/config/mechanism.h"

namespace heddle::sm {

/// Ways of a lookup: 2 .. 64.
inline constexpr unsigned kMaxWays = 64;

struct LookupRequest {
  std::uint64_t ready = 0;      ///< ways that may issue, lanes permitting, one bit each
  std::uint64_t same_unit = 0;  ///< ways whose instruction needs the unit of the primary one, so that they share a row
  std::uint64_t free = 0;       ///< lanes that the primary instruction leaves free
  /// Ties are decided by order of ways, beginning here: below the number of ways.
  unsigned first = 0;
  std::array<std::uint64_t, kMaxWays> lanes{};  ///< by way: lanes of its threads
  bool operator==(const LookupRequest&) const = default;
};

struct LookupAnswer {
  std::uint64_t hits = 0;  ///< ways that fit: ready, and either on another unit or on free lanes only
  unsigned best = 0;       ///< of the hits, the one with most lanes; 0 without hits
  bool operator==(const LookupAnswer&) const = default;
};

struct LookupShape {
  unsigned ways = 16;  ///< 2 .. kMaxWays
};

struct BlockSite;

/// Interface of a lookup, implemented by the model or RTL as chosen by the key sm.blocks.secondary_lookup.
class SecondaryLookup {
 public:
  using MakeArguments = void(const LookupShape& shape, const BlockSite& site);
  virtual ~SecondaryLookup() = default;
  virtual LookupAnswer look_up(const LookupRequest& request) = 0;
};

LookupAnswer look_up_secondary(const LookupShape& shape, const LookupRequest& request);

}  // namespace heddle::sm
