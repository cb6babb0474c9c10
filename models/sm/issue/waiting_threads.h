// SPDX-License-Identifier: Apache-2.0
// Threads that wait for others of their block or warp; shared by barriers and meetings. Notifies the grouping, which
// may bring another path forward.
#pragma once

#include <vector>

#include "sm/blocks/rendezvous.h"
#include "sm/grouping/grouping_unit.h"
#include "sm/sm_context.h"

namespace heddle::sm {

/// Contexts that have held threads of a machine warp. The first is stored inline, since most machines have only one.
class WarpContexts {
 public:
  void add(ContextId c);
  template <typename Visit>
  void for_each(Visit&& visit) const {
    if (first_ != kNoContext) visit(first_);
    for (ContextId c : others_) visit(c);
  }

 private:
  ContextId first_ = kNoContext;
  std::vector<ContextId> others_;
};

class WaitingThreads {
 public:
  /// meetings: those of the SM.
  WaitingThreads(SmContext& sm, GroupingUnit& grouping, const Rendezvous& meetings);

  /// A new block's context has been set up.
  void launched(ContextId context) { contexts_of_[contexts_[context].warp].add(context); }
  /// Threads of the context's warp started or stopped waiting.
  void changed(ContextId context);
  /// Threads of the context's warp stopped waiting: all contexts of the warp are re-evaluated.
  void ended(ContextId context);
  std::size_t warps() const { return contexts_of_.size(); }
  const WarpContexts& contexts_of(WarpId warp) const { return contexts_of_[warp]; }

 private:
  /// Threads of the context's warp, by position, still missing at open meetings of its ISA warps.
  ThreadSet awaited_by(ContextId context) const;

  ContextTable& contexts_;
  GroupingUnit& grouping_;
  const Rendezvous& meetings_;
  std::vector<WarpContexts> contexts_of_;  ///< by machine warp
};

}  // namespace heddle::sm
