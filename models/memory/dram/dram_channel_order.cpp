// SPDX-License-Identifier: Apache-2.0
// Selects the next command of a channel among the candidates of the banks: by kind, direction and age.
#include <algorithm>
#include <bit>

#include "memory/dram/dram_channel.h"

namespace heddle::memory {

/// Writes are served from the high mark down to the low mark, while a read must follow one, and while no reads wait.
bool DramChannel::drains() const {
  return must_follow_ != 0 || queue_.writes() >= drain_high_ || (draining_ && queue_.writes() > drain_low_);
}

bool DramChannel::wants_writes() const {
  if (queue_.writes() == 0) return false;
  if (queue_.reads() == 0) return true;
  // Prevents starvation between two endless streams: a drain serves at most one queue of writes before reads, and the
  // reads waiting at its end are served before the next drain.
  if (serves_writes_ ? served_ >= drain_most_ : reads_due_ != 0) return false;
  return drains() || (to_low_ && serves_writes_ && queue_.writes() > drain_low_);
}

void DramChannel::turn() {
  const bool writes = wants_writes();
  const bool cut = serves_writes_ && !writes && served_ >= drain_most_ && drains();
  const bool drains_now = writes && drains();
  if (drains_now && !draining_) ++counts_.write_drains;
  draining_ = drains_now;
  if (writes == serves_writes_) return;
  serves_writes_ = writes;
  served_ = 0;
  reads_due_ = cut ? queue_.reads() : 0;
  dirty_ |= waiting_;
}

void DramChannel::find_overdue(Cycle now) {
  DramQueue::Id oldest = DramQueue::kNone;
  for (std::uint64_t banks = waiting_; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    for (const bool writes : {false, true}) oldest = queue_.older(oldest, queue_.first(queue_.list(bank, writes)));
  }
  look_for_overdue_ = kNever;
  if (oldest == DramQueue::kNone) return;
  const Cycle due = queue_[oldest].arrival + age_cap_;
  if (due > now) {
    look_for_overdue_ = due;
    return;
  }
  overdue_ = oldest;
  dirty_ |= bit(queue_[oldest].bank);
}

/// While a command must go first, bars column commands of the other direction, which would delay it by a bus
/// turnaround. A read held by a full return queue bars nothing, as the reply that frees an entry may depend on a write.
DramChannel::Barred DramChannel::barred() const {
  if (overdue_ == DramQueue::kNone && finishing_ == 0 && (!batched_ || served_ < turn_cap_)) return Barred::none;
  const std::uint64_t held = returning_ >= return_entries_ ? last_reads_[0] : 0;
  const std::uint64_t may_go = active_ & columns_[0] & ~held;
  if (overdue_ != DramQueue::kNone && (may_go & bit(queue_[overdue_].bank)) != 0) {
    return queue_[overdue_].write ? Barred::reads : Barred::writes;
  }
  if (queue_.split()) {
    if ((finishing_ & may_go) == 0) return Barred::none;
    return serves_writes_ ? Barred::writes : Barred::reads;
  }
  if (!batched_ || served_ < turn_cap_ || !passes_older()) return Barred::none;
  return last_was_write_ ? Barred::writes : Barred::reads;
}

/// Whether the oldest column command on offer would turn the data bus.
bool DramChannel::passes_older() const {
  if ((columns_of(!last_was_write_, 0) | columns_of(!last_was_write_, 1)) == 0) return false;
  std::array<std::uint64_t, 2> oldest;
  for (const bool turns : {false, true}) {
    oldest[turns] = ~std::uint64_t{0};
    for (unsigned plane = 0; plane < 2; ++plane) {
      std::uint64_t banks = columns_of(turns != last_was_write_, plane);
      if (returning_ >= return_entries_) banks &= ~last_reads_[plane];
      for (; banks != 0; banks &= banks - 1) {
        const auto slot = static_cast<unsigned>(std::countr_zero(banks)) + plane * kSecond;
        oldest[turns] = std::min(oldest[turns], orders_[slot]);
      }
    }
  }
  return oldest[true] < oldest[false];
}

void DramChannel::look_at_all(Cycle by, Look look) {
  found_ = kNoSlot;
  found_by_ = by;
  next_ = kNever;
  consider(active_, by, look);
}

void DramChannel::look_again(std::uint64_t banks, Cycle by) {
  // The result for an earlier cycle remains valid until another command becomes legal.
  const bool holds = found_by_ != kNever && (found_ != kNoSlot ? found_by_ == by : by < next_);
  if (!holds || (found_ != kNoSlot && (banks & bit(found_ % kSecond)) != 0)) {
    look_at_all(by);
  } else {
    found_by_ = by;
    consider(banks, by);
  }
}

/// Removes columns that would turn the data bus from `ready` while a column of its direction is ready, or will be
/// before the bus could turn twice.
void DramChannel::stay(std::array<std::uint64_t, 2>& ready, Cycle by) {
  std::uint64_t turning = 0;
  for (unsigned plane = 0; plane < 2; ++plane) turning |= ready[plane] & columns_of(!last_was_write_, plane);
  if (turning == 0 || barred_ != Barred::none) return;
  const Cycle back = by + turn_back_[last_was_write_];
  bool stays = false;
  for (unsigned plane = 0; plane < 2 && !stays; ++plane) {
    std::uint64_t banks = columns_of(last_was_write_, plane);
    if (returning_ >= return_entries_) banks &= ~last_reads_[plane];
    for (; banks != 0 && !stays; banks &= banks - 1) {
      const unsigned slot = static_cast<unsigned>(std::countr_zero(banks)) + plane * kSecond;
      stays = std::max(legal_[slot], *permitted_[slot]) < back;
    }
  }
  if (!stays) return;
  for (unsigned plane = 0; plane < 2; ++plane) ready[plane] &= ~columns_of(!last_was_write_, plane);
}

void DramChannel::consider(std::uint64_t banks, Cycle by, Look look) {
  std::array<std::uint64_t, 2> ready{};
  if (found_ != kNoSlot) ready[found_ / kSecond] = bit(found_ % kSecond);
  // The last burst of a read needs an entry in the return queue; returned() triggers the next call.
  const bool full = returning_ >= return_entries_;
  Cycle next = next_;
  for (unsigned plane = 0; plane < (columns_[1] != 0 ? 2 : 1); ++plane) {
    std::uint64_t offering = banks;
    if (plane == 1 || look == Look::columns) offering &= columns_[plane];
    if (look == Look::rows) offering &= ~columns_[plane];
    if (full) offering &= ~last_reads_[plane];
    // Requests finishing the previous queue may be of either direction: a read behind a write is in the write queue.
    if (barred_ != Barred::none) offering &= ~columns_of(barred_ == Barred::writes, plane) | finishing_;
    for (; offering != 0; offering &= offering - 1) {
      const auto bank = static_cast<unsigned>(std::countr_zero(offering));
      const unsigned slot = bank + plane * kSecond;
      if (legal_[slot] == kNever) continue;
      const Cycle legal = std::max(legal_[slot], *permitted_[slot]);
      if (legal <= by) {
        ready[plane] |= bit(bank);
      } else {
        next = std::min(next, legal);
      }
    }
  }
  next_ = next;
  if ((ready[0] | ready[1]) == 0) return;
  if ((ready[0] & refreshing_) != 0) {  // refresh has priority
    ready = {ready[0] & refreshing_, 0};
  } else if (overdue_ != DramQueue::kNone && (ready[0] & bit(queue_[overdue_].bank)) != 0) {
    ready = {bit(queue_[overdue_].bank), 0};
  } else {
    if (turn_back_[last_was_write_] != 0) stay(ready, by);
    if (columns_first_ && ((ready[0] & columns_[0]) | ready[1]) != 0) ready[0] &= columns_[0];
  }
  std::uint64_t best = ~std::uint64_t{0};
  for (unsigned plane = 0; plane < 2; ++plane) {
    for (; ready[plane] != 0; ready[plane] &= ready[plane] - 1) {
      const unsigned slot = static_cast<unsigned>(std::countr_zero(ready[plane])) + plane * kSecond;
      if (orders_[slot] > best) continue;
      best = orders_[slot];
      found_ = slot;
    }
  }
}

}  // namespace heddle::memory
