// SPDX-License-Identifier: Apache-2.0
// Static permutations of a warp's threads over the lanes, so that warps whose low threads work hardest use different
// lanes. Source: docs/sources/branch-and-warp-interweaving.md, 2.9. Logic only.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::sm {

enum class LaneShuffle : std::uint8_t { identity, mirror_odd, mirror_half, exclusive_or, reversed_or };

/// Constant by which a thread's position is XORed to give its lane: every policy is one. lanes: threads per warp, a
/// power of two up to 64; warps: of the SM.
inline unsigned lane_key(LaneShuffle shuffle, unsigned warp, unsigned lanes, unsigned warps) {
  const auto bits = static_cast<unsigned>(std::countr_zero(lanes));
  switch (shuffle) {
    case LaneShuffle::identity:
      return 0;
    case LaneShuffle::mirror_odd:
      return warp % 2 != 0 ? lanes - 1 : 0;
    case LaneShuffle::mirror_half:
      return 2 * warp >= warps ? lanes - 1 : 0;
    case LaneShuffle::exclusive_or:
      return warp % lanes;
    case LaneShuffle::reversed_or: {
      unsigned key = 0;
      for (unsigned b = 0; b < bits; ++b) key |= (warp >> b & 1u) << (bits - 1 - b);
      return key;
    }
  }
  return 0;
}

/// Lanes of a set of threads.
inline std::uint64_t shuffled(std::uint64_t threads, unsigned key) {
  constexpr std::uint64_t kHalves[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                       0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
  for (unsigned b = 0; b < 6; ++b) {
    if ((key >> b & 1) == 0) continue;
    const unsigned by = 1u << b;
    threads = (threads >> by & kHalves[b]) | (threads & kHalves[b]) << by;
  }
  return threads;
}

}  // namespace heddle::sm
