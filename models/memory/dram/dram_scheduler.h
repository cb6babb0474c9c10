// SPDX-License-Identifier: Apache-2.0
// Which waiting request a bank serves next, and when it closes a row. A policy is one file under schedulers/ or
// row_policies/.
#pragma once

#include <cstdint>
#include <optional>

#include "core/config/mechanism.h"
#include "core/statistics/statistics.h"
#include "memory/dram/dram_queue.h"
#include "memory/dram/dram_timing.h"

namespace heddle::memory {

/// What a bank has to do. DramQueue::kNone twice: nothing.
struct BankChoice {
  DramQueue::Id first = DramQueue::kNone;
  /// One of the other direction that is legal as well: a younger request to the open row, when `first` is one.
  DramQueue::Id other = DramQueue::kNone;
};

/// What a policy sees of a bank.
struct BankView {
  const DramQueue& queue;
  unsigned bank;
  bool reads, writes;  ///< which lists of the bank may be served now
  std::optional<std::uint64_t> open_row;
  Cycle now;

  /// The oldest request that may be served, or DramQueue::kNone.
  DramQueue::Id oldest() const {
    return queue.older(reads ? queue.first(queue.list(bank, false)) : DramQueue::kNone,
                       writes ? queue.first(queue.list(bank, true)) : DramQueue::kNone);
  }
  /// The oldest request to the open row, and the oldest of the other list, unless it must follow the first.
  BankChoice hits() const {
    const auto read = reads ? hit(false) : DramQueue::kNone, write = writes ? hit(true) : DramQueue::kNone;
    const auto first = queue.older(read, write), other = first == read ? write : read;
    return {first, other != DramQueue::kNone && queue.must_wait(other) ? DramQueue::kNone : other};
  }

 private:
  DramQueue::Id hit(bool of_writes) const {
    if (!open_row) return DramQueue::kNone;
    auto id = queue.first(queue.list(bank, of_writes));
    while (id != DramQueue::kNone && queue[id].row != *open_row) id = queue.next(id);
    return id;
  }
};

class DramScheduler {
 public:
  using MakeArguments = void(const DramDevice& device, unsigned banks, const StatisticsGroup& statistics);
  virtual ~DramScheduler() = default;
  /// The requests the bank works for; none leaves it idle. Asked again when a request arrives at the bank or leaves it
  /// or a row opens or closes, and in cycle ask_again (kNever on entry) if the policy sets it.
  virtual BankChoice choose(const BankView& view, Cycle& ask_again) const = 0;
  /// Whether column commands go before row commands of other banks; if not, the oldest request's command goes first.
  virtual bool columns_first() const = 0;
  /// The last burst of a request, which is still in the queue, was commanded in cycle view.now; its data end in cycle
  /// `done`.
  virtual void served(const BankView& /*view*/, const DramRequest& /*request*/, Cycle /*done*/) {}
  /// A row was opened.
  virtual void activated(unsigned /*bank*/, std::uint64_t /*row*/, Cycle /*now*/) {}
};

/// How a request found its bank.
enum class RowFound : std::uint8_t {
  open,      ///< its row was open
  other,     ///< another row was open
  closed,    ///< no row was open, and the last one was another
  reclosed,  ///< no row was open, and the last one was its own
};

class RowPolicy {
 public:
  using MakeArguments = void(unsigned banks);
  virtual ~RowPolicy() = default;
  /// After a column command that nobody waits to follow: the cycle in which the row is to be closed if nothing has
  /// asked for it by then; kNever keeps it open until another row is wanted.
  virtual Cycle close_at(const BankView& view) const = 0;
  /// A request was served that had found its bank like this.
  virtual void found(unsigned /*bank*/, RowFound /*how*/) {}
};

}  // namespace heddle::memory
