// SPDX-License-Identifier: Apache-2.0
// Block barriers: threads arrive, wait, and are released together some cycles after the last arrival.
#pragma once

#include <vector>

#include "core/statistics/statistics.h"
#include "isa/fault.h"
#include "sm/blocks/barrier_table.h"
#include "sm/issue/issue_events.h"
#include "sm/issue/waiting_threads.h"

namespace heddle::sm {

class BarrierUnit {
 public:
  BarrierUnit(SmContext& sm, IssueEvents& events, WaitingThreads& waiting, const StatisticsGroup& group);

  /// A block of `threads` threads starts.
  void launched(BlockSlot block, std::uint32_t threads) { barriers_.launch(block, threads); }
  /// The packet's threads arrive at the barrier named by their instruction.
  void arrive(ContextId context, Packet& packet);
  /// Threads of the block have exited.
  void exited(BlockSlot block, std::uint32_t threads);
  /// Handles IssueEvent::Kind::end_barrier.
  void ended(const IssueEvent& event);
  const BarrierTable& barriers() const { return barriers_; }

 private:
  void open(BlockSlot block, unsigned number);
  /// Fails if threads of one ISA warp wait at different instructions.
  void check_convergence(const BarrierTable::Barrier& barrier, unsigned number);

  SmContext& sm_;
  IssueEvents& events_;
  WaitingThreads& waiting_;
  BarrierTable barriers_;
  std::vector<isa::BarrierWait> arrived_at_;  ///< by ISA warp of the block whose barrier is opening
  Counter arrivals_;
};

}  // namespace heddle::sm
