// SPDX-License-Identifier: Apache-2.0
// Tells a hazard tracker that follows threads which of them changed contexts.
#pragma once

#include <vector>

#include "sm/hazards/hazard_tracker.h"
#include "sm/issue/waiting_threads.h"

namespace heddle::sm {

class Regroupings {
 public:
  /// count: number of contexts of the SM.
  Regroupings(const ContextTable& contexts, unsigned count, HazardTracker& hazards, const WaitingThreads& waiting)
      : contexts_(contexts), hazards_(hazards), waiting_(waiting), known_(count) {}

  /// PC or threads of these contexts have changed since the last call.
  void changed(const ContextSet& some);

 private:
  /// Threads of a context as last told, and the warp they belong to.
  struct Known {
    WarpId warp;
    ThreadSet threads;
  };
  void add(WarpId warp);
  void tell(WarpId warp);

  const ContextTable& contexts_;
  HazardTracker& hazards_;
  const WaitingThreads& waiting_;
  std::vector<Known> known_;   ///< by context
  std::vector<WarpId> warps_;  ///< affected by the change
  Regrouping regrouping_;
};

}  // namespace heddle::sm
