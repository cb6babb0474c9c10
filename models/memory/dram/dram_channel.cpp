// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/dram_channel.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace heddle::memory {

DramChannel::DramChannel(const DramParameters& parameters, const DramTables& tables, const StatisticsGroup& statistics)
    : tables_(tables),
      banks_(parameters.geometry.banks()),
      banks_of_rank_(parameters.geometry.banks_of_rank()),
      queue_(parameters.queue_entries, parameters.geometry.banks(), parameters.write_queue_entries),
      choices_(make(parameters.scheduler, tables.device, parameters.geometry.banks(), statistics),
               parameters.geometry.banks()),
      counts_(statistics),
      rows_(make(parameters.row_policy, parameters.geometry.banks()), parameters.geometry, counts_.open_cycles),
      refresh_(make(parameters.refresh, tables.device, parameters.geometry.ranks, banks_of_rank_), parameters.geometry),
      drains_(parameters),
      turns_(parameters, tables, choices_.columns_first()),
      overdue_(parameters.age_cap),
      returns_(parameters.return_entries),
      shared_(tables, parameters.geometry),
      search_(commands_, choices_.columns_first()) {
  if (banks_.size() > kMaxBanks) fail(ExitCode::internal, "a memory channel has at most {} banks", kMaxBanks);
}

void DramChannel::connect(std::vector<BankInterface*> banks) {
  if (banks.size() != banks_.size()) {
    fail(ExitCode::internal, "a memory channel of {} banks was given {}", banks_.size(), banks.size());
  }
  banks_ = std::move(banks);
  for (unsigned bank = 0; bank < banks_.size(); ++bank) {
    if (const auto row = banks_[bank]->open_row()) rows_.opened(bank, *row, 0);
  }
}

void DramChannel::add(const DramRequest& request) {
  const unsigned bank = request.bank;
  const auto overlap = queue_.split() && !request.write ? queue_.overlap(request) : WriteOverlap::none;
  if (overlap == WriteOverlap::whole) {
    ++counts_.forwarded;
    returns_.forward(request.token);
    return;
  }
  queue_.add(request, overlap == WriteOverlap::partial);
  overdue_.arrived(request.arrival);
  rows_.keep(bank);
  refresh_.arrived(bank);
  dirty_ |= bank_bit(bank);
}

void DramChannel::returned() {
  if (returns_.leave()) search_.forget();
}

Cycle DramChannel::cycle(Cycle now, std::vector<DramCompletion>& completions) {
  returns_.enter_forwarded(now, completions);
  if (queue_.split()) choose_queue();
  if (overdue_.look(queue_, now)) dirty_ |= bank_bit(queue_[overdue_.request()].bank);
  stale_ |= refresh_.plan(queue_.waiting(), now);
  // 1. Banks whose state changed, or whose policy asked for this cycle, choose a request.
  if (choices_.ask_again() <= now) dirty_ |= choices_.asking(now);
  search_.look_again(update(now), now);
  // 2. Issue one command per command bus, or all legal commands if they occupy no bus.
  const bool no_bus = tables_.device.row_switch_is_one_command;
  if (search_.found() != CommandSearch::kNoSlot) ++counts_.command_cycles;
  for (bool first = true; search_.found() != CommandSearch::kNoSlot; first = false) {
    const bool column = is_column(commands_.command(search_.found()));
    issue(search_.found(), now, completions);
    update(now);
    if (no_bus) {
      search_.look_at_all(now);
      continue;
    }
    if (tables_.device.two_command_buses && first) {
      search_.look_at_all(now, column ? CommandSearch::Look::rows : CommandSearch::Look::columns);
      if (search_.found() != CommandSearch::kNoSlot) continue;
    }
    search_.look_at_all(now + 1);
    break;
  }
  Cycle next = search_.found() != CommandSearch::kNoSlot ? now + 1 : std::min(search_.next(), choices_.ask_again());
  next = std::min(next, std::min(overdue_.next(now), refresh_.next(now)));
  if (queue_.split() && drains_.wants_switch(queue_)) next = now + 1;
  return next;
}

void DramChannel::choose_queue() {
  const WriteDrains::Change change = drains_.choose(queue_);
  if (change.drain_begins) ++counts_.write_drains;
  if (change.switched) dirty_ |= queue_.waiting();
}

BankSet DramChannel::update_changed(Cycle now) {
  full_ = returns_.full();
  const BankSet active = this->active();
  for_each_bank(dirty_ & active & ~refresh_.banks(),
                [&](unsigned bank) { choices_.choose(view(bank, now), overdue_.request()); });
  const BankSet changed = (dirty_ | stale_) & active;
  for_each_bank(changed, [&](unsigned bank) { update_command(bank); });
  dirty_ = stale_ = 0;
  search_.follow(rules(active));
  return changed;
}

/// Determines the next command of a bank: for its refresh, for the request that it serves, or for the row policy.
void DramChannel::update_command(unsigned bank) {
  commands_.clear(bank);
  if ((refresh_.banks() & bank_bit(bank)) != 0) {
    if (const auto command = refresh_.command(bank, rows_)) set_command(bank, *command, 0);
    return;
  }
  const BankChoice& chosen = choices_.chosen(bank);
  if (chosen.first == DramQueue::kNone) {
    constexpr std::uint64_t kLowestPriority = ~std::uint64_t{0};
    if (rows_.close_at(bank) == kNever) return;
    return set_command(bank, DramCommand::precharge, kLowestPriority, rows_.close_at(bank));
  }
  const DramRequest& request = queue_[chosen.first];
  const auto& row = rows_.row(bank);
  if (row && *row == request.row) {
    set_column(NextCommands::slot(bank, 0), request);
    if (turns_.batched() && chosen.other != DramQueue::kNone) {
      set_column(NextCommands::slot(bank, 1), queue_[chosen.other]);
    }
    return;
  }
  const bool opens = !row || tables_.device.row_switch_is_one_command;
  set_command(bank, opens ? DramCommand::activate : DramCommand::precharge, request.order);
}

void DramChannel::set_command(unsigned bank, DramCommand command, std::uint64_t order, Cycle not_before) {
  commands_.set(NextCommands::slot(bank, 0), command, order, std::max(not_before, banks_[bank]->earliest(command)),
                shared_.earliest(bank, command));
}

void DramChannel::set_column(unsigned slot, const DramRequest& request) {
  const DramCommand command = request.write ? DramCommand::write : DramCommand::read;
  commands_.set_column(slot, request, banks_[request.bank]->earliest(command), shared_.earliest(request.bank, command));
}

CommandRules DramChannel::rules(BankSet active) const {
  CommandRules rules;
  rules.may = {active, active & commands_.columns(1)};
  if (full_) {  // the last burst of a read needs an entry; returned() triggers the next call
    for (unsigned plane = 0; plane < NextCommands::kPlanes; ++plane) rules.may[plane] &= ~commands_.last_reads(plane);
  }
  rules.refreshing = refresh_.banks();
  if (overdue_.request() != DramQueue::kNone) rules.overdue = bank_bit(queue_[overdue_.request()].bank);
  rules.writes = turns_.writes();
  rules.barred = barred(rules.may);
  if (rules.barred == Barred::none) {
    rules.turn_back = turns_.turn_back();
    return rules;
  }
  // Requests finishing the previous queue may be of either direction: a read behind a write is in the write queue.
  for (unsigned plane = 0; plane < NextCommands::kPlanes; ++plane) {
    rules.may[plane] &= ~commands_.columns(plane, rules.barred == Barred::writes) | choices_.finishing();
  }
  return rules;
}

/// While a command must go first, bars column commands of the other direction, which would delay it by a bus
/// turnaround. A read held by a full return queue bars nothing, as the reply that frees an entry may depend on a write.
Barred DramChannel::barred(const NextCommands::Planes& may) const {
  const BankSet columns = may[0] & commands_.columns(0);
  if (const auto overdue = overdue_.request(); overdue != DramQueue::kNone) {
    if ((columns & bank_bit(queue_[overdue].bank)) != 0) return queue_[overdue].write ? Barred::reads : Barred::writes;
  }
  if (queue_.split()) {
    if ((choices_.finishing() & columns) == 0) return Barred::none;
    return drains_.serves(true) ? Barred::writes : Barred::reads;
  }
  if (!turns_.over(commands_, may)) return Barred::none;
  return turns_.writes() ? Barred::writes : Barred::reads;
}

void DramChannel::issue(unsigned slot, Cycle now, std::vector<DramCompletion>& completions) {
  const unsigned bank = NextCommands::bank_of(slot);
  const DramCommand command = commands_.command(slot);
  DramQueue::Id id = DramQueue::kNone;
  if ((refresh_.banks() & bank_bit(bank)) == 0) {
    const BankChoice& chosen = choices_.chosen(bank);
    id = NextCommands::plane_of(slot) == 0 ? chosen.first : chosen.other;
  }
  DramRequest* const request = id == DramQueue::kNone ? nullptr : &queue_[id];
  const bool whole_rank = command == DramCommand::precharge_all || command == DramCommand::refresh_all;
  const unsigned first = whole_rank ? bank / banks_of_rank_ * banks_of_rank_ : bank;
  const unsigned last = whole_rank ? first + banks_of_rank_ - 1 : bank;
  std::uint64_t row = 0;
  if (!whole_rank) row = command == DramCommand::activate ? request->row : rows_.row(bank).value_or(0);
  for (unsigned i = first; i <= last; ++i) banks_[i]->issue(command, row, now);
  shared_.issued(command, bank, now);
  for (DramCommandListener* listener : listeners_) listener->commanded(now, command, bank, row, request);
  switch (command) {
    case DramCommand::read:
    case DramCommand::write:
      return after_column(bank, id, now, completions);
    case DramCommand::activate:
      ++counts_.activates;
      request->precharged = request->precharged || rows_.row(bank).has_value();
      request->activated = true;
      rows_.opened(bank, row, now);
      choices_.opened(bank, row, id, now);
      break;
    case DramCommand::precharge:
      ++counts_.precharges;
      if (request != nullptr) request->precharged = true;
      closed(bank, now);
      break;
    case DramCommand::precharge_all:
      ++counts_.rank_precharges;
      for (unsigned i = first; i <= last; ++i) closed(i, now);
      break;
    case DramCommand::refresh_all:
    case DramCommand::refresh_bank:
      ++(whole_rank ? counts_.rank_refreshes : counts_.bank_refreshes);
      dirty_ |= refresh_.refreshed(bank, now);
      break;
  }
  dirty_ |= bank_bit(bank);
}

void DramChannel::closed(unsigned bank, Cycle now) {
  rows_.closed(bank, now);
  choices_.closed(bank);
}

void DramChannel::after_column(unsigned bank, DramQueue::Id id, Cycle now, std::vector<DramCompletion>& completions) {
  DramRequest& request = queue_[id];
  ++(request.write ? counts_.writes : counts_.reads);
  counts_.data_cycles += tables_.device.burst_cycles;
  if (turns_.moved(request.write)) ++counts_.turnarounds;
  ++request.column;
  if (--request.bursts == 0) {
    complete(bank, id, now, completions);
    dirty_ |= bank_bit(bank);
  } else {
    stale_ |= bank_bit(bank);
  }
}

void DramChannel::complete(unsigned bank, DramQueue::Id id, Cycle now, std::vector<DramCompletion>& completions) {
  const DramRequest& request = queue_[id];
  switch (rows_.found(request)) {
    case RowFound::open:
      ++counts_.row_hits;
      break;
    case RowFound::other:
      ++counts_.row_conflicts;
      break;
    case RowFound::closed:
    case RowFound::reclosed:
      ++counts_.row_closed;
      break;
  }
  const Cycle latency = request.write ? tables_.device.write_latency : tables_.device.read_latency;
  const Cycle done = now + latency + tables_.device.burst_cycles;
  completions.push_back({done, request.token, request.write});
  if (!request.write) returns_.enter();
  choices_.served(view(bank, now), id, done);
  drains_.served(queue_, id);
  turns_.served();
  queue_.remove(id);
  if (overdue_.served(id, queue_, now)) ++counts_.overdue;
  if (queue_.empty(bank)) refresh_.emptied(bank, queue_.waiting(), now);
  rows_.left(view(bank, now));
}

void DramChannel::settle(Cycle now) {
  counts_.cycles += now - counted_;
  counted_ = now;
  rows_.settle(now);
}

}  // namespace heddle::memory
