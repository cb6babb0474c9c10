// SPDX-License-Identifier: Apache-2.0
// Text for messages about kernels that make no progress: where threads are and what they wait for.
#pragma once

#include <vector>

#include "isa/fault.h"
#include "sm/blocks/barrier_table.h"
#include "sm/blocks/block_store.h"
#include "sm/issue/waiting_threads.h"

namespace heddle::sm {

class WaitingReport {
 public:
  using Situation = isa::Situation;
  WaitingReport(const SmContext& sm, const GroupingUnit& grouping, const BlockStore& blocks,
                const WaitingThreads& waiting, const BarrierTable& barriers, const Rendezvous& meetings)
      : sm_(sm),
        contexts_(sm.contexts),
        grouping_(grouping),
        blocks_(blocks),
        waiting_(waiting),
        barriers_(barriers),
        meetings_(meetings) {}

  /// Appends one situation per group of threads.
  void describe(std::vector<Situation>& all) const;

 private:
  void describe_loop(ContextId context, std::vector<Situation>& all) const;
  void describe_paths(ContextId context, std::vector<Situation>& all) const;
  void describe_barriers(BlockSlot block, std::vector<Situation>& all) const;

  const SmContext& sm_;
  const ContextTable& contexts_;
  const GroupingUnit& grouping_;
  const BlockStore& blocks_;
  const WaitingThreads& waiting_;
  const BarrierTable& barriers_;
  const Rendezvous& meetings_;
};

}  // namespace heddle::sm
