// SPDX-License-Identifier: Apache-2.0
// The cycle of a cache.
#include "memory/cache/cache.h"

#include <algorithm>

namespace heddle::memory {

Cache::Cache(sc_core::sc_module_name name, ClockDomain& domain, const CacheParameters& parameters,
             const StatisticsGroup& statistics, Services& services, const CacheSetting& setting)
    : sc_module(name),
      uses("uses"),
      domain_(domain),
      of_one_sm_(setting.of_one_sm),
      parts_(parameters, statistics, services, setting, domain.whole().name()),
      below_("out", domain, *this, *this, 0, {2, parameters.fill_latency}) {
  const TargetPortParameters port{parameters.input_queue + parameters.lookup_latency - 1, parameters.lookup_latency};
  for (unsigned i = 0; i < setting.sockets; ++i) {
    const std::string socket_name = setting.sockets == 1 ? "in" : "in" + std::to_string(i);
    ports_.push_back(std::make_unique<TargetPort>(socket_name.c_str(), domain, *this,
                                                  static_cast<BaseProtocolOwner&>(*this), i, port));
  }
  domain_.add(*this);
  uses.bind(*this);
}

Cache::~Cache() = default;

/// Fetches what the steps look at first into the host's caches: all at once takes a fraction of one after the other.
void Cache::fetch_ahead() const {
  const auto fetch = [](const Payload* payload) {
    for (std::size_t at = 0; payload != nullptr && at < sizeof(PooledPayload); at += 64)
      __builtin_prefetch(reinterpret_cast<const char*>(payload) + at);
  };
  fetch(below_.front());
  for (const auto& port : ports_) fetch(port->front());
}

void Cache::tick() {
  fetch_ahead();
  if (!uses_.empty()) learn_uses(domain_.now());
  take_replies_from_below();
  look_up();
  send_below();
  reply();
}

// 1. Fills and replies from below: one fill per cycle, or less with a narrow fill port.
void Cache::take_replies_from_below() {
  below_.admit();
  const Cycle now = domain_.now();
  fill_waits_ = false;
  while (Payload* payload = below_.front()) {
    if (parts_.times.fill_free() > now) {
      domain_.wake(*this, parts_.times.fill_free());
      break;
    }
    if (parts_.open.full()) {
      fill_waits_ = true;  // reply() retries
      break;
    }
    below_.pop();
    traffic_.reply(*payload, now);
  }
  below_.sleep();
}

// 2. Up to `ports` look-ups, sockets in round-robin order, the one refused longest first.
void Cache::look_up() {
  const auto count = static_cast<unsigned>(ports_.size());
  for (auto& port : ports_) port->admit();
  const Cycle now = domain_.now();
  unsigned left = parts_.parameters.ports;
  unsigned next_turn = turn_;
  const unsigned first = parts_.stalls.first(turn_);
  bool visible = false;
  bank_wake_ = kNever;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned number = first + i < count ? first + i : first + i - count;
    TargetPort& port = *ports_[number];
    while (!parts_.stalls.stalled(number) && port.front() != nullptr) {
      if (left == 0 || parts_.times.data_free() > now) {
        visible = true;
        break;
      }
      if (look_up_oldest(number)) {
        --left;
        parts_.stalls.served(number);
      } else if (!parts_.stalls.stalled(number)) {
        break;  // bank busy
      }
      next_turn = number + 1 == count ? 0 : number + 1;
    }
    port.sleep();
  }
  turn_ = next_turn;
  if (visible) domain_.wake(*this, std::max(parts_.times.data_free(), now + 1));
  if (bank_wake_ != kNever) domain_.wake(*this, bank_wake_);
}

/// Looks up the next line of a socket's oldest request. True if that used a look-up port.
bool Cache::look_up_oldest(unsigned number) {
  const Cycle now = domain_.now();
  OpenRequests& open = parts_.open;
  if (!open.room(number)) return parts_.stalls.stall(number, Stall::replies, now);
  Payload& payload = *ports_[number]->front();
  const CacheRequest request = CacheRequest::of(payload, of_one_sm_, number, now);
  const bool refused = refuses(request);
  const unsigned bytes = payload.get_data_length();
  if (refused || payload.get_command() == tlm::TLM_IGNORE_COMMAND || bytes == 0) {
    ports_[number]->pop();
    ++parts_.counts.requests;
    open.answer(request, now + parts_.parameters.data_latency,
                refused ? tlm::TLM_COMMAND_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    return true;
  }
  const std::uint64_t last = parts_.lines.line_of(payload.get_address() + bytes - 1);
  const std::uint64_t line = parts_.lines.line_of(payload.get_address()) + open.lines_done(number);
  const bool foreign_write = request.info == nullptr && payload.is_write() && open.lines_done(number) == 0;
  // A write below carries the bytes it overwrites; they must not change until it is done.
  if (foreign_write && parts_.below.refuses_byte_enables() && parts_.below.writes_to(payload))
    return parts_.stalls.stall(number, Stall::writes, now);
  const LinePiece piece = parts_.lines.piece_of(request, line);
  if (parts_.times.banked()) {
    if (const Cycle free = parts_.times.bank_free(piece.set); free > now) {
      parts_.stalls.wait_for_bank(number, now);
      bank_wake_ = std::min(bank_wake_, free);
      return false;
    }
    parts_.stalls.bank_came(number, now);
  }
  const Cycle due = look_up_.look_up(request, piece);
  if (due == kNever) return false;
  if (request.info != nullptr && request.info->reports_miss && look_up_.missed()) {
    request.info->reports_miss = false;
    ports_[number]->report_miss(payload);
  }
  parts_.times.look_up(piece.set, now);
  if (foreign_write) move_bytes(payload);
  if (line != last) {
    open.next_line(request);
  } else {
    ports_[number]->pop();
    ++parts_.counts.requests;
    open.looked_up(request, due);
  }
  return true;
}

// 3. One request below per cycle.
void Cache::send_below() {
  RequestsBelow& queue = parts_.below;
  if (queue.empty()) return;
  const Cycle now = domain_.now();
  if (queue.ready() <= now && below_.can_send()) {
    below_.send(queue.send(*below_.socket.operator->(), bytes_));
    if (parts_.stalls.resume(Stall::miss_queue, now)) domain_.wake(*this, now + 1);
    if (queue.empty()) return;
  }
  if (queue.ready() > now + 1) {
    domain_.wake(*this, queue.ready());
  } else {
    below_.wait_to_send();
  }
}

// 4. One reply per cycle and socket.
void Cache::reply() {
  OpenRequests& open = parts_.open;
  if (open.replies() == 0) return;
  const Cycle now = domain_.now();
  for (unsigned i = 0; i < ports_.size(); ++i) {
    TargetPort& port = *ports_[i];
    if (port.can_respond() && open.due(i) <= now) {
      const CacheReply reply = open.take(i);
      ++parts_.counts.replies;
      Payload& payload = *reply.payload;
      if (!reply.foreign || reply.status != tlm::TLM_OK_RESPONSE) {
        payload.set_response_status(reply.status);
      } else if (payload.is_read()) {
        move_bytes(payload);
      }
      port.respond(payload);
      if (parts_.stalls.resume(Stall::replies, now) || fill_waits_) domain_.wake(*this, now + 1);
    }
    const Cycle next = open.due(i);
    if (next == kNever) continue;
    if (next > now + 1) {
      domain_.wake(*this, next);
    } else {
      port.wait_to_respond();
    }
  }
}

/// Uses in a cycle reach the tags in the next, so that the order of modules within a cycle does not matter.
void Cache::used(std::uint64_t address) {
  const Cycle now = domain_.arrival_cycle() - 1;
  learn_uses(now);
  uses_.push_back(parts_.lines.line_of(address));
  uses_at_ = now;
  ++parts_.counts.requests;
  ++parts_.counts.read_hits;
  ++parts_.counts.replies;
}

void Cache::learn_uses(Cycle before) {
  if (uses_at_ >= before) return;
  TagArray& tags = parts_.lines.tags;
  for (std::uint64_t line : uses_) {
    const TagArray::Place place = tags.find(parts_.lines.set_of(line), line);
    if (place != TagArray::kNone) tags.touch(place);
  }
  uses_.clear();
}

void Cache::invalidate() {
  parts_.lines.tags.invalidate_all([this](const TagArray::Evicted& gone) { traffic_.dropped(gone, domain_.now()); });
}

void Cache::preload(std::uint64_t address) {
  TagArray& tags = parts_.lines.tags;
  const std::uint64_t line = parts_.lines.line_of(address);
  const unsigned set = parts_.lines.set_of(line);
  TagArray::Place place = tags.find(set, line);
  if (place == TagArray::kNone) {
    place = tags.make_room(set);
    if (place == TagArray::kNone) return;
    tags.allocate(place, line, CacheEvent::kNobody);
  }
  tags.fill(place, static_cast<SectorMask>((std::uint64_t{1} << tags.sectors()) - 1));
}

void Cache::blocking(unsigned port, Payload& payload, sc_core::sc_time& delay) {
  const CacheParameters& p = parts_.parameters;
  const CacheRequest request = CacheRequest::of(payload, of_one_sm_, port, domain_.now());
  delay += domain_.time_of(p.lookup_latency);
  if (refuses(request)) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  const std::uint64_t line = parts_.lines.line_of(payload.get_address());
  const bool one_line = payload.get_data_length() != 0 &&
                        parts_.lines.line_of(payload.get_address() + payload.get_data_length() - 1) == line;
  if (one_line && payload.is_read() && request.action == CacheAction::read) {
    const LinePiece piece = parts_.lines.piece_of(request, line);
    if (parts_.lines.holds(piece, parts_.lines.find(piece))) {
      delay += domain_.time_of(p.data_latency);
      if (request.info != nullptr) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
      } else {
        move_bytes(payload);
      }
      return;
    }
  }
  delay += domain_.time_of(p.miss_latency);
  below_.socket->b_transport(payload, delay);
}

void Cache::direct_invalid(unsigned, std::uint64_t first, std::uint64_t last) {
  for (auto& port : ports_) port->invalidate_direct(first, last);
}

HEDDLE_REGISTER(CacheLevel, Cache, "set_associative", "the set-associative cache model", "docs/mechanisms/caches.md");

}  // namespace heddle::memory
