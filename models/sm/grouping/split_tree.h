// SPDX-License-Identifier: Apache-2.0
// The splits of one warp that may all be live at once, and the points at which they meet again: a branch opens a
// meeting point at its post-dominator for all of its threads; a split that comes there waits, and when nobody is
// missing they go on as one towards the enclosing point. Logic only.
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
    std::uint32_t point = kNone;  ///< at which it will meet others
    ThreadSet threads;
  };

  void start() { points_.clear(); }
  /// A branch of a split parts: the point at which its ways meet. A loop that threads leave one by one has one point.
  std::uint32_t open(const Split& split, std::uint32_t meets_at) {
    if (split.point != kNone && points_[split.point].pc == meets_at) return split.point;
    std::uint32_t free = 0;
    while (free < points_.size() && points_[free].used) ++free;
    if (free == points_.size()) points_.emplace_back();
    points_[free] = {true, meets_at, split.point, split.threads, {}};
    return free;
  }
  /// Whether a split has come to where it meets others.
  bool arrives(const Split& split) const { return split.point != kNone && points_[split.point].pc == split.pc; }
  /// It waits there from now on.
  void arrive(const Split& split) { points_[split.point].arrived |= split.threads; }
  /// Threads have left the kernel.
  void leave(const ThreadSet& gone) {
    for (Point& point : points_) {
      point.expected -= gone;
      point.arrived -= gone;
    }
  }
  /// Takes a point at which nobody is missing any more: its threads go on as one. False when there is none.
  bool take_complete(Split& met) {
    for (Point& point : points_) {
      if (!point.used || !point.arrived.contains(point.expected)) continue;
      point.used = false;
      met = {point.pc, point.outer, point.expected};
      if (met.threads.any()) return true;
    }
    return false;
  }
  /// Points that are open.
  unsigned depth() const {
    unsigned open = 0;
    for (const Point& point : points_) open += point.used ? 1 : 0;
    return open;
  }
  /// Appends those who wait at points: visit(program counter, threads).
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
