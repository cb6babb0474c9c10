// SPDX-License-Identifier: Apache-2.0
// Busy times of the cache resources that serve one access at a time: data port, fill port, banks and atomic unit.
#pragma once

#include <algorithm>
#include <vector>

#include "core/kernel/cycle.h"
#include "memory/cache/cache_parameters.h"

namespace heddle::memory {

class PortTimes {
 public:
  explicit PortTimes(const CacheParameters& p)
      : data_width_(p.data_bytes_per_cycle), fill_width_(p.fill_bytes_per_cycle), atomic_interval_(p.atomic_interval) {
    if (p.banks > 1) bank_free_.assign(p.banks, 0);
  }

  /// Earliest cycle for look-ups and for fills.
  Cycle data_free() const { return data_free_; }
  Cycle fill_free() const { return fill_free_; }
  bool banked() const { return !bank_free_.empty(); }
  /// Cycle from which the bank of a set is free; banked().
  Cycle bank_free(unsigned set) const { return bank_free_[bank_of(set)]; }

  /// A look-up occupies its bank for one cycle.
  void look_up(unsigned set, Cycle now) {
    if (banked()) hold(set, now + 1);
  }
  /// A hit of `bytes` occupies the data port, or its bank.
  void hit(unsigned set, unsigned bytes, Cycle now) {
    if (data_width_ == 0) return;
    const Cycle until = now + (bytes + data_width_ - 1) / data_width_;
    if (banked()) {
      hold(set, until);
    } else {
      data_free_ = until;
    }
  }
  /// A fill of `bytes`; in its bank it queues behind the work in progress.
  void fill(unsigned set, unsigned bytes, Cycle now) {
    const Cycle cycles = fill_width_ == 0 ? 1 : (bytes + fill_width_ - 1) / fill_width_;
    fill_free_ = now + cycles;
    if (banked()) hold(set, std::max(bank_free(set), now) + cycles);
  }
  /// Reserves the next free turn of the atomic unit.
  Cycle atomic_turn(Cycle now) {
    const Cycle start = std::max(now, atomic_free_);
    atomic_free_ = start + atomic_interval_;
    return start;
  }

 private:
  std::size_t bank_of(unsigned set) const { return set & (bank_free_.size() - 1); }
  void hold(unsigned set, Cycle until) {
    Cycle& free = bank_free_[bank_of(set)];
    free = std::max(free, until);
  }

  unsigned data_width_, fill_width_, atomic_interval_;
  Cycle data_free_ = 0, fill_free_ = 0, atomic_free_ = 0;
  std::vector<Cycle> bank_free_;  // by bank; empty without banks
};

}  // namespace heddle::memory
