// SPDX-License-Identifier: Apache-2.0
// The issue stage combines everything that must be consistent within one cycle: grouping, instruction buffers, hazards
// and policies. It composes the parts in sm/issue/, which share the context table, and calls them in a fixed order; see
// cycle().
#pragma once

#include <memory>
#include <vector>

#include "core/kernel/call.h"
#include "core/kernel/link.h"
#include "sm/issue/issue_display.h"
#include "sm/issue/issue_kit.h"
#include "sm/issue/waiting_report.h"
#include "sm/messages.h"
#include "sm/pipeline/unseen_fetches.h"

namespace heddle::sm {

class IssueStage final : public Stage {
 public:
  /// grouping: the owner of sm.contexts; must outlive the stage.
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
  LinkIn<OperandReport> operands;
  LinkIn<MemoryReport> reports;

  /// Instructions that skip `decoded`. Call before the first cycle.
  void take_from(UnseenFetches& fetches);

  void cycle() override;

  /// Appends one situation per group of threads.
  void describe_waiting(std::vector<isa::Situation>& all) const;
  const LoopNotes& loops() const;
  /// At the end of a look of the loop detection that saw no change: whether any thread makes progress.
  Standstill standstill() const;
  bool idle() const { return sm_.contexts.valid.none(); }
  /// Whether any context will wake from nanosleep.
  bool any_asleep() const { return sm_.contexts.asleep.any(); }
  std::uint64_t thread_instructions() const;
  std::uint64_t warp_instructions() const;
  /// Charges the cycles before `until` that the clock gate skipped and counts the threads resident in them. Call before
  /// reading statistics.
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
  UnseenFetches* unseen_ = nullptr;
  bool grouping_busy_ = false;
  /// One bit per input that holds transfers.
  enum Input : unsigned { kLaunches, kDecoded, kUnseen, kOperands, kReports, kCompletions };
  bool holds(Input input) const { return (arrived_ >> input & 1) != 0; }
  std::uint32_t arrived_ = 0;
};

}  // namespace heddle::sm
