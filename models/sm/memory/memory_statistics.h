// SPDX-License-Identifier: Apache-2.0
// Statistics of the memory stage.
#pragma once

#include "core/kernel/cycle.h"
#include "core/statistics/statistics.h"
#include "sm/memory/access_table.h"

namespace heddle::sm {

class MemoryStatistics {
 public:
  /// owner: of the SM.
  explicit MemoryStatistics(StatisticsOwner& owner);
  /// A group has its transactions.
  void sealed(const AccessGroup& group);
  void sent() { ++transactions_; }
  void replied(std::size_t replies) { replies_ += replies; }
  /// The stage works in cycle `now`: charges those before, in which it slept while ports were stalled.
  void begin(Cycle now) {
    settle(now - 1);
    settled_ = now;
  }
  /// Ports that were stalled in the present cycle.
  void stalled(unsigned ports) { port_stalls_ += ports; }
  /// The stage sleeps, if it does, with so many stalled ports.
  void sleeps(unsigned stalled_ports) { stalled_ports_ = stalled_ports; }
  /// Charges the cycles up to and including `until` in which the stage slept.
  void settle(Cycle until) {
    if (stalled_ports_ == 0 || until <= settled_) return;
    port_stalls_ += stalled_ports_ * (until - settled_);
    settled_ = until;
  }

 private:
  /// Narrow warps count separately.
  void count_partial(const AccessGroup& group);

  StatisticsGroup group_;
  Counter accesses_, loads_, stores_, atomics_, transactions_, replies_, port_stalls_;
  Histogram per_access_;
  Counter partial_accesses_, partial_coalesced_;
  unsigned stalled_ports_ = 0;
  Cycle settled_ = 0;  ///< last cycle whose stalls are charged
};

}  // namespace heddle::sm
