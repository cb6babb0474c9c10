// SPDX-License-Identifier: Apache-2.0
// The request that each bank of a channel serves, as its scheduler chose.
#pragma once

#include <memory>
#include <vector>

#include "memory/dram/bank_set.h"
#include "memory/dram/dram_scheduler.h"

namespace heddle::memory {

class BankChoices {
 public:
  BankChoices(std::unique_ptr<DramScheduler> scheduler, unsigned banks);

  /// As of the scheduler.
  bool columns_first() const { return scheduler_->columns_first(); }
  /// Chooses again for a bank. overdue: DramQueue::kNone, or the request that its bank must serve.
  void choose(const BankView& view, DramQueue::Id overdue);
  const BankChoice& chosen(unsigned bank) const { return banks_[bank].chosen; }
  /// Banks that finish a request of a list no longer served, because its row was opened for it.
  BankSet finishing() const { return finishing_; }
  /// Cycle in which a scheduler that asked for it chooses again, the earliest over all banks; kNever: none.
  Cycle ask_again() const { return ask_again_; }
  /// Banks whose scheduler asked to choose again by cycle `now`.
  BankSet asking(Cycle now) const;

  /// A row was opened for a request.
  void opened(unsigned bank, std::uint64_t row, DramQueue::Id request, Cycle now) {
    scheduler_->activated(bank, row, now);
    banks_[bank].opened_for = request;
  }
  void closed(unsigned bank) { banks_[bank].opened_for = DramQueue::kNone; }
  /// A request that is still in the queue was served; its data ends in cycle `done`.
  void served(const BankView& view, DramQueue::Id request, Cycle done);

 private:
  struct Bank {
    BankChoice chosen;
    DramQueue::Id opened_for = DramQueue::kNone;  // the request that the row was opened for, if still waiting
    Cycle ask_again = kNever;
  };

  std::unique_ptr<DramScheduler> scheduler_;
  std::vector<Bank> banks_;
  BankSet finishing_ = 0;
  Cycle ask_again_ = kNever;
};

}  // namespace heddle::memory
