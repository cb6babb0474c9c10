// SPDX-License-Identifier: Apache-2.0
#include "memory/dram_channel.h"

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "core/unit.h"

namespace heddle::memory {

void DramParameters::describe(ParameterVisitor& v) {
  geometry.describe(v);
  v("standard", standard, "kind of memory, with its timings");
  v("scheduler", scheduler, "which waiting request a bank serves next");
  v("row_policy", row_policy, "when a row is closed");
  v("queue_entries", queue_entries, "requests a controller holds and chooses from", unit::kRequests, range(1, 4096));
  v("return_entries", return_entries, "replies to reads that may wait or be on their way", unit::kReplies,
    range(1, 4096));
}

void DramParameters::check(ParameterChecks& checks) const { geometry.check(checks); }

DramTables::DramTables(const DramDevice& part) : device(part) {
  for (unsigned level = 0; level < kDramLevels; ++level) {
    levels[level] = TimingRules(device.constraints, static_cast<DramLevel>(level));
  }
  for (const DramConstraint& constraint : device.constraints) {
    if (constraint.level == DramLevel::kBank || constraint.latency == 0) continue;
    if (constraint.window > 1) {
      windows = true;
      continue;
    }
    const auto apply = [&](Distances& distances) {
      for (DramCommand before : constraint.preceding) {
        for (DramCommand after : constraint.following) {
          Cycle& distance = distances[static_cast<unsigned>(before)][static_cast<unsigned>(after)];
          distance = std::max(distance, constraint.latency);
        }
      }
    };
    switch (constraint.level) {
      case DramLevel::kChannel:
        apply(same_group);
        apply(same_rank);
        apply(other_rank);
        break;
      case DramLevel::kRank:
        if (constraint.sibling) {
          apply(other_rank);
        } else {
          apply(same_group);
          apply(same_rank);
        }
        break;
      case DramLevel::kBankGroup:
        apply(constraint.sibling ? same_rank : same_group);
        break;
      case DramLevel::kBank:
        break;
    }
  }
}

DramChannel::Counts::Counts(const StatisticsGroup& s)
    : activates(s, "activates", "rows opened", unit::kCommands),
      precharges(s, "precharges", "rows closed by a command of their own", unit::kCommands),
      reads(s, "reads", "read column commands, one burst each", unit::kCommands),
      writes(s, "writes", "write column commands, one burst each", unit::kCommands),
      row_hits(s, "row_hits", "requests that found their row open", unit::kRequests),
      row_closed(s, "row_closed", "requests that found no row open in their bank", unit::kRequests),
      row_conflicts(s, "row_conflicts", "requests for which another row was closed first", unit::kRequests),
      data_cycles(s, "data_cycles", "cycles in which the data bus moved a burst", unit::kCycles) {
  Derived(s, "row_hit_rate", "share of requests that found their row open", unit::kRatio,
          [this](const StatisticsView& v) {
            return StatisticsView::ratio(v[row_hits], v[row_hits] + v[row_closed] + v[row_conflicts]);
          });
}

DramChannel::DramChannel(const DramParameters& parameters, const DramTables& tables, const StatisticsGroup& statistics)
    : tables_(tables),
      geometry_(parameters.geometry),
      scheduler_(make(parameters.scheduler, geometry_.banks())),
      row_policy_(make(parameters.row_policy, geometry_.banks())),
      queue_(parameters.queue_entries, geometry_.banks()),
      return_entries_(parameters.return_entries),
      channel_(tables.level(DramLevel::kChannel)),
      ranks_(geometry_.ranks, TimingNode(tables.level(DramLevel::kRank))),
      groups_(std::size_t{geometry_.ranks} * geometry_.bank_groups, TimingNode(tables.level(DramLevel::kBankGroup))),
      work_(geometry_.banks()),
      commands_(geometry_.banks(), DramCommand::kPrecharge),
      legal_(geometry_.banks(), kNever),
      permitted_(geometry_.banks()),
      orders_(geometry_.banks()),
      shared_(groups_.size()),
      counts_(statistics) {
  if (!scheduler_ || !row_policy_ || geometry_.banks() > 64) {
    fail(ExitCode::kInternal, "a memory channel needs its policies and 1 to 64 banks");
  }
  columns_first_ = scheduler_->columns_first();
}

void DramChannel::connect(std::vector<BankInterface*> banks) {
  if (banks.size() != geometry_.banks()) {
    fail(ExitCode::kInternal, "a memory channel of {} banks was given {}", geometry_.banks(), banks.size());
  }
  banks_ = std::move(banks);
  for (unsigned bank = 0; bank < banks_.size(); ++bank) work_[bank].row = banks_[bank]->open_row();
}

void DramChannel::add(const DramRequest& request) {
  const auto id = queue_.add(request);
  const unsigned bank = queue_[id].bank;
  active_ |= std::uint64_t{1} << bank;
  dirty_ |= std::uint64_t{1} << bank;
  work_[bank].close_at = kNever;
}

void DramChannel::returned() {
  if (returning_-- == return_entries_) found_by_ = kNever;
}

Cycle DramChannel::cycle(Cycle now, std::vector<Completion>& completions) {
  // 1. Banks whose situation changed, or that asked for this cycle, choose a request.
  if (ask_again_ <= now) {
    for (unsigned bank = 0; bank < work_.size(); ++bank) {
      if (work_[bank].ask_again <= now) dirty_ |= std::uint64_t{1} << bank;
    }
  }
  look_again(settle_changed(now), now);
  // 2. One command a cycle on the command bus, or as many as are legal where commands cost no bus.
  const bool no_bus = tables_.device.row_switch_is_one_command;
  while (found_ != kNoBank) {
    issue({found_, commands_[found_], work_[found_].chosen}, now, completions);
    settle_changed(now);
    look_at_all(no_bus ? now : now + 1);
    if (!no_bus) break;
  }
  return found_ != kNoBank ? now + 1 : std::min(next_, ask_again_);
}

std::uint64_t DramChannel::settle_changed(Cycle now) {
  for (std::uint64_t banks = dirty_ & active_; banks != 0; banks &= banks - 1) {
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
  work.chosen = queue_.empty(bank) ? DramQueue::kNone : scheduler_->choose(view(bank, now), work.ask_again);
  if (!asked && work.ask_again == kNever) return;
  ask_again_ = kNever;
  for (const BankWork& other : work_) ask_again_ = std::min(ask_again_, other.ask_again);
}

/// The command that a bank's choice calls for.
void DramChannel::settle(unsigned bank) {
  const BankWork& work = work_[bank];
  const std::uint64_t bit = std::uint64_t{1} << bank;
  columns_ &= ~bit;
  last_reads_ &= ~bit;
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
      columns_ |= bit;
      if (!request.write && request.bursts == 1) last_reads_ |= bit;
      command = request.write ? DramCommand::kWrite : DramCommand::kRead;
    } else if (!work.row || tables_.device.row_switch_is_one_command) {
      command = DramCommand::kActivate;
    }
  }
  commands_[bank] = command;
  legal_[bank] = std::max(not_before, banks_[bank]->earliest(command));
  permitted_[bank] = &shared_[bank / geometry_.banks_per_group][static_cast<unsigned>(command)];
}

void DramChannel::look_at_all(Cycle by) {
  found_ = kNoBank;
  found_by_ = by;
  next_ = kNever;
  consider(active_, by);
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
  if (returning_ == return_entries_) banks &= ~last_reads_;
  std::uint64_t ready = found_ != kNoBank ? std::uint64_t{1} << found_ : 0;
  Cycle next = next_;
  for (; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    if (legal_[bank] == kNever) continue;
    const Cycle legal = std::max(legal_[bank], *permitted_[bank]);
    if (legal <= by) {
      ready |= std::uint64_t{1} << bank;
    } else {
      next = std::min(next, legal);
    }
  }
  next_ = next;
  if (columns_first_ && (ready & columns_) != 0) ready &= columns_;
  for (std::uint64_t best = ~std::uint64_t{0}; ready != 0; ready &= ready - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(ready));
    if (orders_[bank] > best) continue;
    best = orders_[bank];
    found_ = bank;
  }
}

/// Brings shared_ up to date.
void DramChannel::note(DramCommand command, unsigned bank, Cycle now) {
  const unsigned group = bank / geometry_.banks_per_group;
  const unsigned first_of_rank = group / geometry_.bank_groups * geometry_.bank_groups;
  const auto number = static_cast<unsigned>(command);
  for (unsigned other = 0; other < shared_.size(); ++other) {
    const bool beside = other - first_of_rank < geometry_.bank_groups;
    const auto& distances = other == group ? tables_.same_group : beside ? tables_.same_rank : tables_.other_rank;
    for (unsigned c = 0; c < kDramCommands; ++c) {
      const Cycle distance = distances[number][c];
      if (distance != 0) shared_[other][c] = std::max(shared_[other][c], now + distance);
    }
  }
  if (tables_.windows) note_windows(command, bank, now);
}

void DramChannel::note_windows(DramCommand command, unsigned bank, Cycle now) {
  const unsigned group = bank / geometry_.banks_per_group;
  const unsigned rank = group / geometry_.bank_groups;
  groups_[group].issued(command, now);
  ranks_[rank].issued(command, now);
  channel_.issued(command, now);
  for (unsigned other = 0; other < ranks_.size(); ++other) {
    if (other != rank) ranks_[other].issued_beside(command, now);
  }
  for (unsigned other = rank * geometry_.bank_groups; other < (rank + 1) * geometry_.bank_groups; ++other) {
    if (other != group) groups_[other].issued_beside(command, now);
  }
  for (unsigned other = 0; other < groups_.size(); ++other) {
    const TimingNode& its_rank = ranks_[other / geometry_.bank_groups];
    for (unsigned c = 0; c < kDramCommands; ++c) {
      const auto following = static_cast<DramCommand>(c);
      shared_[other][c] = std::max({shared_[other][c], groups_[other].earliest(following), its_rank.earliest(following),
                                    channel_.earliest(following)});
    }
  }
}

void DramChannel::issue(const Candidate& candidate, Cycle now, std::vector<Completion>& completions) {
  const unsigned bank = candidate.bank;
  DramRequest* request = candidate.request == DramQueue::kNone ? nullptr : &queue_[candidate.request];
  const bool was_open = work_[bank].row.has_value();
  banks_[bank]->issue(candidate.command, request != nullptr ? request->row : 0, now);
  if (candidate.command == DramCommand::kActivate) work_[bank].row = request->row;
  if (candidate.command == DramCommand::kPrecharge) work_[bank].row.reset();
  note(candidate.command, bank, now);
  if (listener_ != nullptr) {
    listener_->commanded(now, candidate.command, bank, work_[bank].row.value_or(0), request);
  }
  dirty_ |= std::uint64_t{1} << bank;
  switch (candidate.command) {
    case DramCommand::kActivate:
      ++counts_.activates;
      request->activated = true;
      request->precharged = request->precharged || was_open;
      break;
    case DramCommand::kPrecharge:
      ++counts_.precharges;
      work_[bank].close_at = kNever;
      if (request != nullptr) request->precharged = true;
      if (queue_.empty(bank)) active_ &= ~(std::uint64_t{1} << bank);
      break;
    case DramCommand::kRead:
    case DramCommand::kWrite:
      after_column(candidate, now, completions);
      break;
  }
}

void DramChannel::after_column(const Candidate& candidate, Cycle now, std::vector<Completion>& completions) {
  const unsigned bank = candidate.bank;
  DramRequest& request = queue_[candidate.request];
  const bool write = request.write;
  ++(write ? counts_.writes : counts_.reads);
  counts_.data_cycles += tables_.device.burst_cycles;
  ++request.column;
  if (--request.bursts != 0) {
    dirty_ &= ~(std::uint64_t{1} << bank);
    stale_ |= std::uint64_t{1} << bank;
    return;
  }

  ++(request.precharged ? counts_.row_conflicts : request.activated ? counts_.row_closed : counts_.row_hits);
  const Cycle latency = write ? tables_.device.write_latency : tables_.device.read_latency;
  completions.push_back({now + latency + tables_.device.burst_cycles, request.token, write});
  if (!write) ++returning_;
  scheduler_->served(request, now);
  queue_.remove(candidate.request);

  // Nobody waits for this row any more: the row policy says how long it stays.
  const std::uint64_t row = *work_[bank].row;
  bool wanted = false;
  for (auto id = queue_.first(bank); id != DramQueue::kNone && !wanted; id = queue_.next(id)) {
    wanted = queue_[id].row == row;
  }
  work_[bank].close_at = wanted ? kNever : row_policy_->close_at(view(bank, now));
  if (queue_.empty(bank) && work_[bank].close_at == kNever) active_ &= ~(std::uint64_t{1} << bank);
}

}  // namespace heddle::memory
