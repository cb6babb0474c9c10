// SPDX-License-Identifier: Apache-2.0
// Properties of a grouping as values, computed from its parameters and the machine's shape before anything is built.
#pragma once

#include <memory>

#include "core/kernel/clock.h"
#include "isa/lowering/code_pass.h"
#include "sm/needs.h"

namespace heddle::sm {

/// Machine parameters passed to every grouping.
struct GroupingShape {
  unsigned threads = 1024;   ///< hardware threads of the SM
  unsigned warp_size = 32;   ///< threads of a machine warp: power of two, 4 .. 512
  unsigned simd_width = 32;  ///< lanes of the widest unit: power of two, 4 .. 64
  unsigned issue_slots = 1;  ///< schedulers
};

struct GroupingTraits {
  unsigned contexts = 0;  ///< number of contexts: 1 .. kMaxContexts
  /// Threads are allocated in multiples of this; a block's first thread is aligned to it.
  unsigned granule = 32;
  /// A context's threads lie within this many threads of the block, starting at GroupingUnit::first_thread().
  unsigned span = 32;
  /// Granules of a block may be placed and released one by one.
  bool places_granules = false;
  /// A context has the threads of the warp of its number, and no other context ever has them.
  bool own_warps = false;
  Features needs;
  unsigned packets_per_slot = 1;  ///< packets an issue slot may issue per cycle
  /// Memory packets of a cycle that make one access: the stages on their way pass them on together.
  unsigned packets_per_access = 1;
  /// In a barrel pipeline: stages from the fetch, where contexts are picked, to the check for threads in flight.
  /// Threads are released that many cycles before their context may issue again.
  Cycle release_lead = 0;
  /// Cycles after the request for the last line of a load before the grouping is notified of threads whose lines have
  /// returned while others are outstanding (SmEvents::returned). kNever: no notification.
  Cycle return_wait = kNever;
  /// What the code of kernels needs for the grouping; null: nothing. All SMs run the same code, so on a machine with
  /// several groupings it must be correct for each of them.
  std::shared_ptr<const isa::CodePass> code_pass{};
};

}  // namespace heddle::sm
