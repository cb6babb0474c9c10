// SPDX-License-Identifier: Apache-2.0
// Tracks the sockets whose oldest request is stalled, why and since when. The socket refused longest is looked up first
// and has sole claim on the resource it waits for, so that small requests cannot starve one that needs a lot at once.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernel/cycle.h"
#include "memory/cache/cache_counts.h"

namespace heddle::memory {

/// The resource that the oldest request of a socket waits for; whoever frees it resumes the waiting sockets.
enum class Stall : std::uint8_t { none, miss_table, merge, ways, miss_queue, replies, writes };

class LookUpStalls {
 public:
  LookUpStalls(unsigned sockets, CacheCounts& counts) : sockets_(sockets), counts_(counts) {}

  bool stalled(unsigned socket) const { return sockets_[socket].why != Stall::none; }
  /// Number of stalled sockets.
  const unsigned& count() const { return stalled_; }
  /// Socket at which look-ups start, given round-robin position `turn`.
  unsigned first(unsigned turn) const { return elder_ != kNone ? elder_ : turn; }
  /// Whether the resource is kept for another socket, which has been refused longer.
  bool kept_for_elder(unsigned socket, Stall why) const {
    return elder_ != kNone && elder_ != socket && sockets_[elder_].why == why;
  }

  /// Stalls the oldest request of a socket. key: the entry for `merge`, the set for `ways`. Always returns false, the
  /// result of a look-up that must wait.
  bool stall(unsigned socket, Stall why, Cycle now, std::uint64_t key = 0);
  /// The request waits for its bank; the cache retries by itself.
  void wait_for_bank(unsigned socket, Cycle now);
  /// The request got its bank.
  void bank_came(unsigned socket, Cycle now) {
    Socket& waiting = sockets_[socket];
    if (waiting.bank_wait_from == kNever) return;
    counts_.stalls.bank += now - waiting.bank_wait_from;
    waiting.bank_wait_from = kNever;
  }
  /// The request has been looked up.
  void served(unsigned socket) {
    if (sockets_[socket].refused_from != kNever) choose_elder(socket);
  }
  /// Resumes the sockets that wait for a resource now free: in this cycle if look-ups are still to come, else in the
  /// next. True if some socket may retry from the next cycle on.
  bool resume(Stall why, Cycle now, std::uint64_t key = 0) { return stalled_ != 0 && resume_those(why, now, key); }

 private:
  static constexpr unsigned kNone = ~0U;
  struct Socket {
    Stall why = Stall::none;
    std::uint64_t key = 0;
    Cycle stalled_from = 0;
    Cycle bank_wait_from = kNever;
    Cycle refused_from = kNever;  // only with several sockets
  };

  void refused(unsigned socket, Cycle now);
  void choose_elder(unsigned served);
  bool resume_those(Stall why, Cycle now, std::uint64_t key);
  void charge(Stall why, Cycle waited);

  std::vector<Socket> sockets_;
  CacheCounts& counts_;
  unsigned stalled_ = 0;
  unsigned elder_ = kNone;  // the socket refused longest
};

}  // namespace heddle::memory
