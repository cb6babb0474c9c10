// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_channel.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/error.h"
#include "core/unit.h"

namespace heddle::memory {

DramChannel::Counts::Counts(const StatisticsGroup& s)
    : activates(s, "activates", "rows opened", unit::kCommands),
      precharges(s, "precharges", "rows closed by a per-bank precharge", unit::kCommands),
      rank_precharges(s, "rank_precharges", "all-bank precharges of a rank", unit::kCommands),
      reads(s, "reads", "read column commands, one burst each", unit::kCommands),
      writes(s, "writes", "write column commands, one burst each", unit::kCommands),
      rank_refreshes(s, "rank_refreshes", "refreshes of all banks of a rank", unit::kCommands),
      bank_refreshes(s, "bank_refreshes", "refreshes of one bank", unit::kCommands),
      row_hits(s, "row_hits", "requests that found their row open", unit::kRequests),
      row_closed(s, "row_closed", "requests that found no row open in their bank", unit::kRequests),
      row_conflicts(s, "row_conflicts", "requests for which another row was closed first", unit::kRequests),
      forwarded(s, "forwarded", "reads answered from the write queue", unit::kRequests),
      data_cycles(s, "data_cycles", "cycles in which the data bus moved a burst", unit::kCycles),
      command_cycles(s, "command_cycles", "cycles in which a command was issued", unit::kCycles),
      write_drains(s, "write_drains", "times writes gained priority over reads", unit::kEvents),
      turnarounds(s, "turnarounds", "times the data bus changed direction", unit::kEvents),
      overdue(s, "overdue", "requests served before all others because they had waited too long", unit::kRequests),
      open_cycles(s, "open_cycles", "cycles with a row open, summed over ranks", unit::kCycles),
      cycles(s, "cycles", "cycles of the command clock", unit::kCycles) {
  Derived(s, "row_hit_rate", "share of requests that found their row open", unit::kRatio,
          [this](const StatisticsView& v) {
            return StatisticsView::ratio(v[row_hits], v[row_hits] + v[row_closed] + v[row_conflicts]);
          });
  Derived(s, "bus_utilisation", "share of cycles in which the data bus moved a burst", unit::kRatio,
          [this](const StatisticsView& v) { return StatisticsView::ratio(v[data_cycles], v[cycles]); });
  Derived(s, "command_bus_utilisation", "share of cycles in which a command was issued", unit::kRatio,
          [this](const StatisticsView& v) { return StatisticsView::ratio(v[command_cycles], v[cycles]); });
}

DramChannel::DramChannel(const DramParameters& parameters, const DramTables& tables, const StatisticsGroup& statistics)
    : tables_(tables),
      geometry_(parameters.geometry),
      scheduler_(make(parameters.scheduler, tables.device, geometry_.banks(), statistics)),
      row_policy_(make(parameters.row_policy, geometry_.banks())),
      refresh_(make(parameters.refresh, tables.device, geometry_.ranks, geometry_.banks() / geometry_.ranks)),
      queue_(parameters.queue_entries, geometry_.banks(), parameters.write_queue_entries),
      batched_(parameters.turns == DramTurns::batched),
      to_low_(parameters.write_mode_to_low),
      turn_cap_(parameters.turn_cap),
      age_cap_(parameters.age_cap != 0 ? parameters.age_cap : kNever),
      drain_high_(parameters.write_drain_high),
      drain_low_(parameters.write_drain_low),
      drain_most_(parameters.write_queue_entries),
      return_entries_(parameters.return_entries),
      shared_(tables, geometry_),
      work_(geometry_.banks()),
      ranks_(geometry_.ranks),
      counts_(statistics) {
  legal_.fill(kNever);
  if (!scheduler_ || !row_policy_ || geometry_.banks() > 64) {
    fail(ExitCode::internal, "a memory channel needs its policies and 1 to 64 banks");
  }
  if (refresh_ && !refresh_->command()) refresh_.reset();
  columns_first_ = scheduler_->columns_first();
  batched_ = batched_ && columns_first_;  // pure age order does not batch
  if (!batched_ || queue_.split()) return;
  for (const bool write : {false, true}) {
    const auto distance = [&](bool before) {
      Cycle longest = 0;
      for (const auto& follow :
           tables.same_rank[static_cast<unsigned>(before ? DramCommand::write : DramCommand::read)]) {
        if (follow.command == (write ? DramCommand::write : DramCommand::read)) longest = follow.distance;
      }
      return longest;
    };
    if (distance(!write) > distance(write)) turn_back_[write] = distance(!write);
  }
}

void DramChannel::connect(std::vector<BankInterface*> banks) {
  if (banks.size() != geometry_.banks()) {
    fail(ExitCode::internal, "a memory channel of {} banks was given {}", geometry_.banks(), banks.size());
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
  if (age_cap_ != kNever) look_for_overdue_ = std::min(look_for_overdue_, request.arrival + age_cap_);
  active_ |= bit(bank);
  dirty_ |= bit(bank);
  waiting_ |= bit(bank);
  work_[bank].close_at = kNever;
  ranks_[bank / banks_of_rank()].idle_since = kNever;
}

/// Whether a queued write shares a burst with the read. forward: the youngest such write supplies all bytes of the
/// read.
bool DramChannel::behind_a_write(const DramRequest& request, bool& forward) const {
  bool behind = false;
  for (auto id = queue_.first(queue_.list(request.bank, true)); id != DramQueue::kNone; id = queue_.next(id)) {
    const DramRequest& other = queue_[id];
    if (!share_bursts(other, request)) continue;
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
  if (look_for_overdue_ <= now) find_overdue(now);
  if (refresh_) plan_refresh(now);
  // 1. Banks whose state changed, or whose policy asked for this cycle, choose a request.
  if (ask_again_ <= now) {
    for (unsigned bank = 0; bank < work_.size(); ++bank) {
      if (work_[bank].ask_again <= now) dirty_ |= bit(bank);
    }
  }
  look_again(settle_changed(now), now);
  // 2. Issue one command per command bus, or all legal commands if they occupy no bus.
  const bool no_bus = tables_.device.row_switch_is_one_command;
  if (found_ != kNoSlot) ++counts_.command_cycles;
  for (bool first = true; found_ != kNoSlot; first = false) {
    const bool column = is_column(commands_[found_]);
    issue(found_, now, completions);
    settle_changed(now);
    if (no_bus) {
      look_at_all(now);
      continue;
    }
    if (tables_.device.two_command_buses && first) {
      look_at_all(now, column ? Look::rows : Look::columns);
      if (found_ != kNoSlot) continue;
    }
    look_at_all(now + 1);
    break;
  }
  Cycle next = found_ != kNoSlot ? now + 1 : std::min(next_, ask_again_);
  if (look_for_overdue_ != kNever) next = std::min(next, std::max(look_for_overdue_, now + 1));
  if (queue_.split() && wants_writes() != serves_writes_) next = now + 1;
  if (refresh_) {
    for (const RankWork& rank : ranks_) {
      if (rank.target) continue;
      next = std::min(next, std::max(rank.ask_again, now + 1));
    }
  }
  return next;
}

void DramChannel::plan_refresh(Cycle now) {
  const unsigned banks = banks_of_rank();
  const bool all = *refresh_->command() == DramCommand::refresh_all;
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
  const Barred was = std::exchange(barred_, barred());
  if (was != barred_) found_by_ = kNever;
  return changed;
}

void DramChannel::choose(unsigned bank, Cycle now) {
  BankWork& work = work_[bank];
  const bool asked = work.ask_again != kNever;
  work.ask_again = kNever;
  finishing_ &= ~bit(bank);
  const BankView seen = view(bank, now);
  if (overdue_ != DramQueue::kNone && queue_[overdue_].bank == bank) {
    work.chosen = {overdue_};
  } else if (queue_.split() && work.opened_for != DramQueue::kNone &&
             queue_.among_writes(work.opened_for) != serves_writes_) {
    work.chosen = {work.opened_for};
    finishing_ |= bit(bank);
  } else if (seen.oldest() == DramQueue::kNone) {
    work.chosen = {};
  } else {
    work.chosen = scheduler_->choose(seen, work.ask_again);
    if (!batched_) work.chosen.other = DramQueue::kNone;
  }
  if (!asked && work.ask_again == kNever) return;
  ask_again_ = kNever;
  for (const BankWork& other : work_) ask_again_ = std::min(ask_again_, other.ask_again);
}

/// Determines the next command for a bank's chosen request.
void DramChannel::settle(unsigned bank) {
  const BankWork& work = work_[bank];
  for (unsigned plane = 0; plane < 2; ++plane) {
    columns_[plane] &= ~bit(bank);
    writes_[plane] &= ~bit(bank);
    last_reads_[plane] &= ~bit(bank);
  }
  if ((refreshing_ & bit(bank)) != 0) return settle_refresh(bank);
  DramCommand command = DramCommand::precharge;
  Cycle not_before = 0;
  if (work.chosen.first == DramQueue::kNone) {
    legal_[bank] = kNever;
    if (work.close_at == kNever) return;
    orders_[bank] = ~std::uint64_t{0};  // closing a row for the row policy has the lowest priority
    not_before = work.close_at;
  } else {
    const DramRequest& request = queue_[work.chosen.first];
    if (work.row && *work.row == request.row) {
      settle_column(bank, request);
      if (work.chosen.other != DramQueue::kNone) settle_column(bank + kSecond, queue_[work.chosen.other]);
      return;
    }
    orders_[bank] = request.order;
    if (!work.row || tables_.device.row_switch_is_one_command) command = DramCommand::activate;
  }
  commands_[bank] = command;
  legal_[bank] = std::max(not_before, banks_[bank]->earliest(command));
  permitted_[bank] = &shared_.earliest(bank, command);
}

void DramChannel::settle_column(unsigned slot, const DramRequest& request) {
  const unsigned bank = request.bank, plane = slot / kSecond;
  const DramCommand command = request.write ? DramCommand::write : DramCommand::read;
  columns_[plane] |= bit(bank);
  if (request.write) writes_[plane] |= bit(bank);
  if (!request.write && request.bursts == 1) last_reads_[plane] |= bit(bank);
  orders_[slot] = request.order;
  commands_[slot] = command;
  legal_[slot] = banks_[bank]->earliest(command);
  permitted_[slot] = &shared_.earliest(bank, command);
}

/// In an all-bank refresh, the first bank of the rank stands for all.
void DramChannel::settle_refresh(unsigned bank) {
  const RankWork& rank = ranks_[bank / banks_of_rank()];
  legal_[bank] = kNever;
  if (rank.target != bank) return;
  DramCommand command = *refresh_->command();
  if (command == DramCommand::refresh_all) {
    if (rank.open_rows != 0) command = DramCommand::precharge_all;
  } else if (work_[bank].row) {
    command = DramCommand::precharge;
  }
  commands_[bank] = command;
  orders_[bank] = 0;
  legal_[bank] = banks_[bank]->earliest(command);
  permitted_[bank] = &shared_.earliest(bank, command);
}

void DramChannel::issue(unsigned slot, Cycle now, std::vector<Completion>& completions) {
  const unsigned bank = slot % kSecond;
  const DramCommand command = commands_[slot];
  const bool for_refresh = (refreshing_ & bit(bank)) != 0;
  const DramQueue::Id id = for_refresh ? DramQueue::kNone : chosen(slot);
  DramRequest* request = id == DramQueue::kNone ? nullptr : &queue_[id];
  const bool whole_rank = command == DramCommand::precharge_all || command == DramCommand::refresh_all;
  const std::uint64_t row = command == DramCommand::activate ? request->row : work_[bank].row.value_or(0);
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
    case DramCommand::activate:
      ++counts_.activates;
      request->precharged = request->precharged || work_[bank].row.has_value();
      request->activated = true;
      opened(bank, request->row, now);
      work_[bank].opened_for = id;
      break;
    case DramCommand::precharge:
      ++counts_.precharges;
      closed(bank, now);
      if (request != nullptr) request->precharged = true;
      if (queue_.empty(bank) && !for_refresh) active_ &= ~bit(bank);
      break;
    case DramCommand::read:
    case DramCommand::write:
      after_column(bank, id, now, completions);
      break;
    case DramCommand::precharge_all: {
      ++counts_.rank_precharges;
      const unsigned first = bank / banks_of_rank() * banks_of_rank();
      for (unsigned i = first; i < first + banks_of_rank(); ++i) closed(i, now);
      break;
    }
    case DramCommand::refresh_all:
    case DramCommand::refresh_bank:
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
  work.opened_for = DramQueue::kNone;
}

void DramChannel::refreshed(unsigned bank, DramCommand command, Cycle now) {
  const bool all = command == DramCommand::refresh_all;
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

void DramChannel::after_column(unsigned bank, DramQueue::Id id, Cycle now, std::vector<Completion>& completions) {
  BankWork& work = work_[bank];
  DramRequest& request = queue_[id];
  const bool write = request.write;
  ++(write ? counts_.writes : counts_.reads);
  counts_.data_cycles += tables_.device.burst_cycles;
  if (write != last_was_write_) {
    ++counts_.turnarounds;
    if (!queue_.split()) served_ = 0;
  }
  last_was_write_ = write;
  ++request.column;
  if (--request.bursts != 0) {
    dirty_ &= ~bit(bank);
    stale_ |= bit(bank);
    return;
  }

  ++(request.precharged ? counts_.row_conflicts : request.activated ? counts_.row_closed : counts_.row_hits);
  const bool reclosed = work.last_row && *work.last_row == request.row;
  row_policy_->found(bank, request.precharged   ? RowFound::other
                           : !request.activated ? RowFound::open
                           : reclosed           ? RowFound::reclosed
                                                : RowFound::closed);
  const Cycle done =
      now + (write ? tables_.device.write_latency : tables_.device.read_latency) + tables_.device.burst_cycles;
  completions.push_back({done, request.token, write});
  if (!write) ++returning_;
  scheduler_->served(view(bank, now), request, done);
  if (!queue_.split() || queue_.reads() != 0) ++served_;
  if (queue_.split() && queue_.among_writes(id) && !write) --must_follow_;
  if (!queue_.among_writes(id) && reads_due_ != 0) --reads_due_;
  if (id == work.opened_for) work.opened_for = DramQueue::kNone;
  queue_.remove(id);
  if (id == overdue_) {
    ++counts_.overdue;
    overdue_ = DramQueue::kNone;
    look_for_overdue_ = now + 1;
  }
  if (queue_.size() == 0) look_for_overdue_ = kNever;
  work.chosen = {};
  if (queue_.empty(bank)) {
    const unsigned rank = bank / banks_of_rank();
    waiting_ &= ~bit(bank);
    if ((waiting_ & mask_of_rank(rank)) == 0) ranks_[rank].idle_since = now;
    ranks_[rank].ask_again = now + 1;
  }

  // If no request waits for this row any more, the row policy decides how long it stays open.
  const std::uint64_t row = *work.row;
  bool wanted = false;
  for (const bool writes : {false, true}) {
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
