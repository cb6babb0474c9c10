// SPDX-License-Identifier: Apache-2.0
// Loads, atomics, and stores that hit. For other stores see stores.cpp.
#include "memory/cache/look_up.h"

namespace heddle::memory {

Cycle CacheLookUp::look_up(const CacheRequest& request, const LinePiece& piece) {
  const TagArray::Place place = cache_.lines.find(piece);
  due_ = request.now + cache_.parameters.data_latency;
  return act(request, piece, place) ? due_ : kNever;
}

bool CacheLookUp::act(const CacheRequest& request, const LinePiece& piece, TagArray::Place place) {
  switch (request.action) {
    case CacheAction::store:
      return store(request, piece, place);
    case CacheAction::passed_read:
      return pass_on(request, piece, place);
    case CacheAction::atomic:
      if (!cache_.parameters.executes_atomics) return pass_on(request, piece, place);
      [[fallthrough]];
    case CacheAction::read:
      break;
  }
  return cache_.lines.holds(piece, place) ? hit(request, piece, place) : miss(request, piece, place);
}

bool CacheLookUp::hit(const CacheRequest& request, const LinePiece& piece, TagArray::Place place) {
  TagArray& tags = cache_.lines.tags;
  tags.touch(place);
  switch (request.action) {
    case CacheAction::read:
    case CacheAction::passed_read:
      ++cache_.counts.read_hits;
      break;
    case CacheAction::store:
      ++cache_.counts.stores;
      ++cache_.counts.store_hits;
      tags.write(place, piece.sectors, request.local());
      break;
    case CacheAction::atomic:
      ++cache_.counts.atomics;
      tags.write(place, piece.sectors, request.local());
      due_ = std::max(due_, cache_.times.atomic_turn(request.now) + cache_.parameters.data_latency);
      break;
  }
  cache_.times.hit(piece.set, std::min(request.payload->get_data_length(), 1U << tags.line_bits()), request.now);
  tell(CacheEvent::What::hit, request, piece, tags.line(place).owner);
  return true;
}

bool CacheLookUp::miss(const CacheRequest& request, const LinePiece& piece, TagArray::Place place) {
  TagArray& tags = cache_.lines.tags;
  // 1. Find the absent sectors and check that all of them can be requested or merged in this cycle.
  const SectorMask absent = piece.sectors & ~(place != TagArray::kNone ? tags.line(place).valid : 0);
  const std::uint64_t first_sector = cache_.lines.first_sector(piece.line);
  const auto [fresh, full] = cache_.misses.find(first_sector, absent, request.requester);
  if (full != MissTable::kNone) return stall(request, Stall::merge, full);
  TagArray::Place room = place;
  if (fresh != 0) {
    if (cache_.misses.free_entries() < count_of(fresh) ||
        cache_.stalls.kept_for_elder(request.socket, Stall::miss_table))
      return stall(request, Stall::miss_table);
    unsigned to_send = runs_of(fresh);
    if (place == TagArray::kNone && cache_.parameters.allocate == Allocate::on_miss) {
      room = tags.make_room(piece.set);
      if (room == TagArray::kNone) return stall(request, Stall::ways, piece.set);
      to_send += write_backs_of(room);
    }
    if (!room_below(request, to_send)) return stall(request, Stall::miss_queue);
  }
  // 2. Merge into outstanding misses, request the rest, then write back the victim.
  const OpenRequests::Id waiting = cache_.open.wait(request, count_of(absent));
  cache_.misses.merge(first_sector, absent & ~fresh, request.requester, waiting, [&](RequestsBelow::Id id) {
    // A hint survives merging if the request has not been sent.
    if (request.info != nullptr && request.info->keep_row_open && !cache_.below[id].sent)
      cache_.below[id].info().keep_row_open = true;
  });
  TagArray::Evicted gone;
  if (fresh != 0) {
    if (place == TagArray::kNone && room != TagArray::kNone) gone = allocate(request, piece, room);
    if (room != TagArray::kNone) tags.reserve(room, fresh);
    traffic_.fetch(request, piece, room, fresh, waiting);
  } else if (cache_.parameters.owner_follows_merge && place != TagArray::kNone) {
    tags.set_owner(place, request.requester);
  }
  evict(request, gone);
  switch (request.action) {
    case CacheAction::read:
    case CacheAction::passed_read:
      ++(fresh != 0 ? cache_.counts.read_misses : cache_.counts.read_merges);
      break;
    case CacheAction::store:
      ++cache_.counts.stores;
      break;
    case CacheAction::atomic:
      ++cache_.counts.atomics;
      break;
  }
  cache_.counts.most_misses.record(cache_.misses.used());
  tell(fresh != 0 ? CacheEvent::What::miss : CacheEvent::What::merge, request, piece, request.requester);
  return true;
}

}  // namespace heddle::memory
