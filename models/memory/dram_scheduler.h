// SPDX-License-Identifier: Apache-2.0
// Which waiting request a bank serves next, and when it closes a row. A policy is one file under schedulers/ or
// row_policies/.
#pragma once

#include <cstdint>
#include <optional>

#include "core/mechanism.h"
#include "memory/dram_queue.h"

namespace heddle::memory {

/// What a policy sees of a bank.
struct BankView {
  const DramQueue& queue;
  unsigned bank;
  std::optional<std::uint64_t> open_row;
  Cycle now;
};

class DramScheduler {
 public:
  using MakeArguments = void(unsigned banks);
  virtual ~DramScheduler() = default;
  /// The request the bank works for, or DramQueue::kNone to leave it idle. Asked again when a request arrives at the
  /// bank or leaves it or a row opens or closes, and in cycle ask_again (kNever on entry) if the policy sets it.
  virtual DramQueue::Id choose(const BankView& view, Cycle& ask_again) const = 0;
  /// Whether column commands go before row commands of other banks; if not, the oldest request's command goes first.
  virtual bool columns_first() const = 0;
  /// The last burst of a request was commanded in cycle now.
  virtual void served(const DramRequest&, Cycle /*now*/) {}
};

class RowPolicy {
 public:
  using MakeArguments = void(unsigned banks);
  virtual ~RowPolicy() = default;
  /// After a column command: the cycle in which the row is to be closed if nothing has asked for it by then; kNever
  /// keeps it open until another row is wanted.
  virtual Cycle close_at(const BankView& view) const = 0;
};

}  // namespace heddle::memory
