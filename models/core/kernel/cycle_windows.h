// SPDX-License-Identifier: Apache-2.0
// Windows: several cycles of a domain in one round of host threads, with the results of one after the other.
//
// Parts work on a window in three phases:
//   1. What answers (L2, reply path), on the calling thread, with the clocks below it. A request that comes to it in
//      the window is looked at only after the window.
//   2. What asks (the SMs with their caches), on all threads. The answers that come in the window are there. A part
//      that sends what it does not know the answer to waits until phase 3 has come as far.
//   3. What takes requests there, and the modules of the domain itself, up to the cycle that all of phase 2 have done.
// The last two alternate until all have done the window.
#pragma once

#include <vector>

#include "core/kernel/clock.h"
#include "core/kernel/window_rules.h"
#include "core/kernel/workers.h"

namespace heddle {

class CycleWindows {
 public:
  CycleWindows(ClockDomain& whole, Workers& workers, WindowRules rules);

  /// Works on a window from the present cycle of the domain on, if there can be one and it pays.
  bool work();
  /// Whether there could have been one, but the threads had better not share what is to be done: the domain works on
  /// all parts of the cycle in turn, and says when it has.
  bool alone() const { return alone_; }
  void worked_alone();

 private:
  Cycle answer(Cycle from, Cycle last);
  void ask();
  std::uint64_t cycles_since();
  void follow(Cycle cycle);
  void begin_idle(Cycle from);
  Cycle end_of_all() const;
  Cycle next_of_first() const;
  ClockDomain* first_edge_elsewhere(Cycle last) const;
  void notify_others();
  void work_on(ClockDomain& part);
  void advance(ClockDomain& part);
  Cycle done() const;
  void keep_waiting();
  void rethrow(Cycle cycle);
  bool pays();
  static std::vector<ClockDomain*> parts_of(const ClockDomain& whole, WindowPhase phase);
  static bool before(const ClockDomain& a, Cycle at, const ClockDomain& b, Cycle than);

  ClockDomain& whole_;
  WindowRules rules_;
  std::vector<ClockDomain*> first_, second_, third_;  ///< parts by phase; there is one at least of each
  SharedRounds rounds_;                               ///< of the second
  Cycle last_ = 0;                                    ///< of the window
  Cycle followed_ = 0;                                ///< done by the third phase
  Cycle over_at_ = kNever;                            ///< cycle in which the rules said so
  const bool always_;  ///< threads share windows whether it pays or not, so that tests do not depend on the host
  bool alone_ = false;
  std::uint64_t worked_ = 0;  ///< cycles of parts of the second phase, so far
};

}  // namespace heddle
