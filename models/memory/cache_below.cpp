// SPDX-License-Identifier: Apache-2.0
// What a cache asks of the level below it, and what comes back.
#include <algorithm>
#include <bit>

#include "core/error.h"
#include "memory/cache.h"
#include "memory/functional.h"

namespace heddle::memory {

std::uint32_t Cache::new_child(Child::Kind kind, tlm::tlm_command command, std::uint64_t address, unsigned bytes,
                               const RequestInfo* parent) {
  std::uint32_t number = free_child_;
  if (number != kNone) {
    free_child_ = children_[number].next_free;
  } else {
    number = static_cast<std::uint32_t>(children_.size());
    children_.emplace_back();
  }
  Child& child = children_[number];
  child.kind = kind;
  child.sent = false;
  child.carries_bytes = false;
  child.payload = &pool_.take(command, address, bytes);
  child.requested = domain_.now();
  RequestInfo& info = *RequestInfo::of(*child.payload);
  if (parent != nullptr) {
    info.kind = parent->kind;
    info.local = parent->local;
    info.keep_row_open = parent->keep_row_open;
    info.partial = parent->partial;
    info.sm = parent->sm;
    info.context = parent->context;
    info.pc = parent->pc;
  }
  info.access = number;
  outgoing_.push({number, domain_.now() + parameters_.miss_latency});
  counts_.most_queued_below.record(outgoing_.size());
  return number;
}

/// Requests sectors of a line, one request for each run of them, and a miss table entry for each. access: that waits
/// for them, or kNone.
void Cache::fetch(const Request& request, const Piece& piece, TagArray::Place place, SectorMask sectors,
                  std::uint32_t access) {
  const std::uint64_t first_sector = piece.line << (tags_.line_bits() - tags_.sector_bits());
  for (SectorMask rest = sectors; rest != 0;) {
    const auto low = static_cast<unsigned>(std::countr_zero(rest));
    const auto length = static_cast<unsigned>(std::countr_one(rest >> low));
    const SectorMask run = static_cast<SectorMask>((std::uint64_t{1} << length) - 1) << low;
    rest &= ~run;
    const std::uint32_t number =
        new_child(Child::Kind::kFill, tlm::TLM_READ_COMMAND, (first_sector + low) << tags_.sector_bits(),
                  length << tags_.sector_bits(), request.info);
    Child& child = children_[number];
    RequestInfo& info = *RequestInfo::of(*child.payload);
    // Whatever misses here, the level below is asked to read.
    if (request.action != Action::kRead) info.kind = AccessKind::load;
    info.partial = false;
    child.line = piece.line;
    child.place = place;
    child.sectors = run;
    child.owner = request.requester;
    for (unsigned sector = low; sector < low + length; ++sector) {
      const auto entry = misses_.allocate(first_sector + sector, request.requester);
      if (access != kNone) misses_.add(entry, access);
      if (entry >= child_of_entry_.size()) child_of_entry_.resize(entry + 1);
      child_of_entry_[entry] = number;
    }
  }
}

/// A line has gone; what only it knew is written below.
void Cache::evicted(const TagArray::Evicted& gone, std::uint32_t requester, bool write_back) {
  ++counts_.evictions;
  if (!listeners_.empty()) {
    tell({CacheEvent::What::evict, AccessKind::write_back, gone.line << tags_.line_bits(), requester, gone.state.owner,
          0, domain_.now()});
  }
  if (!write_back) return;
  const std::uint64_t first_sector = gone.line << (tags_.line_bits() - tags_.sector_bits());
  for (SectorMask rest = gone.state.dirty; rest != 0;) {
    const auto low = static_cast<unsigned>(std::countr_zero(rest));
    const auto length = static_cast<unsigned>(std::countr_one(rest >> low));
    rest &= ~(static_cast<SectorMask>((std::uint64_t{1} << length) - 1) << low);
    const std::uint32_t child =
        new_child(Child::Kind::kWriteBack, tlm::TLM_WRITE_COMMAND, (first_sector + low) << tags_.sector_bits(),
                  length << tags_.sector_bits(), nullptr);
    RequestInfo& info = *RequestInfo::of(*children_[child].payload);
    info.kind = AccessKind::write_back;
    info.local = true;
    info.sm = static_cast<std::uint16_t>(gone.state.owner >> 16);
    info.context = static_cast<std::uint16_t>(gone.state.owner);
    ++counts_.write_backs;
  }
}

void Cache::reply_from_below(Payload& payload) {
  ++counts_.replies_below;
  const auto number = static_cast<std::uint32_t>(RequestInfo::of(payload)->access);
  Child& child = children_[number];
  const tlm::tlm_response_status status = payload.get_response_status();
  if (status == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE && payload.is_write() && !child.carries_bytes) {
    // A memory that takes no byte enables: from now on writes carry the very bytes they overwrite.
    refuses_byte_enables_ = true;
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    outgoing_.push({number, domain_.now()});
    return;
  }
  switch (child.kind) {
    case Child::Kind::kFill:
      filled(number, status);
      break;
    case Child::Kind::kPassedOn:
      passed_on(child, status);
      break;
    case Child::Kind::kWriteBack:
      break;
  }
  const bool write = payload.is_write();
  release_child(number);
  if (write) resume(Stall::kWrites);
}

/// Where a line goes that got no place when it was asked for: where it is, if an earlier reply brought sectors of it,
/// or in place of another. What that one has to write below joins the queue beyond its places. kNone where every line
/// of the set is on its way.
TagArray::Place Cache::place_for(std::uint64_t line, std::uint32_t owner) {
  const unsigned set = set_of(line);
  if (const auto place = tags_.find(set, line); place != TagArray::kNone) return place;
  const TagArray::Place room = tags_.make_room(set);
  if (room == TagArray::kNone) return room;
  const TagArray::Evicted gone = tags_.allocate(room, line, owner);
  if (gone.any) evicted(gone, owner, true);
  return room;
}

void Cache::filled(std::uint32_t number, tlm::tlm_response_status status) {
  const Cycle now = domain_.now();
  const bool good = status > 0;
  TagArray::Place place = children_[number].place;
  if (place == TagArray::kNone && good) place = place_for(children_[number].line, children_[number].owner);
  const Child& child = children_[number];
  // Without merging between owners a line can have been filled, and even replaced, by an earlier reply.
  const bool present = place != TagArray::kNone && tags_.tag(place) == child.line;
  if (present) good ? tags_.fill(place, child.sectors) : tags_.cancel(place, child.sectors);
  const unsigned width = parameters_.fill_bytes_per_cycle;
  fill_free_ = now + (width == 0 ? 1 : (child.payload->get_data_length() + width - 1) / width);
  if (!bank_free_.empty()) {
    // Behind what the bank is doing.
    const unsigned set = set_of(child.line);
    const Cycle free = std::max(bank_free_[bank_of(set)], now);
    hold_bank(set, free - now + (fill_free_ - now));
  }
  const std::uint64_t first_sector = child.line << (tags_.line_bits() - tags_.sector_bits());
  for (SectorMask rest = child.sectors; rest != 0; rest &= rest - 1) {
    const auto sector = static_cast<unsigned>(std::countr_zero(rest));
    ++counts_.fills;
    counts_.miss_cycles += now - child.requested;
    const auto entry = misses_.find(first_sector + sector, child.owner);
    misses_.complete(entry, [&](std::uint32_t waiting) {
      Access& access = accesses_[waiting];
      if (!good) access.status = status;
      if (good && present && access.action != Action::kRead) tags_.write(place, SectorMask{1} << sector);
      if (--access.waiting == 0 && access.looked_up) finish(waiting);
    });
    resume(Stall::kMerge, entry);
  }
  resume(Stall::kMissTable);
  resume(Stall::kWays, set_of(child.line));
  if (!listeners_.empty()) {
    tell({CacheEvent::What::fill, RequestInfo::of(*child.payload)->kind, child.line << tags_.line_bits(), child.owner,
          child.owner, 0, now});
  }
}

void Cache::passed_on(const Child& child, tlm::tlm_response_status status) {
  Access& access = accesses_[child.access];
  if (status <= 0) access.status = status;
  if (--access.waiting == 0 && access.looked_up) finish(child.access);
}

void Cache::release_child(std::uint32_t number) {
  Child& child = children_[number];
  child.payload->release();
  child.payload = nullptr;
  child.bytes.clear();
  child.next_free = free_child_;
  free_child_ = number;
}

/// Gives a write the very bytes that lie at its address, in place of byte enables: the bytes themselves where direct
/// access is granted, so that it writes nothing new whenever it is done; else a copy of them as they are now.
void Cache::carry_bytes(Child& child) {
  child.carries_bytes = true;
  Payload& payload = *child.payload;
  const std::uint64_t first = payload.get_address();
  const unsigned length = payload.get_data_length();
  const auto carry = [&](unsigned char* bytes) {
    payload.set_byte_enable_ptr(nullptr);
    payload.set_byte_enable_length(0);
    payload.set_data_ptr(bytes);
  };
  Payload read;
  read.set_command(tlm::TLM_READ_COMMAND);
  read.set_address(first);
  tlm::tlm_dmi dmi;
  if (below_.socket->get_direct_mem_ptr(read, dmi) && dmi.is_read_write_allowed() && dmi.get_start_address() <= first &&
      first + length - 1 <= dmi.get_end_address()) {
    carry(dmi.get_dmi_ptr() + (first - dmi.get_start_address()));
    return;
  }
  child.bytes.assign(length, 0);
  read.set_data_ptr(child.bytes.data());
  read.set_data_length(length);
  read.set_streaming_width(length);
  const unsigned moved = bytes_.access(read, [this](Payload& run) { return below_.socket->transport_dbg(run); });
  // Bytes that are not known are not written: with its byte enables the write is refused, and its initiator told.
  if (moved == length) carry(child.bytes.data());
}

/// Whether a write below, sent or about to be, overlaps a request.
bool Cache::writes_under_way(const Payload& payload) const {
  const std::uint64_t first = payload.get_address(), end = first + payload.get_data_length();
  return std::any_of(children_.begin(), children_.end(), [&](const Child& child) {
    return child.payload != nullptr && child.payload->is_write() && child.payload->get_address() < end &&
           child.payload->get_address() + child.payload->get_data_length() > first;
  });
}

void Cache::invalidate() {
  tags_.invalidate_all([this](const TagArray::Evicted& gone) { evicted(gone, gone.state.owner, false); });
}

void Cache::preload(std::uint64_t address) {
  const std::uint64_t line = address >> tags_.line_bits();
  const unsigned set = set_of(line);
  TagArray::Place place = tags_.find(set, line);
  if (place == TagArray::kNone) {
    place = tags_.make_room(set);
    if (place == TagArray::kNone) return;
    tags_.allocate(place, line, CacheEvent::kNobody);
  }
  tags_.fill(place, static_cast<SectorMask>((std::uint64_t{1} << tags_.sectors()) - 1));
}

void Cache::blocking(unsigned, Payload& payload, sc_core::sc_time& delay) {
  const Request request = classify(payload);
  delay += domain_.time_of(parameters_.lookup_latency);
  if (parameters_.read_only && request.action != Action::kRead) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  const std::uint64_t line = payload.get_address() >> tags_.line_bits();
  const bool one_line = payload.get_data_length() != 0 &&
                        (payload.get_address() + payload.get_data_length() - 1) >> tags_.line_bits() == line;
  if (one_line && payload.is_read() && request.action == Action::kRead) {
    const Piece piece = piece_of(request, line);
    const TagArray::Place place = tags_.find(piece.set, line);
    if (place != TagArray::kNone && (piece.sectors & ~tags_.line(place).valid) == 0) {
      delay += domain_.time_of(parameters_.data_latency);
      if (request.info != nullptr) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
      } else {
        move_bytes(payload, [this](Payload& run) { return below_.socket->transport_dbg(run); });
      }
      return;
    }
  }
  delay += domain_.time_of(parameters_.miss_latency);
  below_.socket->b_transport(payload, delay);
}

void Cache::direct_invalid(unsigned, std::uint64_t first, std::uint64_t last) {
  for (auto& socket : sockets_) socket->port.invalidate_direct(first, last);
}

}  // namespace heddle::memory
