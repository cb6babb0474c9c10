// SPDX-License-Identifier: Apache-2.0
// The stage in which everything that must agree within one cycle meets: grouping, instruction buffers, hazards,
// policies. It composes the parts of sm/issue/, which share the table of contexts, and calls them in one fixed order;
// see cycle().
#pragma once

#include <memory>
#include <vector>

#include "core/kernel/call.h"
#include "core/kernel/link.h"
#include "sm/issue/issue_display.h"
#include "sm/issue/issue_kit.h"
#include "sm/issue/waiting_report.h"
#include "sm/messages.h"

namespace heddle::sm {

class IssueStage final : public Stage {
 public:
  /// grouping: of sm.contexts. It outlives the stage.
  IssueStage(sc_core::sc_module_name name, SmContext& sm, GroupingUnit& grouping);
  ~IssueStage() override;

  // -- sockets
  LinkIn<BlockLaunch> launches;
  LinkOut<BlockDone> finished;
  LinkOut<FetchRequest> fetch;
  CallPort<FetchAtPick> fetch_at_pick;
  CallPort<PrefixSumCall> prefix_sum;
  LinkIn<Fetched> decoded;
  UnitLinks units;
  LinkIn<Completion> completions;
  LinkIn<OperandDelay> delays;
  LinkIn<MemoryReport> reports;

  void cycle() override;

  /// Appends one situation for every group of threads.
  void describe_waiting(std::vector<isa::Situation>& all) const;
  const LoopNotes& loops() const;
  bool idle() const { return sm_.contexts.valid.none(); }
  /// Whether somebody will wake up by itself.
  bool any_asleep() const { return sm_.contexts.asleep.any(); }
  std::uint64_t thread_instructions() const;
  std::uint64_t warp_instructions() const;
  /// Charges the cycles the clock gate skipped before `until`, and counts the threads that blocks have taken in them;
  /// before statistics are read.
  void settle(Cycle until);
  const SlotAccount& slot_account() const;

 private:
  struct Parts;
  struct Display;
  // -- the cycle, in this order
  void take_arrivals();
  void take_events();
  void sleep_or_stay();

  SmContext& sm_;
  GroupingUnit& grouping_;
  std::unique_ptr<Parts> parts_;
  std::unique_ptr<Display> display_;
  bool grouping_busy_ = false;
};

}  // namespace heddle::sm
