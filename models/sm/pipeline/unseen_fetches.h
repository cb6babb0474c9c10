// SPDX-License-Identifier: Apache-2.0
// Fetched instructions that skip decode and its links because no recorder shows them: when they reach the issue stage
// is known when they are fetched. Logic only.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/kernel/cycle.h"
#include "core/statistics/statistics.h"
#include "sm/messages.h"

namespace heddle::sm {

class UnseenFetches {
 public:
  /// width: fetches that may be forwarded in a cycle. latency: cycles from there to the issue stage. decoded: counts
  /// their instructions, a cycle before they arrive.
  UnseenFetches(unsigned width, Cycle latency, Counter& decoded)
      : width_(width), latency_(latency), decoded_(decoded), ring_(std::bit_ceil(width * (latency + 1))) {}

  /// Keeps the bit of `bits` set while there are any, as a link does.
  void watch(std::uint32_t& bits, unsigned bit) {
    watched_ = &bits;
    watched_bit_ = std::uint32_t{1} << bit;
  }

  /// Whether another may be forwarded in cycle `now`.
  bool room(Cycle now) const { return now != sent_at_ || sent_ != width_; }
  /// Forwards one in cycle `now`, which must have room. Returns the cycle in which it arrives.
  Cycle add(const Fetched& fetched, Cycle now) {
    if (now != sent_at_) {
      sent_at_ = now;
      sent_ = 0;
    }
    ++sent_;
    ring_[end_++ % ring_.size()] = {fetched, now + latency_};
    *watched_ |= watched_bit_;
    return now + latency_;
  }
  /// The oldest that has arrived by cycle `now`; null: none.
  const Fetched* front(Cycle now) const {
    if (begin_ == end_) return nullptr;
    const Coming& first = ring_[begin_ % ring_.size()];
    return first.arrives <= now ? &first.fetched : nullptr;
  }
  /// Takes it away. Not in the cycle in which it was added.
  void pop() {
    if (counted_ == begin_) count_one();
    if (++begin_ == end_) *watched_ &= ~watched_bit_;
  }
  /// Counts the instructions decoded up to and including cycle `now`.
  void settle(Cycle now) {
    while (counted_ != end_ && ring_[counted_ % ring_.size()].arrives <= now + 1) count_one();
  }

 private:
  struct Coming {
    Fetched fetched{};
    Cycle arrives = 0;
  };
  void count_one() { decoded_ += ring_[counted_++ % ring_.size()].fetched.request.count; }

  const unsigned width_;
  const Cycle latency_;
  Counter& decoded_;
  std::vector<Coming> ring_;
  // Places in the ring, counted on: of the oldest, of the oldest not yet counted, and behind the newest.
  std::size_t begin_ = 0, counted_ = 0, end_ = 0;
  Cycle sent_at_ = 0;
  unsigned sent_ = 0;  ///< in cycle sent_at_
  std::uint32_t unwatched_ = 0, watched_bit_ = 0;
  std::uint32_t* watched_ = &unwatched_;
};

}  // namespace heddle::sm
