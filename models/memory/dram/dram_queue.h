// SPDX-License-Identifier: Apache-2.0
// The requests held by a channel, in two lists per bank, reads and writes, oldest first. Both share the entries, or
// writes have a queue of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernel/cycle.h"
#include "memory/dram/bank_set.h"

namespace heddle::memory {

/// Part of a transaction that lies within one row.
struct DramRequest {
  std::uint64_t row = 0;
  std::uint64_t order = 0;  ///< 0, 1, 2, ... in order of entry: age
  Cycle arrival = 0;
  std::uint32_t token = 0;   ///< the owner's identifier for the transaction
  std::uint32_t column = 0;  ///< of the next burst
  std::uint32_t source = 0;  ///< requester, for command traces
  std::uint16_t bursts = 1;  ///< still to be moved
  std::uint8_t bank = 0;
  bool write = false;
  bool whole = true;           ///< a write that covers every byte of its bursts
  bool keep_row_open = false;  ///< row-buffer-locality hint
  bool activated = false;      ///< the row was opened for it
  bool precharged = false;     ///< another row was closed for it
  bool shares = false;         ///< on arrival, a request of the other list shared bursts with it
};

/// Whether two requests to the same bank have a burst in common.
inline bool share_bursts(const DramRequest& a, const DramRequest& b) {
  return a.row == b.row && a.column < b.column + b.bursts && b.column < a.column + a.bursts;
}

/// What a read finds among the queued writes of its bank.
enum class WriteOverlap : std::uint8_t {
  none,
  partial,  ///< it shares bursts with one and must follow it
  whole     ///< the youngest of these supplies all its bytes
};

class DramQueue {
 public:
  using Id = std::uint32_t;
  static constexpr Id kNone = ~Id{0};

  /// banks: at most kMaxBanks. write_capacity: entries for writes, in addition to `capacity` for reads; 0: reads and
  /// writes share `capacity`.
  DramQueue(unsigned capacity, unsigned banks, unsigned write_capacity = 0)
      : capacity_(capacity), write_capacity_(write_capacity), banks_(banks), lists_(2 * banks) {
    slots_.reserve(capacity + write_capacity);
  }

  /// No entry left for a request of this kind.
  bool full(bool write) const {
    if (!split()) return size_ >= capacity_;
    return write ? writes_ >= write_capacity_ : reads() >= capacity_;
  }
  unsigned size() const { return size_; }
  /// Requests in the write lists and in the read lists.
  unsigned writes() const { return writes_; }
  unsigned reads() const { return size_ - writes_; }
  /// Reads in the write lists.
  unsigned reads_behind_writes() const { return reads_behind_writes_; }
  unsigned banks() const { return banks_; }
  bool split() const { return write_capacity_ != 0; }
  /// Number of a bank's write or read list.
  unsigned list(unsigned bank, bool writes) const { return writes ? bank + banks_ : bank; }
  bool among_writes(Id id) const { return slots_[id].list >= banks_; }

  /// Appends a request to its list; not full(). Sets `order` and `shares`. behind_writes: a read that joins the write
  /// list because it must follow a write.
  Id add(DramRequest request, bool behind_writes = false);
  void remove(Id id);

  DramRequest& operator[](Id id) { return slots_[id].request; }
  const DramRequest& operator[](Id id) const { return slots_[id].request; }
  /// Oldest request of a list, or kNone.
  Id first(unsigned list) const { return lists_[list].first; }
  /// The next younger request of the same list, or kNone.
  Id next(Id id) const { return slots_[id].next; }
  /// Banks with requests.
  BankSet waiting() const { return waiting_; }
  /// Whether there is no request for the bank.
  bool empty(unsigned bank) const { return (waiting_ & bank_bit(bank)) == 0; }
  /// Whether a request wants the row of the bank.
  bool wants(unsigned bank, std::uint64_t row) const;
  WriteOverlap overlap(const DramRequest& read) const;
  /// Whether an older request of the other list that shares bursts with it must go first; two reads need no order.
  bool must_wait(Id id) const { return slots_[id].request.shares && waits(id); }
  /// The older of two requests, either of which may be kNone.
  Id older(Id a, Id b) const {
    if (a == kNone || b == kNone) return a == kNone ? b : a;
    return slots_[a].request.order < slots_[b].request.order ? a : b;
  }
  /// The oldest request of all, or kNone.
  Id oldest() const;

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
  unsigned size_ = 0, writes_ = 0, reads_behind_writes_ = 0;
  BankSet waiting_ = 0;
  std::uint64_t entered_ = 0;
  Id free_ = kNone;
  std::vector<Slot> slots_;
  std::vector<List> lists_;
};

}  // namespace heddle::memory
