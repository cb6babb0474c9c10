// SPDX-License-Identifier: Apache-2.0
// Credits for memory accesses between issue and the memory stage. The access of a gang is one packet there, in one
// place of a link or one collector; credits limit for how many warps accesses are on the way.
#pragma once

#include <bit>
#include <cstdint>
#include <deque>

#include "sm/packet.h"

namespace heddle::sm {

class AccessCredits {
 public:
  static constexpr unsigned kUnlimited = ~0u;

  explicit AccessCredits(unsigned credits) : unlimited_(credits == kUnlimited), left_(credits) {}

  /// Whether so many warps may access memory in cycle `now`. A credit that an access gives back as it leaves the
  /// operand stage counts from the next cycle on.
  bool suffice(unsigned warps, Cycle now) {
    if (unlimited_) return true;
    while (!on_the_way_.empty() && on_the_way_.front().has_left(now)) {
      left_ += on_the_way_.front().warps;
      on_the_way_.pop_front();
    }
    return left_ >= warps;
  }
  /// The packet, of an access of so many warps, issued. Its credits come back behind those of packets before it.
  void take(const Packet& packet) {
    if (unlimited_) return;
    const auto warps = static_cast<unsigned>(std::popcount(packet.company));
    left_ -= warps;
    on_the_way_.push_back({&packet, packet.generation, warps});
  }

 private:
  struct OnTheWay {
    const Packet* packet;
    std::uint32_t generation;
    unsigned warps;
    bool has_left(Cycle now) const {
      return packet->generation != generation || (packet->gathered != 0 && packet->gathered < now);
    }
  };
  const bool unlimited_;
  unsigned left_;
  std::deque<OnTheWay> on_the_way_;
};

}  // namespace heddle::sm
