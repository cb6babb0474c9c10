// SPDX-License-Identifier: Apache-2.0
// Watches the age of requests: the oldest is overdue, and goes before all others, once it has waited `age_cap` cycles.
#pragma once

#include <algorithm>

#include "memory/dram/dram_queue.h"

namespace heddle::memory {

class OverdueWatch {
 public:
  /// age_cap: cycles; 0: none becomes overdue.
  explicit OverdueWatch(unsigned age_cap) : age_cap_(age_cap != 0 ? age_cap : kNever) {}

  /// The overdue request, or DramQueue::kNone.
  DramQueue::Id request() const { return overdue_; }
  void arrived(Cycle arrival) {
    if (age_cap_ != kNever) look_at_ = std::min(look_at_, arrival + age_cap_);
  }
  /// Looks for an overdue request if there may be one. Returns whether it found one.
  bool look(const DramQueue& queue, Cycle now) { return look_at_ <= now && find(queue, now); }
  /// A request was served and is no longer in the queue. Returns whether it was the overdue one.
  bool served(DramQueue::Id id, const DramQueue& queue, Cycle now) {
    const bool was_overdue = id == overdue_;
    if (was_overdue) {
      overdue_ = DramQueue::kNone;
      look_at_ = now + 1;
    }
    if (queue.size() == 0) look_at_ = kNever;
    return was_overdue;
  }
  /// Cycle after `now` in which to look again; kNever: not before a request arrives or is served.
  Cycle next(Cycle now) const { return std::max(look_at_, now + 1); }

 private:
  bool find(const DramQueue& queue, Cycle now) {
    look_at_ = kNever;
    const DramQueue::Id oldest = queue.oldest();
    if (oldest == DramQueue::kNone) return false;
    const Cycle due = queue[oldest].arrival + age_cap_;
    if (due > now) {
      look_at_ = due;
      return false;
    }
    overdue_ = oldest;
    return true;
  }

  Cycle age_cap_;  // kNever: none
  DramQueue::Id overdue_ = DramQueue::kNone;
  Cycle look_at_ = kNever;  // none can become overdue before
};

}  // namespace heddle::memory
