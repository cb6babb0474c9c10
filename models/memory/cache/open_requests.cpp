// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/open_requests.h"

namespace heddle::memory {

OpenRequests::OpenRequests(unsigned sockets, const CacheParameters& parameters, PortTimes& times)
    : sockets_(sockets),
      times_(times),
      places_(std::size_t{parameters.reply_queue} + parameters.data_latency),
      ready_places_(parameters.reply_queue),
      executes_atomics_(parameters.executes_atomics) {}

bool OpenRequests::full() const {
  return std::any_of(sockets_.begin(), sockets_.end(),
                     [this](const Socket& socket) { return socket.ready.size() >= ready_places_; });
}

OpenRequests::Id OpenRequests::record_of(const CacheRequest& request) {
  Id& record = sockets_[request.socket].record;
  if (record == kNone) {
    record = free_;
    if (record != kNone) {
      free_ = waiting_[record].next_free;
    } else {
      record = static_cast<Id>(waiting_.size());
      waiting_.emplace_back();
    }
    Waiting& made = waiting_[record];
    made = {};
    made.payload = request.payload;
    made.socket = request.socket;
    made.foreign = request.info == nullptr;
    made.local = request.local();
    made.action = request.action;
    ++open_;
  }
  return record;
}

void OpenRequests::looked_up(const CacheRequest& request, Cycle due) {
  Socket& socket = sockets_[request.socket];
  const Id record = socket.record;
  socket.record = kNone;
  socket.lines_done = 0;
  if (record == kNone) {
    socket.hits.push({request.payload, due, request.info == nullptr, tlm::TLM_OK_RESPONSE});
    ++replies_;
    return;
  }
  waiting_[record].looked_up = true;
  if (waiting_[record].missing == 0) finish(record, request.now);
}

void OpenRequests::answer(const CacheRequest& request, Cycle due, tlm::tlm_response_status status) {
  sockets_[request.socket].hits.push({request.payload, due, false, status});
  ++replies_;
}

void OpenRequests::finish(Id id, Cycle now) {
  Waiting& one = waiting_[id];
  const Cycle due = one.action == CacheAction::atomic && executes_atomics_ ? times_.atomic_turn(now) : now;
  sockets_[one.socket].ready.push({one.payload, due, one.foreign, one.status});
  ++replies_;
  --open_;
  one.next_free = free_;
  free_ = id;
}

}  // namespace heddle::memory
