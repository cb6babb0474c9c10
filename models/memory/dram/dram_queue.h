// SPDX-License-Identifier: Apache-2.0
// The requests a channel holds, in two lists a bank, reads and writes, oldest first. They share the places, or writes
// have a queue of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernel/cycle.h"

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
  bool shares = false;         ///< when it came, one of the other list had bursts in common with it
};

/// Both are of one bank; some burst is of both.
inline bool share_bursts(const DramRequest& a, const DramRequest& b) {
  return a.row == b.row && a.column < b.column + b.bursts && b.column < a.column + a.bursts;
}

class DramQueue {
 public:
  using Id = std::uint32_t;
  static constexpr Id kNone = ~Id{0};

  /// write_capacity: places for writes beside `capacity` for reads; 0: reads and writes share `capacity`.
  DramQueue(unsigned capacity, unsigned banks, unsigned write_capacity = 0)
      : capacity_(capacity), write_capacity_(write_capacity), banks_(banks), lists_(2 * banks) {
    slots_.reserve(capacity + write_capacity);
  }

  /// No place for a request of this kind.
  bool full(bool write) const {
    if (!split()) return size_ >= capacity_;
    return write ? writes_ >= write_capacity_ : reads() >= capacity_;
  }
  unsigned size() const { return size_; }
  /// Those in the lists of writes, and of reads.
  unsigned writes() const { return writes_; }
  unsigned reads() const { return size_ - writes_; }
  unsigned banks() const { return banks_; }
  bool split() const { return write_capacity_ != 0; }
  /// A bank's list of writes, or of reads.
  unsigned list(unsigned bank, bool writes) const { return writes ? bank + banks_ : bank; }
  bool among_writes(Id id) const { return slots_[id].list >= banks_; }

  /// Adds a request behind those of its list; not full(). Sets its order and whether it shares bursts with one of the
  /// other list. behind_writes: a read that joins the writes, because it must follow one of them.
  Id add(DramRequest request, bool behind_writes = false);
  void remove(Id id);

  DramRequest& operator[](Id id) { return slots_[id].request; }
  const DramRequest& operator[](Id id) const { return slots_[id].request; }
  /// Oldest request of a list, or kNone.
  Id first(unsigned list) const { return lists_[list].first; }
  /// The next younger request of the same list, or kNone.
  Id next(Id id) const { return slots_[id].next; }
  /// No request for the bank.
  bool empty(unsigned bank) const { return lists_[bank].first == kNone && lists_[bank + banks_].first == kNone; }
  /// One of the other list, older and not a read as well, has bursts in common with it: it must go first.
  bool must_wait(Id id) const { return slots_[id].request.shares && waits(id); }
  /// The older one; kNone where both are.
  Id older(Id a, Id b) const {
    if (a == kNone || b == kNone) return a == kNone ? b : a;
    return slots_[a].request.order < slots_[b].request.order ? a : b;
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
  bool waits(Id id) const;
  unsigned capacity_, write_capacity_, banks_;
  unsigned size_ = 0, writes_ = 0;
  std::uint64_t entered_ = 0;
  Id free_ = kNone;
  std::vector<Slot> slots_;
  std::vector<List> lists_;
};

}  // namespace heddle::memory
