// SPDX-License-Identifier: Apache-2.0
// The look-up of a cache, one line of a request at a time. Independent of sockets: the module supplies requests and
// sends those queued for the level below.
#pragma once

#include "memory/cache/line_traffic.h"

namespace heddle::memory {

class CacheLookUp {
 public:
  CacheLookUp(CacheParts& cache, LineTraffic& traffic) : cache_(cache), traffic_(traffic) {}

  /// Looks up a piece of a request. Returns the cycle of the reply if nothing is missing, or kNever if the request must
  /// wait; then only the stall of its socket has changed.
  Cycle look_up(const CacheRequest& request, const LinePiece& piece);

  /// Whether the piece last looked up has to wait for the level below.
  bool missed() const { return missed_; }

 private:
  bool act(const CacheRequest& request, const LinePiece& piece, TagArray::Place place);
  // Each returns false, changing only the stall, if the request must wait.
  bool hit(const CacheRequest& request, const LinePiece& piece, TagArray::Place place);
  bool miss(const CacheRequest& request, const LinePiece& piece, TagArray::Place place);
  bool store(const CacheRequest& request, const LinePiece& piece, TagArray::Place place);
  bool allocate_whole(const CacheRequest& request, const LinePiece& piece);
  bool allocate_through(const CacheRequest& request, const LinePiece& piece);
  bool pass_on(const CacheRequest& request, const LinePiece& piece, TagArray::Place place);

  bool stall(const CacheRequest& request, Stall why, std::uint64_t key = 0) {
    return cache_.stalls.stall(request.socket, why, request.now, key);
  }
  bool room_below(const CacheRequest& request, unsigned requests) const {
    return cache_.below.room(requests) && !cache_.stalls.kept_for_elder(request.socket, Stall::miss_queue);
  }
  /// Write-back requests that evicting a line would cause.
  unsigned write_backs_of(TagArray::Place place) const { return runs_of(cache_.lines.tags.line(place).dirty); }
  TagArray::Evicted allocate(const CacheRequest& request, const LinePiece& piece, TagArray::Place room) {
    return cache_.lines.tags.allocate(room, piece.line, request.requester);
  }
  void evict(const CacheRequest& request, const TagArray::Evicted& gone) {
    if (gone.any) traffic_.evicted(gone, request.requester, request.now);
  }
  void tell(CacheEvent::What what, const CacheRequest& request, const LinePiece& piece, Requester owner) {
    missed_ = what != CacheEvent::What::hit;
    cache_.observers.looked_up(what, request, cache_.lines.address_of(piece.line), owner);
  }

  CacheParts& cache_;
  LineTraffic& traffic_;
  bool missed_ = false;
  Cycle due_ = 0;  // of the piece being looked up, if it hits
};

}  // namespace heddle::memory
