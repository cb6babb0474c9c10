// SPDX-License-Identifier: Apache-2.0
// Concurrently live splits of one warp and the points at which they reconverge. A branch opens a meeting point at its
// post-dominator for all its threads; splits that arrive there wait, and once all threads have arrived they continue as
// one split towards the enclosing point. Logic only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/bits.h"

namespace heddle::sm {

class SplitTree {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Split {
    std::uint32_t pc = 0;
    std::uint32_t point = kNone;  ///< next meeting point
    ThreadSet threads;
  };

  void start() { points_.clear(); }
  /// A split diverges: returns the point at which its paths meet. Threads that leave a loop one by one share one point.
  std::uint32_t open(const Split& split, std::uint32_t meets_at) {
    if (split.point != kNone && points_[split.point].pc == meets_at) return split.point;
    std::uint32_t free = 0;
    while (free < points_.size() && points_[free].used) ++free;
    if (free == points_.size()) points_.emplace_back();
    points_[free] = {true, meets_at, split.point, split.threads, {}};
    return free;
  }
  /// Whether a split has reached its meeting point.
  bool arrives(const Split& split) const { return split.point != kNone && points_[split.point].pc == split.pc; }
  /// The split waits at its meeting point from now on.
  void arrive(const Split& split) { points_[split.point].arrived |= split.threads; }
  /// Removes threads that have left the kernel.
  void leave(const ThreadSet& gone) {
    for (Point& point : points_) {
      point.expected -= gone;
      point.arrived -= gone;
    }
  }
  /// Closes a point at which all threads have arrived and returns its threads as one split. False if there is none.
  bool take_complete(Split& met) {
    for (Point& point : points_) {
      if (!point.used || !point.arrived.contains(point.expected)) continue;
      point.used = false;
      met = {point.pc, point.outer, point.expected};
      if (met.threads.any()) return true;
    }
    return false;
  }
  /// Number of open points.
  unsigned depth() const {
    unsigned open = 0;
    for (const Point& point : points_) open += point.used ? 1 : 0;
    return open;
  }
  /// Calls visit(pc, threads) for the threads that wait at each point.
  template <typename Visit>
  void for_each_waiting(Visit&& visit) const {
    for (const Point& point : points_) {
      if (point.used && point.arrived.any()) visit(point.pc, point.arrived);
    }
  }

 private:
  struct Point {
    bool used = false;
    std::uint32_t pc = 0;
    std::uint32_t outer = kNone;
    ThreadSet expected, arrived;
  };
  std::vector<Point> points_;
};

}  // namespace heddle::sm
