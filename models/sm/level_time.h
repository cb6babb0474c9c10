// SPDX-License-Identifier: Apache-2.0
// A counter that grows by a level in every cycle, also in cycles in which nobody works.
#pragma once

#include <cstdint>

#include "core/kernel/cycle.h"
#include "core/statistics/statistics.h"

namespace heddle::sm {

class LevelTime {
 public:
  LevelTime(const StatisticsGroup& group, std::string name, std::string sentence, Unit unit)
      : total_(group, std::move(name), std::move(sentence), unit) {}

  std::uint64_t level() const { return level_; }
  /// The level from cycle `now` on.
  void set(Cycle now, std::uint64_t level) {
    settle(now);
    level_ = level;
  }
  /// Counts the cycles before `until`.
  void settle(Cycle until) {
    if (until <= since_) return;
    total_ += level_ * (until - since_);
    since_ = until;
  }
  const Counter& total() const { return total_; }

 private:
  Counter total_;
  std::uint64_t level_ = 0;
  Cycle since_ = 0;
};

}  // namespace heddle::sm
