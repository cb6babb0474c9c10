// SPDX-License-Identifier: Apache-2.0
// Requests that a cache has begun to look up and not yet answered: those that wait for something from below, and the
// replies that are due, by socket.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "memory/cache/port_times.h"
#include "memory/cache/request.h"
#include "memory/ring_queue.h"

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

  /// times: of the unit that does atomics, where the cache has one.
  OpenRequests(unsigned sockets, const CacheParameters& parameters, PortTimes& times);

  /// Whether the replies of a socket leave room for a hit.
  bool room(unsigned socket) const { return sockets_[socket].hits.size() + sockets_[socket].ready.size() < places_; }
  /// No room for another answer from below.
  bool full() const;
  /// Lines of the socket's oldest request that have been looked up.
  std::uint64_t lines_done(unsigned socket) const { return sockets_[socket].lines_done; }

  /// Something more, `sectors_or_requests` of it, must come from below for the request that is looked up. Returns what
  /// completes it: to be named to arrived().
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
  /// All lines of the request have been looked up. due: cycle of the reply if nothing is missing.
  void looked_up(const CacheRequest& request, Cycle due);
  /// The request is answered without having been looked up.
  void answer(const CacheRequest& request, Cycle due, tlm::tlm_response_status status);

  CacheAction action(Id id) const { return waiting_[id].action; }
  /// Whether it is of local memory.
  bool local(Id id) const { return waiting_[id].local; }
  /// One thing that the request waits for is there.
  void arrived(Id id, tlm::tlm_response_status status, Cycle now) {
    Waiting& one = waiting_[id];
    if (status <= 0) one.status = status;
    if (--one.missing == 0 && one.looked_up) finish(id, now);
  }

  /// Cycle in which the next reply of a socket is due; kNever: there is none.
  Cycle due(unsigned socket) const { return std::min(due(sockets_[socket].hits), due(sockets_[socket].ready)); }
  /// Takes that reply. The oldest due first: neither hits nor misses can take every place.
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
    unsigned missing = 0;    // sectors and passed-on requests to come
    bool looked_up = false;  // all its lines
    bool foreign = false;
    bool local = false;
    CacheAction action = CacheAction::read;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    Id next_free = kNone;
  };
  struct Socket {
    RingQueue<CacheReply> hits;    // in order of their due cycle
    RingQueue<CacheReply> ready;   // due
    std::uint64_t lines_done = 0;  // of the oldest request, when it spans several
    Id record = kNone;             // of that request
  };

  static Cycle due(const RingQueue<CacheReply>& queue) { return queue.empty() ? kNever : queue.front().due; }
  /// The record of the request being looked up, made when first needed.
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
