// SPDX-License-Identifier: Apache-2.0
// Limits the warps whose memory accesses are on the way from issue to the memory stage. The access of a gang takes one
// place of a link or one collector there, but a credit for each of its warps.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "core/ring_queue.h"
#include "sm/packet.h"

namespace heddle::sm {

class AccessCredits {
 public:
  static constexpr unsigned kUnlimited = ~0u;

  explicit AccessCredits(unsigned credits) : left_(credits) {}

  /// Whether credits are left for so many warps in cycle `now`. An access gives its credits back when it leaves the
  /// operand stage, for the next cycle.
  bool suffice(unsigned warps, Cycle now) {
    while (!on_the_way_.empty() && on_the_way_.front().has_left(now)) left_ += on_the_way_.pop().warps;
    return left_ >= warps;
  }
  /// Call if suffice() said no. Wakes the issue stage once the accesses with the missing credits have left. False: they
  /// have left, and the credits are back in the next cycle.
  bool await(unsigned warps) {
    Packet* last = nullptr;
    for (std::size_t i = 0, back = left_; back < warps; ++i) {
      assert(i < on_the_way_.size());
      back += on_the_way_[i].warps;
      if (!on_the_way_[i].has_left(kNever)) last = on_the_way_[i].packet;
    }
    if (last != nullptr) last->awaited = true;
    return last != nullptr;
  }
  /// A packet of an access issued and takes a credit for each of its warps. Credits come back in order of issue.
  void take(Packet& packet) {
    if (left_ == kUnlimited) return;
    const auto warps = static_cast<unsigned>(std::popcount(packet.company));
    left_ -= warps;
    on_the_way_.push({&packet, packet.generation, warps});
  }

 private:
  struct OnTheWay {
    Packet* packet = nullptr;
    std::uint32_t generation = 0;
    unsigned warps = 0;
    /// Whether it left the operand stage before cycle `now`.
    bool has_left(Cycle now) const {
      return packet->generation != generation || (packet->gathered != 0 && packet->gathered < now);
    }
  };
  unsigned left_;
  RingQueue<OnTheWay> on_the_way_;
};

}  // namespace heddle::sm
