// SPDX-License-Identifier: Apache-2.0
// Contexts whose program counter is settled later than their instruction issues: branches until they resolve, and
// nanosleep until its time is over.
#pragma once

#include <array>
#include <vector>

#include "core/statistics/statistics.h"
#include "sm/grouping/grouping_unit.h"
#include "sm/issue/issue_events.h"
#include "sm/issue/loop_notes.h"
#include "sm/sm_context.h"

namespace heddle::sm {

class BranchUnit {
 public:
  BranchUnit(SmContext& sm, GroupingUnit& grouping, IssueEvents& events, LoopNotes& notes,
             const StatisticsGroup& group);

  /// A packet of a branch issued. resolves: from this packet on it is known where the threads go.
  void issued(ContextId context, const Packet& packet, bool resolves);
  /// IssueEvent::Kind::resolve: the context's threads go their ways.
  void resolve(ContextId context);

  /// Cycles that the context's next instruction, nanosleep, takes: the longest time a thread of it asks for, to the
  /// nearest cycle, and no less than the instruction takes anyway.
  Cycle sleep_of(ContextId context, const isa::MicroOp& op) const;
  /// A packet of nanosleep issued: the context goes on when the time is over. at_least: what the instruction takes.
  void fall_asleep(ContextId context, const Packet& packet, Cycle time, Cycle at_least);
  /// IssueEvent::Kind::wake_up.
  void wake_up(ContextId context);

  /// Cycles from the last packet of a branch to its resolution.
  Cycle wait() const {
    const SmParameters& p = sm_.parameters;
    return p.shape == PipelineShape::barrel ? p.pipeline_depth : p.branch_latency;
  }

 private:
  /// Fills ways_ with where the threads of the context's branch go.
  void find_ways(const Context& context, const isa::MicroOp& op);

  SmContext& sm_;
  ContextTable& contexts_;
  GroupingUnit& grouping_;
  IssueEvents& events_;
  LoopNotes& notes_;
  std::array<Cycle, kMaxContexts> due_{};  ///< when a branch whose packets issue will resolve; of a sleeper, wake up
  std::vector<GroupingUnit::Way> ways_;
  Counter branches_, divergent_;
};

}  // namespace heddle::sm
