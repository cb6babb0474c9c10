// SPDX-License-Identifier: Apache-2.0
// The requests a channel holds, in one list a bank, oldest first.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cycle.h"

namespace heddle::memory {

/// Which part of a transaction, and where it goes. Lies within one row.
struct DramRequest {
  std::uint64_t row = 0;
  std::uint64_t order = 0;  ///< 0, 1, 2, ... in order of entry: age
  Cycle arrival = 0;
  std::uint32_t token = 0;   ///< the owner's name for the transaction
  std::uint32_t column = 0;  ///< of the next burst
  std::uint16_t bursts = 1;  ///< still to be moved
  std::uint8_t bank = 0;
  bool write = false;
  bool keep_row_open = false;  ///< row-buffer-locality hint
  bool activated = false;      ///< the row was opened for it
  bool precharged = false;     ///< another row was closed for it
};

class DramQueue {
 public:
  using Id = std::uint32_t;
  static constexpr Id kNone = ~Id{0};

  DramQueue(unsigned capacity, unsigned banks) : capacity_(capacity), lists_(banks) { slots_.reserve(capacity); }

  bool full() const { return size_ == capacity_; }
  unsigned size() const { return size_; }
  unsigned capacity() const { return capacity_; }
  unsigned banks() const { return static_cast<unsigned>(lists_.size()); }

  /// Adds a request behind those of its bank; not full(). Sets its order.
  Id add(DramRequest request);
  void remove(Id id);

  DramRequest& operator[](Id id) { return slots_[id].request; }
  const DramRequest& operator[](Id id) const { return slots_[id].request; }
  /// Oldest request of a bank, or kNone.
  Id first(unsigned bank) const { return lists_[bank].first; }
  /// The next younger request of the same bank, or kNone.
  Id next(Id id) const { return slots_[id].next; }
  bool empty(unsigned bank) const { return lists_[bank].first == kNone; }

 private:
  struct Slot {
    DramRequest request;
    Id next = kNone, previous = kNone;
  };
  struct List {
    Id first = kNone, last = kNone;
  };
  unsigned capacity_, size_ = 0;
  std::uint64_t entered_ = 0;
  Id free_ = kNone;
  std::vector<Slot> slots_;
  std::vector<List> lists_;
};

}  // namespace heddle::memory
