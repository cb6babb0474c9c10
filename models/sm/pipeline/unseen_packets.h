// SPDX-License-Identifier: Apache-2.0
// Counts packets of fixed latency that skip write-back because no recorder shows it. The release of their registers is
// scheduled at issue, so write-back would do nothing but count them. Logic only.
#pragma once

#include <array>
#include <utility>

#include "core/kernel/cycle.h"
#include "core/statistics/statistics.h"

namespace heddle::sm {

class UnseenPackets {
 public:
  /// Cycles ahead that are kept.
  static constexpr Cycle kHorizon = 64;

  /// width: packets that may leave the unit in a cycle. written: counts them.
  UnseenPackets(unsigned width, Counter& written) : width_(width), written_(written) {}

  /// A packet that leaves its unit in cycle `leaves`, later than `now`, or as soon after it as the width allows. False:
  /// that is too far ahead.
  bool add(Cycle leaves, Cycle now) {
    for (; leaves - now < kHorizon; ++leaves) {
      Leaving& some = leaving_[leaves % kHorizon];
      if (some.at != leaves) {
        written_ += some.packets;  // of a cycle long past
        some = {leaves, 0};
      }
      if (some.packets == width_) continue;
      ++some.packets;
      return true;
    }
    return false;
  }
  /// Counts those written back up to and including cycle `now`: one cycle after they left.
  void settle(Cycle now) {
    for (Leaving& some : leaving_) {
      if (some.at >= now) continue;
      written_ += std::exchange(some.packets, 0);
    }
  }

 private:
  struct Leaving {
    Cycle at = 0;
    unsigned packets = 0;
  };
  unsigned width_;
  Counter& written_;
  std::array<Leaving, kHorizon> leaving_{};
};

}  // namespace heddle::sm
