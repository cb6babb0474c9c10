// SPDX-License-Identifier: Apache-2.0
// Requests whose look-up has begun and that are not yet answered: those waiting for the level below, and scheduled
// replies, per socket.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/ring_queue.h"
#include "memory/cache/port_times.h"
#include "memory/cache/request.h"

namespace heddle::memory {

struct CacheReply {
  tlm::tlm_generic_payload* payload = nullptr;
  Cycle due = 0;
  bool foreign = false;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
};

class OpenRequests {
 public:
  using Id = std::uint32_t;
  static constexpr Id kNone = ~Id{0};

  /// times: for the atomic unit, if the cache has one.
  OpenRequests(unsigned sockets, const CacheParameters& parameters, PortTimes& times);

  /// Whether the reply queue of a socket has room for a hit.
  bool room(unsigned socket) const { return sockets_[socket].hits.size() + sockets_[socket].ready.size() < places_; }
  /// No room for another reply from below.
  bool full() const;
  /// Lines of the socket's oldest request that have been looked up.
  std::uint64_t lines_done(unsigned socket) const { return sockets_[socket].lines_done; }

  /// The request being looked up needs `sectors_or_requests` more replies from below. Returns its record, to be passed
  /// to arrived().
  Id wait(const CacheRequest& request, unsigned sectors_or_requests) {
    const Id id = record_of(request);
    waiting_[id].missing += sectors_or_requests;
    return id;
  }
  /// Another line of the request follows.
  void next_line(const CacheRequest& request) {
    record_of(request);
    ++sockets_[request.socket].lines_done;
  }
  /// All lines of the request have been looked up. due: reply cycle if nothing is missing.
  void looked_up(const CacheRequest& request, Cycle due);
  /// Answers a request without a look-up.
  void answer(const CacheRequest& request, Cycle due, tlm::tlm_response_status status);

  CacheAction action(Id id) const { return waiting_[id].action; }
  /// Whether it accesses local memory.
  bool local(Id id) const { return waiting_[id].local; }
  /// One of the awaited replies has arrived.
  void arrived(Id id, tlm::tlm_response_status status, Cycle now) {
    Waiting& one = waiting_[id];
    if (status <= 0) one.status = status;
    if (--one.missing == 0 && one.looked_up) finish(id, now);
  }

  /// Cycle in which the next reply of a socket is due; kNever: there is none.
  Cycle due(unsigned socket) const { return std::min(due(sockets_[socket].hits), due(sockets_[socket].ready)); }
  /// Takes that reply, the oldest due first, so that neither hits nor misses can monopolize the places.
  CacheReply take(unsigned socket) {
    Socket& from = sockets_[socket];
    --replies_;
    return due(from.hits) <= due(from.ready) ? from.hits.pop() : from.ready.pop();
  }
  /// Replies not yet taken.
  const unsigned& replies() const { return replies_; }
  /// Requests not yet answered.
  unsigned count() const { return open_ + replies_; }

 private:
  struct Waiting {
    tlm::tlm_generic_payload* payload = nullptr;
    unsigned socket = 0;
    unsigned missing = 0;    // outstanding sectors and passed-on requests
    bool looked_up = false;  // all its lines
    bool foreign = false;
    bool local = false;
    CacheAction action = CacheAction::read;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    Id next_free = kNone;
  };
  struct Socket {
    RingQueue<CacheReply> hits;    // by due cycle
    RingQueue<CacheReply> ready;   // replies completed by the level below
    std::uint64_t lines_done = 0;  // of the oldest request, when it spans several
    Id record = kNone;             // of that request
  };

  static Cycle due(const RingQueue<CacheReply>& queue) { return queue.empty() ? kNever : queue.front().due; }
  /// Record of the request being looked up, created on first use.
  Id record_of(const CacheRequest& request);
  void finish(Id id, Cycle now);

  std::vector<Socket> sockets_;
  std::vector<Waiting> waiting_;
  PortTimes& times_;
  std::size_t places_, ready_places_;
  bool executes_atomics_;
  Id free_ = kNone;
  unsigned open_ = 0, replies_ = 0;
};

}  // namespace heddle::memory
