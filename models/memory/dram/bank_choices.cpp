// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/bank_choices.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace heddle::memory {

BankChoices::BankChoices(std::unique_ptr<DramScheduler> scheduler, unsigned banks)
    : scheduler_(std::move(scheduler)), banks_(banks) {
  if (!scheduler_) fail(ExitCode::internal, "a memory channel needs a scheduler");
}

void BankChoices::choose(const BankView& view, DramQueue::Id overdue) {
  const DramQueue& queue = view.queue;
  Bank& bank = banks_[view.bank];
  const bool asked = bank.ask_again != kNever;
  bank.ask_again = kNever;
  finishing_ &= ~bank_bit(view.bank);
  if (overdue != DramQueue::kNone && queue[overdue].bank == view.bank) {
    bank.chosen = {overdue};
  } else if (queue.split() && bank.opened_for != DramQueue::kNone &&
             !(queue.among_writes(bank.opened_for) ? view.writes : view.reads)) {
    bank.chosen = {bank.opened_for};
    finishing_ |= bank_bit(view.bank);
  } else if (view.oldest() == DramQueue::kNone) {
    bank.chosen = {};
  } else {
    bank.chosen = scheduler_->choose(view, bank.ask_again);
  }
  if (!asked && bank.ask_again == kNever) return;
  ask_again_ = kNever;
  for (const Bank& other : banks_) ask_again_ = std::min(ask_again_, other.ask_again);
}

BankSet BankChoices::asking(Cycle now) const {
  BankSet banks = 0;
  for (unsigned bank = 0; bank < banks_.size(); ++bank) {
    if (banks_[bank].ask_again <= now) banks |= bank_bit(bank);
  }
  return banks;
}

void BankChoices::served(const BankView& view, DramQueue::Id request, Cycle done) {
  scheduler_->served(view, view.queue[request], done);
  Bank& bank = banks_[view.bank];
  if (request == bank.opened_for) bank.opened_for = DramQueue::kNone;
  bank.chosen = {};
}

}  // namespace heddle::memory
