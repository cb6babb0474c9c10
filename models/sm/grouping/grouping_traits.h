// SPDX-License-Identifier: Apache-2.0
// What a grouping is, as values: computed from its parameters and the machine's shape before anything is built.
#pragma once

#include "core/kernel/clock.h"
#include "sm/needs.h"

namespace heddle::sm {

/// What every grouping is told of its machine.
struct GroupingShape {
  unsigned threads = 1024;   ///< hardware threads of the SM
  unsigned warp_size = 32;   ///< threads of a machine warp: power of two, 4 .. 512
  unsigned simd_width = 32;  ///< lanes of the widest unit: power of two, 4 .. 64
  unsigned issue_slots = 1;  ///< schedulers
};

struct GroupingTraits {
  unsigned contexts = 0;  ///< that it shows: 1 .. kMaxContexts
  /// Threads are allocated in multiples of this; a block's first thread is aligned to it.
  unsigned granule = 32;
  /// Threads of the block, from GroupingUnit::first_thread() on, among which a context's are.
  unsigned span = 32;
  Features needs;
  unsigned packets_per_slot = 1;  ///< that one issue slot may issue in a cycle
  /// In a barrel pipeline: stages between the fetch, where contexts are picked, and where it looks at threads in
  /// flight. Threads are released as many cycles before their context may issue again.
  Cycle release_lead = 0;
  /// Cycles after the last line of a load was asked for, from which on it wants to hear of threads whose lines are back
  /// while others' are not (SmEvents::returned). kNever: it does not.
  Cycle return_wait = kNever;
};

}  // namespace heddle::sm
