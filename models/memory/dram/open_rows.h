// SPDX-License-Identifier: Apache-2.0
// The rows of a channel's banks: which are open, and when the row policy closes one that nobody wants.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/statistics/statistics.h"
#include "memory/address_map.h"
#include "memory/dram/bank_set.h"
#include "memory/dram/dram_scheduler.h"

namespace heddle::memory {

class OpenRows {
 public:
  /// open_cycles: counts cycles with a row open, summed over ranks.
  OpenRows(std::unique_ptr<RowPolicy> policy, const ChannelGeometry& geometry, Counter& open_cycles);

  const std::optional<std::uint64_t>& row(unsigned bank) const { return banks_[bank].row; }
  /// Whether any bank of the rank has an open row.
  bool any(unsigned rank) const { return ranks_[rank].open_rows != 0; }
  /// Cycle in which to close the row for the row policy; kNever: not.
  Cycle close_at(unsigned bank) const { return banks_[bank].close_at; }
  /// Banks whose row is to be closed for the row policy.
  BankSet closing() const { return closing_; }

  void opened(unsigned bank, std::uint64_t row, Cycle now);
  void closed(unsigned bank, Cycle now);
  /// A request arrived for the bank: the policy closes nothing.
  void keep(unsigned bank) {
    banks_[bank].close_at = kNever;
    closing_ &= ~bank_bit(bank);
  }
  /// A request was served. Returns how it had found its bank.
  RowFound found(const DramRequest& request);
  /// A request of the bank left the queue. If no other wants the row, the row policy decides how long it stays open.
  void left(const BankView& view);
  /// Brings open_cycles up to `now`.
  void settle(Cycle now);

 private:
  struct Bank {
    std::optional<std::uint64_t> row;
    std::optional<std::uint64_t> last_row;  // the one open before
    Cycle close_at = kNever;
  };
  struct Rank {
    unsigned open_rows = 0;
    Cycle open_since = 0;
  };
  Rank& rank_of(unsigned bank) { return ranks_[bank / banks_of_rank_]; }

  std::unique_ptr<RowPolicy> policy_;
  unsigned banks_of_rank_;
  std::vector<Bank> banks_;
  std::vector<Rank> ranks_;
  BankSet closing_ = 0;  // those with close_at
  Counter& open_cycles_;
};

}  // namespace heddle::memory
