// SPDX-License-Identifier: Apache-2.0
// The refreshes of a channel: what the policy wants of each rank, and the banks reserved for it until it is done.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "memory/address_map.h"
#include "memory/dram/bank_set.h"
#include "memory/dram/dram_refresh.h"
#include "memory/dram/open_rows.h"

namespace heddle::memory {

class RefreshPlan {
 public:
  /// policy: null, or without a command: no refresh.
  RefreshPlan(std::unique_ptr<RefreshPolicy> policy, const ChannelGeometry& geometry);

  /// Banks reserved for a pending refresh; they serve no requests.
  BankSet banks() const { return reserved_; }
  /// Asks the policy about the ranks without a pending refresh. Returns the banks reserved now. waiting: banks with
  /// requests.
  BankSet plan(BankSet waiting, Cycle now) { return command_ ? ask(waiting, now) : 0; }
  /// Cycle after `now` in which to plan again; kNever: not before something happens.
  Cycle next(Cycle now) const { return command_ ? next_ask(now) : kNever; }
  /// The command with which a reserved bank's refresh goes on; none if another bank of the rank stands for it.
  std::optional<DramCommand> command(unsigned bank, const OpenRows& rows) const;
  /// The refresh command was issued to the bank, or to the rank that it stands for. Returns the banks released.
  BankSet refreshed(unsigned bank, Cycle now);

  /// A request arrived for the bank.
  void arrived(unsigned bank) { rank_of(bank).idle_since = kNever; }
  /// The last request of the bank left.
  void emptied(unsigned bank, BankSet waiting, Cycle now);

 private:
  struct Rank {
    Cycle idle_since = 0;            // kNever while requests wait
    Cycle ask_again = 0;             // when to query the policy again
    std::optional<unsigned> target;  // the bank to refresh, numbered over the channel; the first one stands for all
  };
  BankSet ask(BankSet waiting, Cycle now);
  Cycle next_ask(Cycle now) const;
  Rank& rank_of(unsigned bank) { return ranks_[bank / banks_of_rank_]; }
  BankSet banks_of(unsigned rank) const { return bank_range(rank * banks_of_rank_, banks_of_rank_); }
  BankSet refreshed_with(unsigned bank) const {
    return *command_ == DramCommand::refresh_all ? banks_of(bank / banks_of_rank_) : bank_bit(bank);
  }

  std::unique_ptr<RefreshPolicy> policy_;
  std::optional<DramCommand> command_;  // none: no refresh
  unsigned banks_of_rank_;
  std::vector<Rank> ranks_;
  BankSet reserved_ = 0;
};

}  // namespace heddle::memory
