// SPDX-License-Identifier: Apache-2.0
// The requests a channel holds, in one list a bank, or two where writes have a queue of their own; oldest first.
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
  std::uint32_t source = 0;  ///< who asked, for command traces
  std::uint16_t bursts = 1;  ///< still to be moved
  std::uint8_t bank = 0;
  bool write = false;
  bool whole = true;           ///< a write of every byte of its bursts
  bool keep_row_open = false;  ///< row-buffer-locality hint
  bool activated = false;      ///< the row was opened for it
  bool precharged = false;     ///< another row was closed for it
};

class DramQueue {
 public:
  using Id = std::uint32_t;
  static constexpr Id kNone = ~Id{0};

  /// write_capacity: places for writes beside `capacity` for reads; 0: reads and writes share capacity and lists.
  DramQueue(unsigned capacity, unsigned banks, unsigned write_capacity = 0)
      : capacity_(capacity),
        write_capacity_(write_capacity),
        banks_(banks),
        lists_(write_capacity != 0 ? 2 * banks : banks) {
    slots_.reserve(capacity + write_capacity);
  }

  /// No place for a request of this kind.
  bool full(bool write) const { return split() && write ? writes_ == write_capacity_ : size_ - writes_ == capacity_; }
  unsigned size() const { return size_; }
  /// Those in the queue of writes; 0 without one.
  unsigned writes() const { return writes_; }
  unsigned reads() const { return size_ - writes_; }
  unsigned banks() const { return banks_; }
  bool split() const { return write_capacity_ != 0; }
  /// The list of a bank from which requests are chosen while writes (reads) are served.
  unsigned list(unsigned bank, bool writes) const { return split() && writes ? bank + banks_ : bank; }

  /// Adds a request behind those of its list; not full(). Sets its order. behind_writes: a read that joins the writes,
  /// because it must follow one of them.
  Id add(DramRequest request, bool behind_writes = false);
  void remove(Id id);

  DramRequest& operator[](Id id) { return slots_[id].request; }
  const DramRequest& operator[](Id id) const { return slots_[id].request; }
  /// Oldest request of a list, or kNone.
  Id first(unsigned list) const { return lists_[list].first; }
  /// The next younger request of the same list, or kNone.
  Id next(Id id) const { return slots_[id].next; }
  /// No request for the bank.
  bool empty(unsigned bank) const {
    return lists_[bank].first == kNone && (!split() || lists_[bank + banks_].first == kNone);
  }

 private:
  struct Slot {
    DramRequest request;
    Id next = kNone, previous = kNone;
    std::uint32_t list = 0;
  };
  struct List {
    Id first = kNone, last = kNone;
  };
  unsigned capacity_, write_capacity_, banks_;
  unsigned size_ = 0, writes_ = 0;
  std::uint64_t entered_ = 0;
  Id free_ = kNone;
  std::vector<Slot> slots_;
  std::vector<List> lists_;
};

}  // namespace heddle::memory
