// SPDX-License-Identifier: Apache-2.0
// Contexts whose next PC is known only some time after issue: branches until they resolve, and nanosleep until the
// thread wakes.
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

  /// A packet of a branch issued. resolves: this packet determines where the threads go.
  void issued(ContextId context, const Packet& packet, bool resolves);
  /// Handles IssueEvent::Kind::resolve: sends the context's threads to their targets.
  void resolve(ContextId context);

  /// Duration of the context's next instruction, a nanosleep: the longest time requested by any of its threads, to the
  /// nearest cycle. May be less than the latency of the instruction.
  Cycle sleep_of(ContextId context, const isa::MicroOp& op) const;
  /// A packet of nanosleep issued; the context resumes after `time`. at_least: latency of the instruction.
  void fall_asleep(ContextId context, const Packet& packet, Cycle time, Cycle at_least);
  /// Handles IssueEvent::Kind::wake_up.
  void wake_up(ContextId context);

  /// Cycles from the last packet of a branch to its resolution.
  Cycle wait() const {
    const SmParameters& p = sm_.parameters;
    return p.shape == PipelineShape::barrel ? p.pipeline_depth : p.branch_latency;
  }

 private:
  /// Fills paths_ with the targets of the context's branch and the threads that go there.
  void find_paths(const Context& context, const isa::MicroOp& op);

  SmContext& sm_;
  ContextTable& contexts_;
  GroupingUnit& grouping_;
  IssueEvents& events_;
  LoopNotes& notes_;
  std::array<Cycle, kMaxContexts> due_{};  ///< when a context's issued branch resolves or its nanosleep ends
  std::vector<GroupingUnit::Path> paths_;
  Counter branches_, divergent_;
};

}  // namespace heddle::sm
