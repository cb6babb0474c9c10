// SPDX-License-Identifier: Apache-2.0
// Events at a known future cycle: a ring of buckets for the near future, a heap behind it. Taking the events of a cycle
// costs nothing when there are none.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <queue>
#include <vector>

#include "core/clock.h"

namespace heddle::sm {

template <typename Event>
class EventWheel {
 public:
  static constexpr Cycle kHorizon = 256;

  /// at: later than every cycle taken so far.
  void add(Cycle at, Cycle now, const Event& event) {
    if (at - now < kHorizon) {
      near_[at % kHorizon].push_back(event);
      occupied_[at % kHorizon / 64] |= std::uint64_t{1} << (at % 64);
    } else {
      far_.push({at, sequence_++, event});
    }
    ++size_;
  }

  /// Calls visit(event) for the events of cycle `now`, in the order in which they were added. Every cycle in which an
  /// event is due must be taken.
  template <typename Visit>
  void take(Cycle now, Visit&& visit) {
    if (size_ == 0) return;
    while (!far_.empty() && far_.top().at <= now) {
      const Event event = far_.top().event;
      far_.pop();
      --size_;
      visit(event);
    }
    const std::size_t slot = now % kHorizon;
    if (near_[slot].empty()) return;
    running_.swap(near_[slot]);
    occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    size_ -= running_.size();
    for (const Event& event : running_) visit(event);
    running_.clear();
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Cycle of the earliest event after `now`; kNever when there is none.
  Cycle next(Cycle now) const {
    Cycle best = far_.empty() ? kNever : far_.top().at;
    for (Cycle step = 1; step < kHorizon;) {
      const std::size_t slot = (now + step) % kHorizon;
      const std::uint64_t word = occupied_[slot / 64] >> (slot % 64);
      if (word != 0) {
        const Cycle found = now + step + static_cast<Cycle>(std::countr_zero(word));
        return found < best ? found : best;
      }
      step += 64 - slot % 64;
    }
    return best;
  }

 private:
  struct Far {
    Cycle at;
    std::uint64_t sequence;
    Event event;
    bool operator<(const Far& other) const { return at != other.at ? at > other.at : sequence > other.sequence; }
  };
  std::array<std::vector<Event>, kHorizon> near_;
  std::array<std::uint64_t, kHorizon / 64> occupied_{};
  std::priority_queue<Far> far_;
  std::vector<Event> running_;
  std::size_t size_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace heddle::sm
