// SPDX-License-Identifier: Apache-2.0
// One set of a warp's victim tags: look-up, insertion and removal of a tag. The state of the set is passed in and out,
// so that one synthesizable block can serve all sets.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.3.3, 8 and 9 (Q7, Q8). Logic only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "core/config/mechanism.h"

namespace heddle::sm {

inline constexpr unsigned kMaxVictimWays = 16;
/// Addresses that are told apart: what is left of one without offset and set index is a tag.
inline constexpr unsigned kVictimAddressBits = 48;

/// Which tag of a full set an insertion replaces.
enum class VictimReplacement : std::uint8_t {
  fifo,  ///< the one inserted first
  lru,   ///< the one inserted, inserted again or found least recently
};

struct VictimSetShape {
  unsigned ways = 8;       ///< 1 .. kMaxVictimWays
  unsigned tag_bits = 40;  ///< 1 .. kVictimAddressBits
  VictimReplacement replacement = VictimReplacement::fifo;
};

/// Contents of a set. All zero: empty.
struct VictimSet {
  std::array<std::uint64_t, kMaxVictimWays> tags{};
  std::uint16_t valid = 0;  ///< ways that hold a tag
  /// fifo: the way that is replaced next. lru: the ways from the one used most recently to the one used least recently,
  /// four bits each, lowest first; each stands for way `value` exclusive-or its place.
  std::uint64_t order = 0;
  bool operator==(const VictimSet&) const = default;
};

struct VictimSetRequest {
  enum class What : std::uint8_t {
    probe,   ///< a load missed: is the tag there?
    insert,  ///< a line was evicted
    remove,  ///< the line was written
  };
  What what = What::probe;
  std::uint64_t tag = 0;  ///< below 2^tag_bits
  VictimSet set;
  bool operator==(const VictimSetRequest&) const = default;
};

struct VictimSetAnswer {
  bool found = false;     ///< the tag was there
  std::uint8_t way = 0;   ///< found: its way; else, of an insertion: the way it is written to; else 0
  std::uint16_t valid{};  ///< afterwards
  std::uint64_t order{};  ///< afterwards
  bool operator==(const VictimSetAnswer&) const = default;
};

struct BlockSite;

/// Interface of the look-up, implemented by the model or RTL as chosen by the key sm.blocks.victim_lookup.
class VictimLookup {
 public:
  using MakeArguments = void(const VictimSetShape& shape, const BlockSite& site);
  virtual ~VictimLookup() = default;
  virtual VictimSetAnswer look_up(const VictimSetRequest& request) = 0;
};

/// The look-up. A probe leaves the tag in place. An insertion of a tag that is there writes it again; of another, it
/// takes the lowest free way, or replaces a tag of a full set.
VictimSetAnswer look_up_victim(const VictimSetShape& shape, const VictimSetRequest& request);

}  // namespace heddle::sm
