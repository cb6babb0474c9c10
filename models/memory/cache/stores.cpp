// SPDX-License-Identifier: Apache-2.0
// Stores in a cache under each write policy, and requests passed on unchanged to the level below.
#include "memory/cache/look_up.h"

namespace heddle::memory {

bool CacheLookUp::store(const CacheRequest& request, const LinePiece& piece, TagArray::Place place) {
  const CacheParameters& p = cache_.parameters;
  const WritePolicy policy = request.local() ? p.local_store : p.global_store;
  const bool present = place != TagArray::kNone;
  if (policy == WritePolicy::write_through) {
    return !present && p.allocate_on_store ? allocate_through(request, piece) : pass_on(request, piece, place);
  }
  if (cache_.lines.holds(piece, place)) return hit(request, piece, place);
  if (!present && !p.allocate_on_store) return pass_on(request, piece, place);
  if (!piece.whole || p.fetch_on_whole_store) return miss(request, piece, place);
  if (present) return hit(request, piece, place);
  return allocate_whole(request, piece);
}

/// Allocates for a store that writes all bytes of its sectors, so that nothing need be fetched.
bool CacheLookUp::allocate_whole(const CacheRequest& request, const LinePiece& piece) {
  TagArray& tags = cache_.lines.tags;
  const TagArray::Place room = tags.make_room(piece.set);
  if (room == TagArray::kNone) return stall(request, Stall::ways, piece.set);
  if (!room_below(request, write_backs_of(room))) return stall(request, Stall::miss_queue);
  const TagArray::Evicted gone = allocate(request, piece, room);
  tags.write(room, piece.sectors, request.local());
  evict(request, gone);
  ++cache_.counts.stores;
  tell(CacheEvent::What::miss, request, piece, request.requester);
  return true;
}

/// Allocates a clean line for a write-through store that misses. Sectors that the store does not fully write are
/// fetched after the store; the store does not wait for them.
bool CacheLookUp::allocate_through(const CacheRequest& request, const LinePiece& piece) {
  TagArray& tags = cache_.lines.tags;
  const bool fetches = !piece.whole || cache_.parameters.fetch_on_whole_store;
  if (fetches) {
    // Without merging across owners, a sector may still be outstanding for a line already evicted.
    if (cache_.misses.any_under_way(cache_.lines.first_sector(piece.line), piece.sectors, request.requester))
      return pass_on(request, piece, TagArray::kNone);
    if (cache_.misses.free_entries() < count_of(piece.sectors)) return stall(request, Stall::miss_table);
  }
  const TagArray::Place room = tags.make_room(piece.set);
  if (room == TagArray::kNone) return stall(request, Stall::ways, piece.set);
  if (!room_below(request, 1 + (fetches ? runs_of(piece.sectors) : 0) + write_backs_of(room)))
    return stall(request, Stall::miss_queue);
  pass_on(request, piece, TagArray::kNone);
  const TagArray::Evicted gone = allocate(request, piece, room);
  if (fetches) {
    tags.reserve(room, piece.sectors);
    traffic_.fetch(request, piece, room, piece.sectors, OutstandingMisses::kNobody);
  } else {
    tags.fill(room, piece.sectors);
  }
  evict(request, gone);
  tell(CacheEvent::What::miss, request, piece, request.requester);
  return true;
}

/// Passes a request on unchanged: write-through stores, atomics that this cache does not execute, and coherent loads of
/// a cache that does not see stores of other SMs. Such a load leaves the line for non-coherent loads, unless it is
/// dirty.
bool CacheLookUp::pass_on(const CacheRequest& request, const LinePiece& piece, TagArray::Place place) {
  TagArray& tags = cache_.lines.tags;
  const bool present = place != TagArray::kNone && (tags.line(place).valid & piece.sectors) != 0;
  const bool reads = request.action == CacheAction::passed_read;
  const bool atomic = request.action == CacheAction::atomic;
  const bool goes =
      present && (reads ? tags.line(place).dirty != 0 : atomic || cache_.parameters.store_hit == StoreHit::evict);
  if (!room_below(request, 1 + (goes ? write_backs_of(place) : 0))) return stall(request, Stall::miss_queue);
  if (reads) {
    ++cache_.counts.reads_passed;
  } else if (atomic) {
    ++cache_.counts.atomics;
  } else {
    ++cache_.counts.stores;
    if (present) ++cache_.counts.store_hits;
  }
  tell(CacheEvent::What::write, request, piece, present ? tags.line(place).owner : request.requester);
  if (goes) {
    evict(request, tags.invalidate(place));
  } else if (present && !reads) {
    tags.touch(place);
  }
  const auto [first, bytes] = cache_.lines.span_of(*request.payload, piece.line);
  const auto waiting = cache_.open.wait(request, 1);
  const auto id = cache_.below.add(RequestsBelow::Kind::passed_on, request.payload->get_command(), first, bytes,
                                   request.info, request.now);
  RequestInfo& info = cache_.below[id].info();
  info.kind = request.kind;
  if (reads) info.sectors = request.info->sectors;
  cache_.below[id].waiting = waiting;
  return true;
}

}  // namespace heddle::memory
