// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/refresh_plan.h"

#include <algorithm>
#include <utility>

namespace heddle::memory {

RefreshPlan::RefreshPlan(std::unique_ptr<RefreshPolicy> policy, const ChannelGeometry& geometry)
    : policy_(std::move(policy)), banks_of_rank_(geometry.banks_of_rank()), ranks_(geometry.ranks) {
  if (policy_) command_ = policy_->command();
}

BankSet RefreshPlan::ask(BankSet waiting, Cycle now) {
  BankSet reserved = 0;
  for (unsigned number = 0; number < ranks_.size(); ++number) {
    Rank& rank = ranks_[number];
    if (rank.target) continue;
    rank.ask_again = kNever;
    const BankSet of_rank = (waiting & banks_of(number)) >> (number * banks_of_rank_);
    const auto due = policy_->due({number, of_rank, rank.idle_since, now}, rank.ask_again);
    if (!due) continue;
    rank.target = number * banks_of_rank_ + *due;
    reserved |= refreshed_with(*rank.target);
  }
  reserved_ |= reserved;
  return reserved;
}

Cycle RefreshPlan::next_ask(Cycle now) const {
  Cycle next = kNever;
  for (const Rank& rank : ranks_) {
    if (!rank.target) next = std::min(next, std::max(rank.ask_again, now + 1));
  }
  return next;
}

std::optional<DramCommand> RefreshPlan::command(unsigned bank, const OpenRows& rows) const {
  const unsigned rank = bank / banks_of_rank_;
  if (ranks_[rank].target != bank) return std::nullopt;
  if (*command_ == DramCommand::refresh_all) return rows.any(rank) ? DramCommand::precharge_all : command_;
  return rows.row(bank) ? DramCommand::precharge : command_;
}

BankSet RefreshPlan::refreshed(unsigned bank, Cycle now) {
  Rank& rank = rank_of(bank);
  policy_->refreshed(bank / banks_of_rank_, bank % banks_of_rank_, now);
  rank.target.reset();
  rank.ask_again = now + 1;
  const BankSet released = refreshed_with(bank);
  reserved_ &= ~released;
  return released;
}

void RefreshPlan::emptied(unsigned bank, BankSet waiting, Cycle now) {
  Rank& rank = rank_of(bank);
  if ((waiting & banks_of(bank / banks_of_rank_)) == 0) rank.idle_since = now;
  rank.ask_again = now + 1;
}

}  // namespace heddle::memory
