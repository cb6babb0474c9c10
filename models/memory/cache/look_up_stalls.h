// SPDX-License-Identifier: Apache-2.0
// Which sockets of a cache cannot have their oldest request looked up, why and since when; and who is looked up first:
// the one refused longest. What it waits for goes to nobody else, so that many small requests never keep a large one
// from what it needs at once.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernel/cycle.h"
#include "memory/cache/cache_statistics.h"

namespace heddle::memory {

/// What the oldest request of a socket waits for; whoever frees it resumes those that wait.
enum class Stall : std::uint8_t { none, miss_table, merge, ways, miss_queue, replies, writes };

class LookUpStalls {
 public:
  LookUpStalls(unsigned sockets, CacheStatistics& counts) : sockets_(sockets), counts_(counts) {}

  bool stalled(unsigned socket) const { return sockets_[socket].why != Stall::none; }
  /// Sockets that are stalled.
  const unsigned& count() const { return stalled_; }
  /// Where look-ups begin, when it would be the turn of socket `turn`.
  unsigned first(unsigned turn) const { return elder_ != kNone ? elder_ : turn; }
  /// Whether another socket, refused for longer, waits for more of the same.
  bool kept_for_elder(unsigned socket, Stall why) const {
    return elder_ != kNone && elder_ != socket && sockets_[elder_].why == why;
  }

  /// The oldest request of a socket waits. key: of kMerge the entry, of kWays the set. Always false, as what a look-up
  /// that must wait answers.
  bool stall(unsigned socket, Stall why, Cycle now, std::uint64_t key = 0);
  /// It waits for its bank; the cache looks again by itself.
  void wait_for_bank(unsigned socket, Cycle now);
  /// Its bank was free.
  void bank_came(unsigned socket, Cycle now) {
    Socket& waiting = sockets_[socket];
    if (waiting.bank_wait_from == kNever) return;
    counts_.stall_bank += now - waiting.bank_wait_from;
    waiting.bank_wait_from = kNever;
  }
  /// It has been looked up.
  void served(unsigned socket) {
    if (sockets_[socket].refused_from != kNever) choose_elder(socket);
  }
  /// Sockets that waited for what has become free may look up again: in this cycle if look-ups are still to come, else
  /// in the next. True when there is one that may from the next cycle on.
  bool resume(Stall why, Cycle now, std::uint64_t key = 0) { return stalled_ != 0 && resume_those(why, now, key); }

 private:
  static constexpr unsigned kNone = ~0U;
  struct Socket {
    Stall why = Stall::none;
    std::uint64_t key = 0;
    Cycle stalled_from = 0;
    Cycle bank_wait_from = kNever;
    Cycle refused_from = kNever;  // where there are several sockets
  };

  void refused(unsigned socket, Cycle now);
  void choose_elder(unsigned served);
  bool resume_those(Stall why, Cycle now, std::uint64_t key);
  void charge(Stall why, Cycle waited);

  std::vector<Socket> sockets_;
  CacheStatistics& counts_;
  unsigned stalled_ = 0;
  unsigned elder_ = kNone;  // the socket refused longest
};

}  // namespace heddle::memory
