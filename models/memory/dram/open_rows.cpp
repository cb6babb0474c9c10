// SPDX-License-Identifier: Apache-2.0
#include "memory/dram/open_rows.h"

#include <utility>

#include "core/error.h"

namespace heddle::memory {

OpenRows::OpenRows(std::unique_ptr<RowPolicy> policy, const ChannelGeometry& geometry, Counter& open_cycles)
    : policy_(std::move(policy)),
      banks_of_rank_(geometry.banks_of_rank()),
      banks_(geometry.banks()),
      ranks_(geometry.ranks),
      open_cycles_(open_cycles) {
  if (!policy_) fail(ExitCode::internal, "a memory channel needs a row policy");
}

void OpenRows::opened(unsigned bank, std::uint64_t row, Cycle now) {
  Rank& rank = rank_of(bank);
  if (!banks_[bank].row && rank.open_rows++ == 0) rank.open_since = now;
  banks_[bank].row = row;
}

void OpenRows::closed(unsigned bank, Cycle now) {
  keep(bank);
  Bank& state = banks_[bank];
  if (!state.row) return;
  Rank& rank = rank_of(bank);
  if (--rank.open_rows == 0) open_cycles_ += now - rank.open_since;
  state.last_row = state.row;
  state.row.reset();
}

RowFound OpenRows::found(const DramRequest& request) {
  const Bank& bank = banks_[request.bank];
  const bool reclosed = bank.last_row && *bank.last_row == request.row;
  const RowFound how = request.precharged   ? RowFound::other
                       : !request.activated ? RowFound::open
                       : reclosed           ? RowFound::reclosed
                                            : RowFound::closed;
  policy_->found(request.bank, how);
  return how;
}

void OpenRows::left(const BankView& view) {
  keep(view.bank);
  Bank& bank = banks_[view.bank];
  if (view.queue.wants(view.bank, *bank.row)) return;
  bank.close_at = policy_->close_at(view);
  if (bank.close_at != kNever) closing_ |= bank_bit(view.bank);
}

void OpenRows::settle(Cycle now) {
  for (Rank& rank : ranks_) {
    if (rank.open_rows == 0) continue;
    open_cycles_ += now - rank.open_since;
    rank.open_since = now;
  }
}

}  // namespace heddle::memory
