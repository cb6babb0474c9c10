// SPDX-License-Identifier: Apache-2.0
// Feeds the endless-loop detection (sm/watch/progress_watch.h) from the issue stage and evaluates its result.
#pragma once

#include <vector>

#include "sm/blocks/block_store.h"
#include "sm/grouping/grouping_unit.h"
#include "sm/sm_context.h"

namespace heddle::sm {

/// Result of one detection window, called a look.
enum class Standstill : std::uint8_t {
  none,     ///< some threads make progress
  machine,  ///< some have waited for data or a result since the look began, and no other thread makes progress
  for_ever  ///< no thread can ever make progress by itself
};

class LoopNotes {
 public:
  LoopNotes(SmContext& sm, const GroupingUnit& grouping, const BlockStore& blocks)
      : sm_(sm), contexts_(sm.contexts), grouping_(grouping), blocks_(blocks) {}

  /// The context's next instruction issues. Only during a look.
  void issued(ContextId context);
  /// The context's branch at `pc` resolved. Only during a look.
  void branched(ContextId context, std::uint32_t pc, const std::vector<GroupingUnit::Path>& paths);

  /// In a look that saw no change: whether some threads are repeating their states.
  bool repeats() const;
  /// At a standstill: whether some threads wait for no others, but are not run. They are on a path that the grouping
  /// does not select while another path of the warp waits, or in a ready context that no slot chooses.
  bool held_back() const;
  /// At the end of a look that saw no change: whether any thread makes progress. blocked: ready contexts whose
  /// execution unit accepts nothing.
  Standstill standstill(const ContextSet& blocked) const;

 private:
  /// Whether the context's threads wait at a barrier or a meeting.
  bool waits_for_others(ContextId context) const {
    return contexts_.waits(contexts_[context].warp, contexts_[context].threads);
  }

  SmContext& sm_;
  const ContextTable& contexts_;
  const GroupingUnit& grouping_;
  const BlockStore& blocks_;
};

}  // namespace heddle::sm
