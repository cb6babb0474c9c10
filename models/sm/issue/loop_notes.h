// SPDX-License-Identifier: Apache-2.0
// What the issue stage tells a look for endless loops (sm/watch/progress_watch.h), and its verdict.
#pragma once

#include <vector>

#include "sm/blocks/block_store.h"
#include "sm/grouping/grouping_unit.h"
#include "sm/sm_context.h"

namespace heddle::sm {

/// What a look for endless loops found.
enum class Standstill : std::uint8_t {
  none,     ///< some threads get further
  machine,  ///< some have waited for the machine, for data or a result, since the look began; nobody else gets further
  for_ever  ///< no thread will ever get further by itself
};

class LoopNotes {
 public:
  LoopNotes(SmContext& sm, const GroupingUnit& grouping, const BlockStore& blocks)
      : sm_(sm), contexts_(sm.contexts), grouping_(grouping), blocks_(blocks) {}

  /// The context's next instruction issues. In a look.
  void issued(ContextId context);
  /// The context's branch at `pc` resolved. In a look.
  void branched(ContextId context, std::uint32_t pc, const std::vector<GroupingUnit::Way>& ways);

  /// In a look that saw no change: whether some threads repeat themselves.
  bool repeats() const;
  /// At the end of a look that saw no change: whether any thread gets further.
  Standstill standstill() const;

 private:
  /// Whether its threads stand at a barrier or a meeting.
  bool waits_for_others(ContextId context) const {
    return contexts_.waits(contexts_[context].warp, contexts_[context].threads);
  }

  SmContext& sm_;
  const ContextTable& contexts_;
  const GroupingUnit& grouping_;
  const BlockStore& blocks_;
};

}  // namespace heddle::sm
