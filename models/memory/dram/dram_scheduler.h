// SPDX-License-Identifier: Apache-2.0
// DRAM schedulers select the request a bank serves next; row policies decide when it closes a row. A policy is one file
// under schedulers/ or row_policies/.
#pragma once

#include <cstdint>
#include <optional>

#include "core/config/mechanism.h"
#include "core/statistics/statistics.h"
#include "memory/dram/dram_queue.h"
#include "memory/dram/dram_timing.h"

namespace heddle::memory {

/// The requests selected for a bank; both DramQueue::kNone: idle.
struct BankChoice {
  DramQueue::Id first = DramQueue::kNone;
  /// Alternative of the other direction: a younger request to the open row, if `first` also hits it.
  DramQueue::Id other = DramQueue::kNone;
};

/// State of a bank as seen by a policy.
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
  /// The oldest request to the open row, and the oldest such of the other list unless it must follow the first.
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
  /// Selects the requests the bank serves; none leaves it idle. Called again when a request arrives or leaves, when a
  /// row opens or closes, and in cycle ask_again (kNever on entry) if the policy sets it.
  virtual BankChoice choose(const BankView& view, Cycle& ask_again) const = 0;
  /// Whether column commands have priority over row commands of other banks; if not, the oldest request goes first.
  virtual bool columns_first() const = 0;
  /// The last burst of a request, which is still in the queue, was issued in cycle view.now; its data ends in cycle
  /// `done`.
  virtual void served(const BankView& /*view*/, const DramRequest& /*request*/, Cycle /*done*/) {}
  /// A row was opened.
  virtual void activated(unsigned /*bank*/, std::uint64_t /*row*/, Cycle /*now*/) {}
};

/// State in which a request found its bank.
enum class RowFound : std::uint8_t {
  open,      ///< its row was open
  other,     ///< another row was open
  closed,    ///< no row was open; the last one was another
  reclosed,  ///< no row was open; the last one was its own
};

class RowPolicy {
 public:
  using MakeArguments = void(unsigned banks);
  virtual ~RowPolicy() = default;
  /// Called after a column command if no queued request needs the row. Returns the cycle in which to close the row
  /// unless it is requested by then; kNever keeps it open until another row is needed.
  virtual Cycle close_at(const BankView& view) const = 0;
  /// A request was served that had found its bank in this state.
  virtual void found(unsigned /*bank*/, RowFound /*how*/) {}
};

}  // namespace heddle::memory
