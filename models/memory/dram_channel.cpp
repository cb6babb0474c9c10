// SPDX-License-Identifier: Apache-2.0
#include "memory/dram_channel.h"

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "core/unit.h"

namespace heddle::memory {

DramChannel::Counts::Counts(const StatisticsGroup& s)
    : activates(s, "activates", "rows opened", unit::kCommands),
      precharges(s, "precharges", "rows closed by a command of their own", unit::kCommands),
      rank_precharges(s, "rank_precharges", "commands that close every row of a rank", unit::kCommands),
      reads(s, "reads", "read column commands, one burst each", unit::kCommands),
      writes(s, "writes", "write column commands, one burst each", unit::kCommands),
      rank_refreshes(s, "rank_refreshes", "refreshes of all banks of a rank", unit::kCommands),
      bank_refreshes(s, "bank_refreshes", "refreshes of one bank", unit::kCommands),
      row_hits(s, "row_hits", "requests that found their row open", unit::kRequests),
      row_closed(s, "row_closed", "requests that found no row open in their bank", unit::kRequests),
      row_conflicts(s, "row_conflicts", "requests for which another row was closed first", unit::kRequests),
      forwarded(s, "forwarded", "reads answered from the queue of writes", unit::kRequests),
      data_cycles(s, "data_cycles", "cycles in which the data bus moved a burst", unit::kCycles),
      command_cycles(s, "command_cycles", "cycles in which a command went out", unit::kCycles),
      write_drains(s, "write_drains", "times writes began to go before reads", unit::kEvents),
      turnarounds(s, "turnarounds", "times the data bus changed direction", unit::kEvents),
      open_cycles(s, "open_cycles", "cycles with a row open, summed over ranks", unit::kCycles),
      cycles(s, "cycles", "cycles of the command clock", unit::kCycles) {
  Derived(s, "row_hit_rate", "share of requests that found their row open", unit::kRatio,
          [this](const StatisticsView& v) {
            return StatisticsView::ratio(v[row_hits], v[row_hits] + v[row_closed] + v[row_conflicts]);
          });
  Derived(s, "bus_utilisation", "share of cycles in which the data bus moved a burst", unit::kRatio,
          [this](const StatisticsView& v) { return StatisticsView::ratio(v[data_cycles], v[cycles]); });
  Derived(s, "command_bus_utilisation", "share of cycles in which a command went out", unit::kRatio,
          [this](const StatisticsView& v) { return StatisticsView::ratio(v[command_cycles], v[cycles]); });
}

DramChannel::DramChannel(const DramParameters& parameters, const DramTables& tables, const StatisticsGroup& statistics)
    : tables_(tables),
      geometry_(parameters.geometry),
      scheduler_(make(parameters.scheduler, tables.device, geometry_.banks(), statistics)),
      row_policy_(make(parameters.row_policy, geometry_.banks())),
      refresh_(make(parameters.refresh, tables.device, geometry_.ranks, geometry_.banks() / geometry_.ranks)),
      queue_(parameters.queue_entries, geometry_.banks(), parameters.write_queue_entries),
      drain_high_(parameters.write_drain_high),
      drain_low_(parameters.write_drain_low),
      return_entries_(parameters.return_entries),
      shared_(tables, geometry_),
      work_(geometry_.banks()),
      ranks_(geometry_.ranks),
      commands_(geometry_.banks(), DramCommand::kPrecharge),
      legal_(geometry_.banks(), kNever),
      permitted_(geometry_.banks()),
      orders_(geometry_.banks()),
      counts_(statistics) {
  if (!scheduler_ || !row_policy_ || geometry_.banks() > 64) {
    fail(ExitCode::kInternal, "a memory channel needs its policies and 1 to 64 banks");
  }
  if (refresh_ && !refresh_->command()) refresh_.reset();
  columns_first_ = scheduler_->columns_first();
}

void DramChannel::connect(std::vector<BankInterface*> banks) {
  if (banks.size() != geometry_.banks()) {
    fail(ExitCode::kInternal, "a memory channel of {} banks was given {}", geometry_.banks(), banks.size());
  }
  banks_ = std::move(banks);
  for (unsigned bank = 0; bank < banks_.size(); ++bank) work_[bank].row = banks_[bank]->open_row();
}

std::uint64_t DramChannel::mask_of_rank(unsigned rank) const {
  const unsigned banks = banks_of_rank();
  return (banks == 64 ? ~std::uint64_t{0} : bit(banks) - 1) << (rank * banks);
}

void DramChannel::add(const DramRequest& request) {
  const unsigned bank = request.bank;
  bool behind = false, forward = false;
  if (queue_.split() && !request.write) behind = behind_a_write(request, forward);
  if (forward) {
    ++counts_.forwarded;
    forwarded_.push_back({request.arrival, request.token, false});
    return;
  }
  queue_.add(request, behind);
  if (behind) ++must_follow_;
  active_ |= bit(bank);
  dirty_ |= bit(bank);
  waiting_ |= bit(bank);
  work_[bank].close_at = kNever;
  ranks_[bank / banks_of_rank()].idle_since = kNever;
}

/// Whether a queued write shares a burst with the read. forward: the youngest such write has all bytes of the read.
bool DramChannel::behind_a_write(const DramRequest& request, bool& forward) const {
  bool behind = false;
  for (auto id = queue_.first(queue_.list(request.bank, true)); id != DramQueue::kNone; id = queue_.next(id)) {
    const DramRequest& other = queue_[id];
    const bool apart = other.row != request.row || other.column + other.bursts <= request.column ||
                       request.column + request.bursts <= other.column;
    if (apart) continue;
    behind = true;
    forward = other.write && other.whole && other.column <= request.column &&
              request.column + request.bursts <= other.column + other.bursts;
  }
  return behind;
}

void DramChannel::returned() {
  if (returning_-- == return_entries_) found_by_ = kNever;
}

Cycle DramChannel::cycle(Cycle now, std::vector<Completion>& completions) {
  if (!forwarded_.empty()) {
    for (Completion& read : forwarded_) completions.push_back({now, read.token, false});
    returning_ += static_cast<unsigned>(forwarded_.size());
    forwarded_.clear();
  }
  if (queue_.split()) turn();
  if (refresh_) plan_refresh(now);
  // 1. Banks whose situation changed, or that asked for this cycle, choose a request.
  if (ask_again_ <= now) {
    for (unsigned bank = 0; bank < work_.size(); ++bank) {
      if (work_[bank].ask_again <= now) dirty_ |= bit(bank);
    }
  }
  look_again(settle_changed(now), now);
  // 2. One command a cycle on the command bus, one on each of two, or as many as are legal where commands cost no bus.
  const bool no_bus = tables_.device.row_switch_is_one_command;
  if (found_ != kNoBank) ++counts_.command_cycles;
  for (bool first = true; found_ != kNoBank; first = false) {
    const bool column = ((columns_ >> found_) & 1) != 0;
    issue(found_, now, completions);
    settle_changed(now);
    if (no_bus) {
      look_at_all(now);
      continue;
    }
    if (tables_.device.two_command_buses && first) {
      look_at_all(now, column ? ~columns_ : columns_);
      if (found_ != kNoBank) continue;
    }
    look_at_all(now + 1);
    break;
  }
  Cycle next = found_ != kNoBank ? now + 1 : std::min(next_, ask_again_);
  if (queue_.split() && wants_writes() != serves_writes_) next = now + 1;
  if (refresh_) {
    for (const RankWork& rank : ranks_) {
      if (rank.target) continue;
      next = std::min(next, std::max(rank.ask_again, now + 1));
    }
  }
  return next;
}

/// Writes are served from the high mark down to the low one, while a read must follow one, and while no others wait.
bool DramChannel::drains() const {
  return must_follow_ != 0 || queue_.writes() >= drain_high_ || (draining_ && queue_.writes() > drain_low_);
}

bool DramChannel::wants_writes() const { return queue_.writes() != 0 && (drains() || queue_.reads() == 0); }

void DramChannel::turn() {
  const bool writes = wants_writes(), drains_now = drains();
  if (drains_now && !draining_) ++counts_.write_drains;
  draining_ = drains_now;
  if (writes == serves_writes_) return;
  serves_writes_ = writes;
  dirty_ |= waiting_;
}

void DramChannel::plan_refresh(Cycle now) {
  const unsigned banks = banks_of_rank();
  const bool all = *refresh_->command() == DramCommand::kRefreshAll;
  for (unsigned number = 0; number < ranks_.size(); ++number) {
    RankWork& rank = ranks_[number];
    if (rank.target) continue;
    rank.ask_again = kNever;
    const std::uint64_t waiting = (waiting_ & mask_of_rank(number)) >> (number * banks);
    const auto due = refresh_->due({number, waiting, rank.idle_since, now}, rank.ask_again);
    if (!due) continue;
    rank.target = number * banks + *due;
    const std::uint64_t mask = all ? mask_of_rank(number) : bit(*rank.target);
    refreshing_ |= mask;
    active_ |= mask;
    stale_ |= mask;
  }
}

std::uint64_t DramChannel::settle_changed(Cycle now) {
  for (std::uint64_t banks = dirty_ & active_ & ~refreshing_; banks != 0; banks &= banks - 1) {
    choose(static_cast<unsigned>(std::countr_zero(banks)), now);
  }
  const std::uint64_t changed = (dirty_ | stale_) & active_;
  for (std::uint64_t banks = changed; banks != 0; banks &= banks - 1) {
    settle(static_cast<unsigned>(std::countr_zero(banks)));
  }
  dirty_ = stale_ = 0;
  return changed;
}

void DramChannel::choose(unsigned bank, Cycle now) {
  BankWork& work = work_[bank];
  const bool asked = work.ask_again != kNever;
  work.ask_again = kNever;
  const bool none = queue_.first(queue_.list(bank, serves_writes_)) == DramQueue::kNone;
  work.chosen = none ? DramQueue::kNone : scheduler_->choose(view(bank, now), work.ask_again);
  if (!asked && work.ask_again == kNever) return;
  ask_again_ = kNever;
  for (const BankWork& other : work_) ask_again_ = std::min(ask_again_, other.ask_again);
}

/// The command that a bank's choice calls for.
void DramChannel::settle(unsigned bank) {
  const BankWork& work = work_[bank];
  columns_ &= ~bit(bank);
  last_reads_ &= ~bit(bank);
  if ((refreshing_ & bit(bank)) != 0) return settle_refresh(bank);
  DramCommand command = DramCommand::kPrecharge;
  Cycle not_before = 0;
  if (work.chosen == DramQueue::kNone) {
    legal_[bank] = kNever;
    if (work.close_at == kNever) return;
    orders_[bank] = ~std::uint64_t{0};  // closing a row nobody waits for goes last
    not_before = work.close_at;
  } else {
    const DramRequest& request = queue_[work.chosen];
    orders_[bank] = request.order;
    if (work.row && *work.row == request.row) {
      columns_ |= bit(bank);
      if (!request.write && request.bursts == 1) last_reads_ |= bit(bank);
      command = request.write ? DramCommand::kWrite : DramCommand::kRead;
    } else if (!work.row || tables_.device.row_switch_is_one_command) {
      command = DramCommand::kActivate;
    }
  }
  commands_[bank] = command;
  legal_[bank] = std::max(not_before, banks_[bank]->earliest(command));
  permitted_[bank] = &shared_.earliest(bank, command);
}

/// Of a rank that is refreshed as a whole, its first bank speaks for all.
void DramChannel::settle_refresh(unsigned bank) {
  const RankWork& rank = ranks_[bank / banks_of_rank()];
  legal_[bank] = kNever;
  if (rank.target != bank) return;
  DramCommand command = *refresh_->command();
  if (command == DramCommand::kRefreshAll) {
    if (rank.open_rows != 0) command = DramCommand::kPrechargeAll;
  } else if (work_[bank].row) {
    command = DramCommand::kPrecharge;
  }
  commands_[bank] = command;
  orders_[bank] = 0;
  legal_[bank] = banks_[bank]->earliest(command);
  permitted_[bank] = &shared_.earliest(bank, command);
}

void DramChannel::look_at_all(Cycle by, std::uint64_t banks) {
  found_ = kNoBank;
  found_by_ = by;
  next_ = kNever;
  consider(active_ & banks, by);
}

void DramChannel::look_again(std::uint64_t banks, Cycle by) {
  // What was found for an earlier cycle holds while no other command has become legal.
  const bool holds = found_by_ != kNever && (found_ != kNoBank ? found_by_ == by : by < next_);
  if (!holds || (found_ != kNoBank && ((banks >> found_) & 1) != 0)) {
    look_at_all(by);
  } else {
    found_by_ = by;
    consider(banks, by);
  }
}

void DramChannel::consider(std::uint64_t banks, Cycle by) {
  // The last burst of a read needs a place in the return queue; returned() brings the next call.
  if (returning_ >= return_entries_) banks &= ~last_reads_;
  std::uint64_t ready = found_ != kNoBank ? bit(found_) : 0;
  Cycle next = next_;
  for (; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    if (legal_[bank] == kNever) continue;
    const Cycle legal = std::max(legal_[bank], *permitted_[bank]);
    if (legal <= by) {
      ready |= bit(bank);
    } else {
      next = std::min(next, legal);
    }
  }
  next_ = next;
  // Refresh waits for nothing that others want.
  const std::uint64_t first = (ready & refreshing_) != 0 ? refreshing_ : columns_;
  if ((columns_first_ || first == refreshing_) && (ready & first) != 0) ready &= first;
  for (std::uint64_t best = ~std::uint64_t{0}; ready != 0; ready &= ready - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(ready));
    if (orders_[bank] > best) continue;
    best = orders_[bank];
    found_ = bank;
  }
}

void DramChannel::issue(unsigned bank, Cycle now, std::vector<Completion>& completions) {
  const DramCommand command = commands_[bank];
  const bool for_refresh = (refreshing_ & bit(bank)) != 0;
  DramRequest* request = for_refresh || work_[bank].chosen == DramQueue::kNone ? nullptr : &queue_[work_[bank].chosen];
  const bool whole_rank = command == DramCommand::kPrechargeAll || command == DramCommand::kRefreshAll;
  const std::uint64_t row = command == DramCommand::kActivate ? request->row : work_[bank].row.value_or(0);
  if (whole_rank) {
    const unsigned first = bank / banks_of_rank() * banks_of_rank();
    for (unsigned i = first; i < first + banks_of_rank(); ++i) banks_[i]->issue(command, 0, now);
  } else {
    banks_[bank]->issue(command, row, now);
  }
  shared_.issued(command, bank, now);
  for (DramCommandListener* listener : listeners_)
    listener->commanded(now, command, bank, whole_rank ? 0 : row, request);
  dirty_ |= bit(bank);
  switch (command) {
    case DramCommand::kActivate:
      ++counts_.activates;
      request->precharged = request->precharged || work_[bank].row.has_value();
      request->activated = true;
      opened(bank, request->row, now);
      break;
    case DramCommand::kPrecharge:
      ++counts_.precharges;
      closed(bank, now);
      if (request != nullptr) request->precharged = true;
      if (queue_.empty(bank) && !for_refresh) active_ &= ~bit(bank);
      break;
    case DramCommand::kRead:
    case DramCommand::kWrite:
      after_column(bank, now, completions);
      break;
    case DramCommand::kPrechargeAll: {
      ++counts_.rank_precharges;
      const unsigned first = bank / banks_of_rank() * banks_of_rank();
      for (unsigned i = first; i < first + banks_of_rank(); ++i) closed(i, now);
      break;
    }
    case DramCommand::kRefreshAll:
    case DramCommand::kRefreshBank:
      refreshed(bank, command, now);
      break;
  }
}

void DramChannel::opened(unsigned bank, std::uint64_t row, Cycle now) {
  RankWork& rank = ranks_[bank / banks_of_rank()];
  if (!work_[bank].row && rank.open_rows++ == 0) rank.open_since = now;
  work_[bank].row = row;
  scheduler_->activated(bank, row, now);
}

void DramChannel::closed(unsigned bank, Cycle now) {
  BankWork& work = work_[bank];
  work.close_at = kNever;
  if (!work.row) return;
  RankWork& rank = ranks_[bank / banks_of_rank()];
  if (--rank.open_rows == 0) counts_.open_cycles += now - rank.open_since;
  work.last_row = work.row;
  work.row.reset();
}

void DramChannel::refreshed(unsigned bank, DramCommand command, Cycle now) {
  const bool all = command == DramCommand::kRefreshAll;
  const unsigned number = bank / banks_of_rank();
  ++(all ? counts_.rank_refreshes : counts_.bank_refreshes);
  refresh_->refreshed(number, bank % banks_of_rank(), now);
  ranks_[number].target.reset();
  ranks_[number].ask_again = now + 1;
  const std::uint64_t banks = all ? mask_of_rank(number) : bit(bank);
  refreshing_ &= ~banks;
  active_ &= ~banks | waiting_;
  dirty_ |= banks;
}

void DramChannel::after_column(unsigned bank, Cycle now, std::vector<Completion>& completions) {
  BankWork& work = work_[bank];
  const DramQueue::Id id = work.chosen;
  DramRequest& request = queue_[id];
  const bool write = request.write;
  ++(write ? counts_.writes : counts_.reads);
  counts_.data_cycles += tables_.device.burst_cycles;
  if (write != last_was_write_) ++counts_.turnarounds;
  last_was_write_ = write;
  ++request.column;
  if (--request.bursts != 0) {
    dirty_ &= ~bit(bank);
    stale_ |= bit(bank);
    return;
  }

  ++(request.precharged ? counts_.row_conflicts : request.activated ? counts_.row_closed : counts_.row_hits);
  const bool reclosed = work.last_row && *work.last_row == request.row;
  row_policy_->found(bank, request.precharged   ? RowFound::kOther
                           : !request.activated ? RowFound::kOpen
                           : reclosed           ? RowFound::kReclosed
                                                : RowFound::kClosed);
  const Cycle done =
      now + (write ? tables_.device.write_latency : tables_.device.read_latency) + tables_.device.burst_cycles;
  completions.push_back({done, request.token, write});
  if (!write) ++returning_;
  scheduler_->served(view(bank, now), request, done);
  if (queue_.split() && serves_writes_ && !write) --must_follow_;
  queue_.remove(id);
  work.chosen = DramQueue::kNone;
  if (queue_.empty(bank)) {
    const unsigned rank = bank / banks_of_rank();
    waiting_ &= ~bit(bank);
    if ((waiting_ & mask_of_rank(rank)) == 0) ranks_[rank].idle_since = now;
    ranks_[rank].ask_again = now + 1;
  }

  // Nobody waits for this row any more: the row policy says how long it stays.
  const std::uint64_t row = *work.row;
  bool wanted = false;
  for (const bool writes : {false, true}) {
    if (writes && !queue_.split()) break;
    for (auto other = queue_.first(queue_.list(bank, writes)); other != DramQueue::kNone && !wanted;
         other = queue_.next(other)) {
      wanted = queue_[other].row == row;
    }
  }
  work.close_at = wanted ? kNever : row_policy_->close_at(view(bank, now));
  if (queue_.empty(bank) && work.close_at == kNever) active_ &= ~bit(bank);
}

void DramChannel::settle_counts(Cycle now) {
  counts_.cycles += now - counted_;
  counted_ = now;
  for (RankWork& rank : ranks_) {
    if (rank.open_rows == 0) continue;
    counts_.open_cycles += now - rank.open_since;
    rank.open_since = now;
  }
}

}  // namespace heddle::memory
