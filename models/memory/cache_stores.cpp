// SPDX-License-Identifier: Apache-2.0
// Stores in a cache: what each write policy does with one; and requests that go on to the level below as they are.
#include "memory/cache.h"

namespace heddle::memory {

bool Cache::store(unsigned number, const Request& request, const Piece& piece, TagArray::Place place) {
  const bool local = request.info != nullptr && request.info->local;
  const WritePolicy policy = local ? parameters_.local_store : parameters_.global_store;
  if (policy == WritePolicy::kWriteThrough) {
    return place == TagArray::kNone && parameters_.allocate_on_store ? allocate_through(number, request, piece)
                                                                     : pass_on(number, request, piece, place);
  }
  const bool present = place != TagArray::kNone;
  if (present && (piece.sectors & ~tags_.line(place).valid) == 0) return hit(request, piece, place);
  if (!present && !parameters_.allocate_on_store) return pass_on(number, request, piece, place);
  if (!piece.whole || parameters_.fetch_on_whole_store) return miss(number, request, piece, place);
  if (present) return hit(request, piece, place);
  return allocate_whole(number, request, piece);
}

/// A store that writes all bytes of its sectors needs nothing from below.
bool Cache::allocate_whole(unsigned number, const Request& request, const Piece& piece) {
  const TagArray::Place room = tags_.make_room(piece.set);
  if (room == TagArray::kNone) return stall(number, Stall::kWays, piece.set);
  if (!room_below(number, runs_of(tags_.line(room).dirty))) return stall(number, Stall::kMissQueue);
  const TagArray::Evicted gone = tags_.allocate(room, piece.line, request.requester);
  tags_.write(room, piece.sectors);
  if (gone.any) evicted(gone, request.requester, true);
  ++counts_.stores;
  tell(CacheEvent::What::miss, request, piece.line, request.requester);
  return true;
}

/// A store that is written through and misses, where it leaves a line: the line is clean; what the store does not write
/// of it is fetched behind the store, and the store waits for neither.
bool Cache::allocate_through(unsigned number, const Request& request, const Piece& piece) {
  const bool fetches = !piece.whole || parameters_.fetch_on_whole_store;
  const std::uint64_t first_sector = piece.line << (tags_.line_bits() - tags_.sector_bits());
  if (fetches) {
    for (SectorMask rest = piece.sectors; rest != 0; rest &= rest - 1) {
      // Without merging between owners: still on its way for a line that has gone.
      const auto sector = first_sector + static_cast<unsigned>(std::countr_zero(rest));
      if (misses_.find(sector, request.requester) != MissTable::kNone)
        return pass_on(number, request, piece, TagArray::kNone);
    }
    if (misses_.free_entries() < count_of(piece.sectors)) return stall(number, Stall::kMissTable);
  }
  const TagArray::Place room = tags_.make_room(piece.set);
  if (room == TagArray::kNone) return stall(number, Stall::kWays, piece.set);
  if (!room_below(number, 1 + (fetches ? runs_of(piece.sectors) : 0) + runs_of(tags_.line(room).dirty)))
    return stall(number, Stall::kMissQueue);
  pass_on(number, request, piece, TagArray::kNone);
  const TagArray::Evicted gone = tags_.allocate(room, piece.line, request.requester);
  if (fetches) {
    tags_.reserve(room, piece.sectors);
    fetch(request, piece, room, piece.sectors, kNone);
  } else {
    tags_.fill(room, piece.sectors);
  }
  if (gone.any) evicted(gone, request.requester, true);
  tell(CacheEvent::What::miss, request, piece.line, request.requester);
  return true;
}

/// What is not done here goes below as it is: stores written through, atomics of a cache that does none, coherent loads
/// of a cache that other SMs do not write. Such a load leaves the line for loads that need not be coherent, unless only
/// this cache knows some of its bytes.
bool Cache::pass_on(unsigned number, const Request& request, const Piece& piece, TagArray::Place place) {
  const bool present = place != TagArray::kNone && (tags_.line(place).valid & piece.sectors) != 0;
  const bool reads = request.action == Action::kPassedRead;
  const bool goes = present && (reads ? tags_.line(place).dirty != 0
                                      : request.action == Action::kAtomic || parameters_.store_hit == StoreHit::kEvict);
  if (!room_below(number, 1 + (goes ? runs_of(tags_.line(place).dirty) : 0))) return stall(number, Stall::kMissQueue);
  if (reads) {
    ++counts_.reads_passed;
  } else if (request.action == Action::kAtomic) {
    ++counts_.atomics;
  } else {
    ++counts_.stores;
    if (present) ++counts_.store_hits;
  }
  tell(CacheEvent::What::write, request, piece.line, present ? tags_.line(place).owner : request.requester);
  if (goes) {
    evicted(tags_.invalidate(place), request.requester, true);
  } else if (present && !reads) {
    tags_.touch(place);
  }
  const std::uint64_t line_first = piece.line << tags_.line_bits();
  const std::uint64_t address = request.payload->get_address();
  const std::uint64_t first = std::max(address, line_first);
  const std::uint64_t end =
      std::min(address + request.payload->get_data_length(), line_first + (std::uint64_t{1} << tags_.line_bits()));
  ++access_of(number, request).waiting;
  const std::uint32_t child = new_child(Child::Kind::kPassedOn, request.payload->get_command(), first,
                                        static_cast<unsigned>(end - first), request.info);
  RequestInfo& info = *RequestInfo::of(*children_[child].payload);
  info.kind = request.kind;
  if (reads) info.sectors = request.info->sectors;
  children_[child].access = sockets_[number]->access;
  return true;
}

}  // namespace heddle::memory
