// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/line_traffic.h"

namespace heddle::memory {

void LineTraffic::fetch(const CacheRequest& request, const LinePiece& piece, TagArray::Place place, SectorMask sectors,
                        std::uint32_t waiting) {
  const std::uint64_t first_sector = cache_.lines.first_sector(piece.line);
  const unsigned sector_bits = cache_.lines.tags.sector_bits();
  for_each_run(sectors, [&](unsigned low, unsigned length, SectorMask run) {
    const auto id =
        cache_.below.add(RequestsBelow::Kind::fill, tlm::TLM_READ_COMMAND, (first_sector + low) << sector_bits,
                         length << sector_bits, request.info, request.now);
    RequestsBelow::Request& below = cache_.below[id];
    RequestInfo& info = below.info();
    // A fetch is a read, whatever request missed.
    if (request.action != CacheAction::read) info.kind = AccessKind::load;
    info.partial = false;
    below.line = piece.line;
    below.place = place;
    below.sectors = run;
    below.owner = request.requester;
    cache_.misses.begin(first_sector, run, request.requester, waiting, id);
  });
}

void LineTraffic::tell_evicted(const TagArray::Evicted& gone, Requester requester, Cycle now) {
  ++cache_.counts.evictions;
  if (!cache_.observers.any()) return;
  cache_.observers.tell({CacheEvent::What::evict, AccessKind::write_back, cache_.lines.address_of(gone.line), requester,
                         gone.state.owner, 0, now});
}

void LineTraffic::evicted(const TagArray::Evicted& gone, Requester requester, Cycle now) {
  tell_evicted(gone, requester, now);
  const std::uint64_t first_sector = cache_.lines.first_sector(gone.line);
  const unsigned sector_bits = cache_.lines.tags.sector_bits();
  for_each_run(gone.state.dirty, [&](unsigned low, unsigned length, SectorMask) {
    cache_.below.write_back((first_sector + low) << sector_bits, length << sector_bits, gone.state.owner, gone.local,
                            now);
  });
}

void LineTraffic::reply(const tlm::tlm_generic_payload& payload, Cycle now) {
  ++cache_.counts.replies_below;
  const RequestsBelow::Id id = RequestsBelow::of(payload);
  if (cache_.below.refused(id, now)) return;
  const RequestsBelow::Request& request = cache_.below[id];
  switch (request.kind) {
    case RequestsBelow::Kind::fill:
      filled(id, payload.get_response_status(), now);
      break;
    case RequestsBelow::Kind::passed_on:
      cache_.open.arrived(request.waiting, payload.get_response_status(), now);
      break;
    case RequestsBelow::Kind::write_back:
      break;
  }
  if (cache_.below.answered(id)) cache_.stalls.resume(Stall::writes, now);
}

/// Place for an arriving line that has none allocated: its present place, if an earlier reply brought sectors of it, or
/// that of a victim. The victim's write-backs may exceed the capacity of the queue. kNone if every line of the set is
/// outstanding.
TagArray::Place LineTraffic::place_for(std::uint64_t line, Requester owner, Cycle now) {
  TagArray& tags = cache_.lines.tags;
  const unsigned set = cache_.lines.set_of(line);
  if (const auto place = tags.find(set, line); place != TagArray::kNone) return place;
  const TagArray::Place room = tags.make_room(set);
  if (room == TagArray::kNone) return room;
  const TagArray::Evicted gone = tags.allocate(room, line, owner);
  if (gone.any) evicted(gone, owner, now);
  return room;
}

void LineTraffic::filled(RequestsBelow::Id id, tlm::tlm_response_status status, Cycle now) {
  TagArray& tags = cache_.lines.tags;
  const bool good = status > 0;
  TagArray::Place place = cache_.below[id].place;
  if (place == TagArray::kNone && good) place = place_for(cache_.below[id].line, cache_.below[id].owner, now);
  const RequestsBelow::Request& below = cache_.below[id];
  // Without merging across owners, an earlier reply may already have filled the line, and it may even be gone again.
  const bool present = place != TagArray::kNone && tags.tag(place) == below.line;
  if (present) good ? tags.fill(place, below.sectors) : tags.cancel(place, below.sectors);
  const unsigned set = cache_.lines.set_of(below.line);
  cache_.times.fill(set, below.payload->get_data_length(), now);
  const std::uint64_t first_sector = cache_.lines.first_sector(below.line);
  for (SectorMask rest = below.sectors; rest != 0; rest &= rest - 1) {
    const auto sector = static_cast<unsigned>(std::countr_zero(rest));
    ++cache_.counts.fills;
    cache_.counts.miss_cycles += now - below.requested;
    const auto entry = cache_.misses.end(first_sector + sector, below.owner, [&](std::uint32_t waiting) {
      if (good && present && cache_.open.action(waiting) != CacheAction::read)
        tags.write(place, SectorMask{1} << sector, cache_.open.local(waiting));
      cache_.open.arrived(waiting, status, now);
    });
    cache_.stalls.resume(Stall::merge, now, entry);
  }
  cache_.stalls.resume(Stall::miss_table, now);
  cache_.stalls.resume(Stall::ways, now, set);
  if (!cache_.observers.any()) return;
  cache_.observers.tell({CacheEvent::What::fill, below.info().kind, cache_.lines.address_of(below.line), below.owner,
                         below.owner, 0, now});
}

}  // namespace heddle::memory
