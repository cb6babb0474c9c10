// SPDX-License-Identifier: Apache-2.0
// One memory channel: its queue and the selection of the next command. Independent of the simulation kernel;
// MemoryController supplies the time.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/dram/bank_choices.h"
#include "memory/dram/bus_turns.h"
#include "memory/dram/channel_counts.h"
#include "memory/dram/command_search.h"
#include "memory/dram/dram_bank_state.h"
#include "memory/dram/dram_parameters.h"
#include "memory/dram/open_rows.h"
#include "memory/dram/overdue_watch.h"
#include "memory/dram/refresh_plan.h"
#include "memory/dram/return_queue.h"
#include "memory/dram/shared_timing.h"
#include "memory/dram/write_drains.h"

namespace heddle::memory {

/// Observes every command, for traces and checks. Without listeners the cost is one test per command.
class DramCommandListener {
 public:
  virtual ~DramCommandListener() = default;
  /// bank: for a command to a rank, its first bank. row: the row opened, used or closed; 0 if the command concerns
  /// none. request: null if the command serves none.
  virtual void commanded(Cycle now, DramCommand command, unsigned bank, std::uint64_t row,
                         const DramRequest* request) = 0;
};

class DramChannel {
 public:
  /// tables: outlive this object.
  DramChannel(const DramParameters& parameters, const DramTables& tables, const StatisticsGroup& statistics);
  DramChannel(const DramChannel&) = delete;
  DramChannel& operator=(const DramChannel&) = delete;
  /// Call before the first cycle. banks: one per bank of the geometry, ordered as DramAddress::bank; they outlive this
  /// object.
  void connect(std::vector<BankInterface*> banks);

  /// No room for another read (write).
  bool full(bool write) const { return queue_.full(write); }
  const DramQueue& queue() const { return queue_; }
  /// Adds a request that arrived in cycle request.arrival; not full(). It is considered from the next call of cycle().
  void add(const DramRequest& request);
  /// A read reply left the return queue.
  void returned();
  /// Issues the commands due in cycle now, which increases from call to call. Returns the next active cycle (kNever:
  /// none until something is added or returned). Appends completions.
  Cycle cycle(Cycle now, std::vector<DramCompletion>& completions);
  /// Brings per-cycle counters up to `now`.
  void settle(Cycle now);

  const ChannelCounts& counts() const { return counts_; }
  /// Adds a listener, called after the existing ones.
  void listen(DramCommandListener& listener) { listeners_.push_back(&listener); }

 private:
  /// Banks with requests, a refresh, or a row to close.
  BankSet active() const { return queue_.waiting() | refresh_.banks() | rows_.closing(); }
  BankView view(unsigned bank, Cycle now) const {
    return {queue_, bank, drains_.serves(false), drains_.serves(true), rows_.row(bank), now};
  }
  void choose_queue();
  /// Brings choices, next commands and rules up to date. Returns the banks whose next command may have changed.
  BankSet update(Cycle now) {
    return (dirty_ | stale_) == 0 && returns_.full() == full_ ? BankSet{0} : update_changed(now);
  }
  BankSet update_changed(Cycle now);
  void update_command(unsigned bank);
  void set_command(unsigned bank, DramCommand command, std::uint64_t order, Cycle not_before = 0);
  void set_column(unsigned slot, const DramRequest& request);
  CommandRules rules(BankSet active) const;
  Barred barred(const NextCommands::Planes& may) const;
  void issue(unsigned slot, Cycle now, std::vector<DramCompletion>& completions);
  void after_column(unsigned bank, DramQueue::Id id, Cycle now, std::vector<DramCompletion>& completions);
  void complete(unsigned bank, DramQueue::Id id, Cycle now, std::vector<DramCompletion>& completions);
  void closed(unsigned bank, Cycle now);

  const DramTables& tables_;
  std::vector<BankInterface*> banks_;
  unsigned banks_of_rank_;
  DramQueue queue_;
  BankChoices choices_;
  ChannelCounts counts_;
  OpenRows rows_;
  RefreshPlan refresh_;
  WriteDrains drains_;
  BusTurns turns_;
  OverdueWatch overdue_;
  ReturnQueue returns_;
  SharedTiming shared_;
  NextCommands commands_;
  CommandSearch search_;
  BankSet dirty_ = 0;  // banks whose choice is out of date
  BankSet stale_ = 0;  // banks whose next command is out of date, for the same request
  bool full_ = false;  // whether the return queue was when the rules were made
  Cycle counted_ = 0;
  std::vector<DramCommandListener*> listeners_;
};

}  // namespace heddle::memory
