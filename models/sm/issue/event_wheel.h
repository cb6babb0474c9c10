// SPDX-License-Identifier: Apache-2.0
// Events at a known future cycle: a ring of buckets for the near future and a heap for the rest. Taking the events of a
// cycle costs nothing when there are none. Buckets are linked lists in one small shared pool: every stage of every SM
// has a wheel, and separate storage per bucket would overflow the host cache.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <new>
#include <queue>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/kernel/clock.h"

namespace heddle::sm {

template <typename Event>
class EventWheel {
  static_assert(std::is_trivially_destructible_v<Event>);

 public:
  static constexpr Cycle kHorizon = 128;

  EventWheel() { near_.fill({kNone, kNone}); }

  /// Adds the event made of `members`. at: must be later than every cycle taken so far.
  template <typename... Members>
  void add(Cycle at, Cycle now, const Members&... members) {
    ++size_;
    if (at - now < kHorizon) {
      // Made in its place: a copy of members just stored would stall the host.
      new (&append(near_[at % kHorizon])) Event{members...};
      occupied_[at % kHorizon / 64] |= std::uint64_t{1} << (at % 64);
    } else {
      far_.push({at, sequence_++, Event{members...}});
    }
  }

  /// Calls visit(event) for the events of cycle `now`, in the order in which they were added. No cycle with a due event
  /// may be skipped.
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
    Node next = near_[slot].first;
    if (next == kNone) return;
    near_[slot] = {kNone, kNone};
    occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    while (next != kNone) {
      // The visitor may add events, so free the pool entry first.
      const Node taken = next;
      const Event event = pool_[taken].event;
      next = std::exchange(pool_[taken].next, free_);
      free_ = taken;
      --size_;
      visit(event);
    }
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Cycle of the earliest event after `now`; kNever when there is none.
  Cycle next(Cycle now) const {
    if (size_ == 0) return kNever;
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
  using Node = std::uint16_t;
  static constexpr Node kNone = 0xffff;
  struct Entry {
    Event event{};
    Node next = kNone;  ///< next in the bucket or in the free list
  };
  struct Bucket {
    Node first, last;
  };
  /// Adds an entry to the bucket. Returns its event, to be assigned.
  Event& append(Bucket& bucket) {
    Node node = free_;
    if (node == kNone) {
      if (pool_.size() == kNone) fail(ExitCode::internal, "too many scheduled events: {}", pool_.size());
      node = static_cast<Node>(pool_.size());
      pool_.emplace_back();
    } else {
      free_ = pool_[node].next;
    }
    Entry& entry = pool_[node];
    entry.next = kNone;
    if (bucket.first == kNone) {
      bucket.first = node;
    } else {
      pool_[bucket.last].next = node;
    }
    bucket.last = node;
    return entry.event;
  }

  std::array<Bucket, kHorizon> near_;
  std::vector<Entry> pool_;
  Node free_ = kNone;
  std::array<std::uint64_t, kHorizon / 64> occupied_{};
  std::priority_queue<Far> far_;
  std::size_t size_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace heddle::sm
