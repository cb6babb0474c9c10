// SPDX-License-Identifier: Apache-2.0
// The cycle of a cache, and the look-up. Stores are in cache_stores.cpp, what goes on below it in cache_below.cpp.
#include "memory/cache.h"

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "memory/functional.h"

namespace heddle::memory {
namespace {

const TextTable kOutcomes = {"hit", "miss", "merge", "write", "fill", "evict"};

std::uint32_t requester_of(const RequestInfo* info) {
  return info == nullptr ? CacheEvent::kNobody : std::uint32_t{info->sm} << 16 | info->context;
}

}  // namespace

Cache::Cache(sc_core::sc_module_name name, ClockDomain& domain, const CacheParameters& parameters,
             const StatisticsGroup& statistics, Services& services, const CacheSetting& setting)
    : sc_module(name),
      uses("uses"),
      domain_(domain),
      parameters_(parameters),
      setting_(setting),
      tags_(parameters.tags, setting.seed),
      misses_(parameters.miss_table),
      below_("out", domain, *this, *this, 0, {2, parameters.fill_latency}),
      outgoing_capacity_(std::size_t{parameters.miss_queue} + parameters.miss_latency),
      counts_(statistics),
      probe_(services.probes, statistics.owner().name() + "." + statistics.name(), domain.name()) {
  const TargetPortParameters port{parameters.input_queue + parameters.lookup_latency - 1, parameters.lookup_latency};
  for (unsigned i = 0; i < setting_.sockets; ++i) {
    const std::string socket_name = setting_.sockets == 1 ? "in" : "in" + std::to_string(i);
    sockets_.push_back(std::make_unique<Socket>(socket_name.c_str(), domain, *this, i, port));
  }
  if (parameters_.banks > 1) bank_free_.assign(parameters_.banks, 0);
  domain_.add(*this);
  uses.bind(*this);
  declare_structures(services, statistics.owner().name() + "." + statistics.name());
}

Cache::~Cache() = default;

void Cache::tick() {
  if (!uses_.empty()) learn_uses(domain_.now());
  take_replies_from_below();
  look_up();
  send_below();
  reply();
}

// 1. Lines and answers that came from below: one fill a cycle, more slowly through a narrow fill port.
void Cache::take_replies_from_below() {
  below_.admit();
  const Cycle now = domain_.now();
  fill_waits_ = false;
  while (Payload* payload = below_.front()) {
    if (fill_free_ > now) {
      domain_.wake(*this, fill_free_);
      break;
    }
    if (replies_full()) {
      fill_waits_ = true;  // reply() looks again
      break;
    }
    below_.pop();
    reply_from_below(*payload);
  }
  below_.sleep();
}

// 2. Up to `ports` look-ups, sockets in turn, the one that was refused longest first.
void Cache::look_up() {
  const auto count = static_cast<unsigned>(sockets_.size());
  for (auto& socket : sockets_) socket->port.admit();
  const Cycle now = domain_.now();
  unsigned left = parameters_.ports;
  unsigned next_turn = turn_;
  const unsigned first = elder_ != kNone ? elder_ : turn_;
  bool visible = false;
  bank_wake_ = kNever;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned number = first + i < count ? first + i : first + i - count;
    Socket& socket = *sockets_[number];
    while (socket.stall == Stall::kNone && socket.port.front() != nullptr) {
      if (left == 0 || data_free_ > now) {
        visible = true;
        break;
      }
      if (look_up_oldest(number)) {
        --left;
        if (socket.refused_from != kNever) served(number);
      } else if (socket.stall == Stall::kNone) {
        break;  // the bank of its line is held
      }
      next_turn = number + 1 == count ? 0 : number + 1;
    }
    socket.port.sleep();
  }
  turn_ = next_turn;
  if (visible) domain_.wake(*this, std::max(data_free_, now + 1));
  if (bank_wake_ != kNever) domain_.wake(*this, bank_wake_);
}

// 3. One request below a cycle.
void Cache::send_below() {
  if (outgoing_.empty()) return;
  const Cycle now = domain_.now();
  if (outgoing_.front().ready <= now && below_.can_send()) {
    Child& child = children_[outgoing_.pop().child];
    child.sent = true;
    if (refuses_byte_enables_ && child.payload->is_write()) carry_bytes(child);
    ++counts_.requests_below;
    below_.send(*child.payload);
    resume(Stall::kMissQueue);
    if (outgoing_.empty()) return;
  }
  if (outgoing_.front().ready > now + 1) {
    domain_.wake(*this, outgoing_.front().ready);
  } else {
    below_.wait_to_send();
  }
}

// 4. One reply a cycle and socket, the oldest due first: neither hits nor misses can take every place.
void Cache::reply() {
  if (waiting_replies_ == 0) return;
  const Cycle now = domain_.now();
  for (auto& pointer : sockets_) {
    Socket& socket = *pointer;
    const auto due = [](const RingQueue<Reply>& queue) { return queue.empty() ? kNever : queue.front().due; };
    if (socket.port.can_respond()) {
      RingQueue<Reply>& from = due(socket.hits) <= due(socket.ready) ? socket.hits : socket.ready;
      if (due(from) <= now) {
        const Reply reply = from.pop();
        --waiting_replies_;
        ++counts_.replies;
        Payload& payload = *reply.payload;
        if (!reply.foreign || reply.status != tlm::TLM_OK_RESPONSE) {
          payload.set_response_status(reply.status);
        } else if (payload.is_read()) {
          move_bytes(payload, [this](Payload& run) { return below_.socket->transport_dbg(run); });
        }
        socket.port.respond(payload);
        resume(Stall::kReplies);
        if (fill_waits_) domain_.wake(*this, now + 1);
      }
    }
    const Cycle next = std::min(due(socket.hits), due(socket.ready));
    if (next == kNever) continue;
    if (next > now + 1) {
      domain_.wake(*this, next);
    } else {
      socket.port.wait_to_respond();
    }
  }
}

/// What was used in a cycle shows in the tags from the next, whether the call came before or after this cache's turn.
void Cache::used(std::uint64_t address) {
  const Cycle now = domain_.arrival_cycle() - 1;
  learn_uses(now);
  uses_.push_back(address >> tags_.line_bits());
  uses_at_ = now;
  ++counts_.requests;
  ++counts_.read_hits;
  ++counts_.replies;
}

void Cache::learn_uses(Cycle before) {
  if (uses_at_ >= before) return;
  for (std::uint64_t line : uses_) {
    const TagArray::Place place = tags_.find(set_of(line), line);
    if (place != TagArray::kNone) tags_.touch(place);
  }
  uses_.clear();
}

Cache::Request Cache::classify(Payload& payload) const {
  RequestInfo* const info = RequestInfo::of(payload);
  Request request{&payload, info, AccessKind::load, Action::kRead, requester_of(info)};
  request.kind = info != nullptr ? info->kind : payload.is_write() ? AccessKind::store : AccessKind::load;
  switch (request.kind) {
    case AccessKind::store:
    case AccessKind::write_back:
      request.action = Action::kStore;
      break;
    case AccessKind::atomic:
    case AccessKind::reduction:
      request.action = Action::kAtomic;
      break;
    default:
      if (setting_.of_one_sm && info != nullptr && info->coherent) request.action = Action::kPassedRead;
      break;
  }
  return request;
}

unsigned Cache::set_of(std::uint64_t line) const {
  if (!setting_.slices) return tags_.set_of(line);
  return tags_.set_of(setting_.slices->local_address(line << tags_.line_bits()) >> tags_.line_bits());
}

Cache::Piece Cache::piece_of(const Request& request, std::uint64_t line) const {
  Piece piece{line, set_of(line), 1, false};
  const unsigned sector_bits = tags_.sector_bits();
  const std::uint64_t line_first = line << tags_.line_bits();
  const std::uint64_t line_end = line_first + (std::uint64_t{1} << tags_.line_bits());
  const std::uint64_t address = request.payload->get_address();
  const std::uint64_t first = std::max(address, line_first);
  const std::uint64_t end = std::min(address + request.payload->get_data_length(), line_end);
  if (tags_.sectors() > 1) {
    const auto low = static_cast<unsigned>((first - line_first) >> sector_bits);
    const auto high = static_cast<unsigned>((end - 1 - line_first) >> sector_bits);
    const SectorMask touched = (~SectorMask{0} >> (31 - (high - low))) << low;
    piece.sectors = touched;
    if (request.info != nullptr && (touched & request.info->sectors) != 0) piece.sectors &= request.info->sectors;
  }
  if (request.action == Action::kStore) {
    const bool partial =
        request.info != nullptr ? request.info->partial : request.payload->get_byte_enable_ptr() != nullptr;
    const std::uint64_t within = (std::uint64_t{1} << sector_bits) - 1;
    piece.whole = !partial && ((first | end) & within) == 0;
  }
  return piece;
}

/// Looks up the next line of a socket's oldest request. True when that used a look-up.
bool Cache::look_up_oldest(unsigned number) {
  Socket& socket = *sockets_[number];
  if (socket.hits.size() + socket.ready.size() >= std::size_t{parameters_.reply_queue} + parameters_.data_latency) {
    return stall(number, Stall::kReplies);
  }
  Payload& payload = *socket.port.front();
  const Request request = classify(payload);
  reply_due_ = domain_.now() + parameters_.data_latency;
  const bool refused = parameters_.read_only && request.action != Action::kRead;
  const unsigned bytes = payload.get_data_length();
  if (refused || payload.get_command() == tlm::TLM_IGNORE_COMMAND || bytes == 0) {
    socket.port.pop();
    ++counts_.requests;
    socket.hits.push({&payload, reply_due_, false, refused ? tlm::TLM_COMMAND_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE});
    ++waiting_replies_;
    return true;
  }
  const std::uint64_t last = (payload.get_address() + bytes - 1) >> tags_.line_bits();
  const std::uint64_t line = (payload.get_address() >> tags_.line_bits()) + socket.lines_done;
  const bool foreign_write = request.info == nullptr && payload.is_write() && socket.lines_done == 0;
  // Bytes must not change under a write below that carries those it overwrites.
  if (foreign_write && refuses_byte_enables_ && writes_under_way(payload)) return stall(number, Stall::kWrites);
  const Piece piece = piece_of(request, line);
  if (!bank_free_.empty() && !bank_is_free(number, piece.set)) return false;
  if (!look_up_piece(number, request, piece)) return false;
  if (!bank_free_.empty()) hold_bank(piece.set, 1);
  if (foreign_write) {
    move_bytes(payload, [this](Payload& run) { return below_.socket->transport_dbg(run); });
  }
  if (line != last) {
    ++socket.lines_done;
    access_of(number, request);
  } else {
    looked_up(number, request);
  }
  return true;
}

/// Whether the bank of a set can take a look-up; without, the cache looks again when it can.
bool Cache::bank_is_free(unsigned number, unsigned set) {
  const Cycle now = domain_.now();
  Socket& socket = *sockets_[number];
  const Cycle free = bank_free_[bank_of(set)];
  if (free > now) {
    refused(number);
    if (socket.bank_wait_from == kNever) socket.bank_wait_from = now;
    bank_wake_ = std::min(bank_wake_, free);
    return false;
  }
  if (socket.bank_wait_from != kNever) {
    counts_.stall_bank += now - socket.bank_wait_from;
    socket.bank_wait_from = kNever;
  }
  return true;
}

/// A look-up or fill that holds the bank of a set for so many cycles from now, or from when it is free.
void Cache::hold_bank(unsigned set, Cycle cycles) {
  Cycle& free = bank_free_[bank_of(set)];
  free = std::max(free, domain_.now() + cycles);
}

bool Cache::look_up_piece(unsigned socket, const Request& request, const Piece& piece) {
  const TagArray::Place place = tags_.find(piece.set, piece.line);
  switch (request.action) {
    case Action::kStore:
      return store(socket, request, piece, place);
    case Action::kPassedRead:
      return pass_on(socket, request, piece, place);
    case Action::kAtomic:
      if (!parameters_.executes_atomics) return pass_on(socket, request, piece, place);
      [[fallthrough]];
    case Action::kRead:
      break;
  }
  if (place != TagArray::kNone && (piece.sectors & ~tags_.line(place).valid) == 0) return hit(request, piece, place);
  return miss(socket, request, piece, place);
}

bool Cache::hit(const Request& request, const Piece& piece, TagArray::Place place) {
  tags_.touch(place);
  switch (request.action) {
    case Action::kRead:
    case Action::kPassedRead:
      ++counts_.read_hits;
      break;
    case Action::kStore:
      ++counts_.stores;
      ++counts_.store_hits;
      tags_.write(place, piece.sectors);
      break;
    case Action::kAtomic:
      ++counts_.atomics;
      tags_.write(place, piece.sectors);
      reply_due_ = std::max(reply_due_, atomic_turn() + parameters_.data_latency);
      break;
  }
  if (parameters_.data_bytes_per_cycle != 0) {
    const unsigned bytes = std::min(request.payload->get_data_length(), 1U << tags_.line_bits());
    const Cycle cycles = (bytes + parameters_.data_bytes_per_cycle - 1) / parameters_.data_bytes_per_cycle;
    if (bank_free_.empty()) {
      data_free_ = domain_.now() + cycles;
    } else {
      hold_bank(piece.set, cycles);
    }
  }
  tell(CacheEvent::What::hit, request, piece.line, tags_.line(place).owner);
  return true;
}

bool Cache::miss(unsigned number, const Request& request, const Piece& piece, TagArray::Place place) {
  // 1. What is missing, and whether all of it can be requested or waited for in this cycle.
  const SectorMask absent = piece.sectors & ~(place != TagArray::kNone ? tags_.line(place).valid : 0);
  const std::uint64_t first_sector = piece.line << (tags_.line_bits() - tags_.sector_bits());
  SectorMask fresh = 0;
  for (SectorMask rest = absent; rest != 0; rest &= rest - 1) {
    const auto sector = static_cast<unsigned>(std::countr_zero(rest));
    const auto entry = misses_.find(first_sector + sector, request.requester);
    if (entry == MissTable::kNone) {
      fresh |= SectorMask{1} << sector;
    } else if (!misses_.can_merge(entry)) {
      return stall(number, Stall::kMerge, entry);
    }
  }
  TagArray::Place room = place;
  if (fresh != 0) {
    if (misses_.free_entries() < count_of(fresh) || kept_for_elder(number, Stall::kMissTable))
      return stall(number, Stall::kMissTable);
    unsigned to_send = runs_of(fresh);
    if (place == TagArray::kNone && parameters_.allocate == Allocate::kOnMiss) {
      room = tags_.make_room(piece.set);
      if (room == TagArray::kNone) return stall(number, Stall::kWays, piece.set);
      to_send += runs_of(tags_.line(room).dirty);
    }
    if (!room_below(number, to_send)) return stall(number, Stall::kMissQueue);
  }
  // 2. Join the misses under way; ask for the rest, then write back what made room.
  access_of(number, request).waiting += count_of(absent);
  const std::uint32_t access = sockets_[number]->access;
  for (SectorMask rest = absent & ~fresh; rest != 0; rest &= rest - 1) {
    const auto entry = misses_.find(first_sector + static_cast<unsigned>(std::countr_zero(rest)), request.requester);
    misses_.add(entry, access);
    Child& child = children_[child_of_entry_[entry]];
    // A hint survives merging as long as the request has not left.
    if (request.info != nullptr && request.info->keep_row_open && !child.sent) {
      RequestInfo::of(*child.payload)->keep_row_open = true;
    }
  }
  TagArray::Evicted gone;
  if (fresh != 0) {
    if (place == TagArray::kNone && room != TagArray::kNone) gone = tags_.allocate(room, piece.line, request.requester);
    if (room != TagArray::kNone) tags_.reserve(room, fresh);
    fetch(request, piece, room, fresh, access);
  } else if (parameters_.owner_follows_merge && place != TagArray::kNone) {
    tags_.set_owner(place, request.requester);
  }
  if (gone.any) evicted(gone, request.requester, true);
  switch (request.action) {
    case Action::kRead:
    case Action::kPassedRead:
      ++(fresh != 0 ? counts_.read_misses : counts_.read_merges);
      break;
    case Action::kStore:
      ++counts_.stores;
      break;
    case Action::kAtomic:
      ++counts_.atomics;
      break;
  }
  counts_.most_misses.record(misses_.used());
  tell(fresh != 0 ? CacheEvent::What::miss : CacheEvent::What::merge, request, piece.line, request.requester);
  return true;
}

/// A socket's oldest request was refused. Who was refused longest is looked up first, and what it waits for goes to
/// nobody else, so that many small requests never keep a large one from what it needs at once.
void Cache::refused(unsigned number) {
  if (sockets_.size() == 1 || sockets_[number]->refused_from != kNever) return;
  sockets_[number]->refused_from = domain_.now();
  if (elder_ == kNone) elder_ = number;
}

/// A request that was refused has been looked up.
void Cache::served(unsigned number) {
  sockets_[number]->refused_from = kNever;
  if (elder_ != number) return;
  elder_ = kNone;
  Cycle from = kNever;
  for (unsigned i = 0; i < sockets_.size(); ++i) {
    if (sockets_[i]->refused_from >= from) continue;
    from = sockets_[i]->refused_from;
    elder_ = i;
  }
}

bool Cache::stall(unsigned number, Stall why, std::uint64_t key) {
  Socket& socket = *sockets_[number];
  refused(number);
  socket.stall = why;
  socket.stall_key = key;
  socket.stalled_from = domain_.now();
  ++stalled_;
  return false;
}

/// Sockets that waited for what has become free look up again: in this cycle if look-ups are still to come, else in the
/// next.
void Cache::resume(Stall why, std::uint64_t key) {
  if (stalled_ == 0) return;
  for (auto& socket : sockets_) {
    if (socket->stall != why || ((why == Stall::kMerge || why == Stall::kWays) && socket->stall_key != key)) continue;
    const bool next_cycle = why == Stall::kMissQueue || why == Stall::kReplies;
    const Cycle waited = domain_.now() + (next_cycle ? 1 : 0) - socket->stalled_from;
    switch (why) {
      case Stall::kMissTable:
        counts_.stall_miss_table += waited;
        break;
      case Stall::kMerge:
        counts_.stall_merge += waited;
        break;
      case Stall::kWays:
        counts_.stall_ways += waited;
        break;
      case Stall::kMissQueue:
        counts_.stall_miss_queue += waited;
        break;
      case Stall::kReplies:
        counts_.stall_replies += waited;
        break;
      case Stall::kWrites:
        counts_.stall_writes += waited;
        break;
      case Stall::kNone:
        break;
    }
    socket->stall = Stall::kNone;
    --stalled_;
    if (next_cycle) domain_.wake(*this, domain_.now() + 1);
  }
}

/// The record of the request being looked up, made when first needed.
Cache::Access& Cache::access_of(unsigned number, const Request& request) {
  std::uint32_t& access = sockets_[number]->access;
  if (access == kNone) {
    access = free_access_;
    if (access != kNone) {
      free_access_ = accesses_[access].next_free;
    } else {
      access = static_cast<std::uint32_t>(accesses_.size());
      accesses_.emplace_back();
    }
    accesses_[access] = {request.payload,      number, 0, false, request.info == nullptr, request.action,
                         tlm::TLM_OK_RESPONSE, kNone};
    ++open_accesses_;
  }
  return accesses_[access];
}

/// The next free place of the unit that does atomics.
Cycle Cache::atomic_turn() {
  const Cycle start = std::max(domain_.now(), atomic_free_);
  atomic_free_ = start + parameters_.atomic_interval;
  return start;
}

/// All lines of the oldest request have been looked up.
void Cache::looked_up(unsigned number, const Request& request) {
  Socket& socket = *sockets_[number];
  socket.port.pop();
  ++counts_.requests;
  const bool foreign = request.info == nullptr;
  const std::uint32_t access = socket.access;
  socket.access = kNone;
  socket.lines_done = 0;
  if (access == kNone) {
    socket.hits.push({request.payload, reply_due_, foreign, tlm::TLM_OK_RESPONSE});
    ++waiting_replies_;
    return;
  }
  accesses_[access].looked_up = true;
  if (accesses_[access].waiting == 0) finish(access);
}

void Cache::finish(std::uint32_t number) {
  Access& access = accesses_[number];
  const Cycle due = access.action == Action::kAtomic && parameters_.executes_atomics ? atomic_turn() : domain_.now();
  sockets_[access.socket]->ready.push({access.payload, due, access.foreign, access.status});
  ++waiting_replies_;
  --open_accesses_;
  access.next_free = free_access_;
  free_access_ = number;
}

bool Cache::replies_full() const {
  for (const auto& socket : sockets_) {
    if (socket->ready.size() >= parameters_.reply_queue) return true;
  }
  return false;
}

void Cache::tell(CacheEvent::What what, const Request& request, std::uint64_t line, std::uint32_t owner) {
  if (probe_.on()) {
    probe_.fire(looked_up_line_, line << tags_.line_bits());
    probe_.fire(outcome_, static_cast<std::uint64_t>(what));
  }
  if (listeners_.empty()) return;
  tell({what, request.kind, line << tags_.line_bits(), request.requester, owner,
        request.info != nullptr ? request.info->pc : 0, domain_.now(),
        request.info != nullptr ? request.info->access : 0});
}

void Cache::declare_structures(Services& services, const std::string& path) {
  constexpr unsigned kAddressBits = 40;  // of a physical address, as the sources' GPUs have
  const unsigned set_bits = static_cast<unsigned>(std::bit_width(tags_.sets()) - 1);
  const unsigned sectors = tags_.sectors();
  structures_.push_back(std::make_unique<Structure>(
      services.structures, path + ".tags", "tags and states of the lines", std::size_t{tags_.sets()} * tags_.ways(),
      std::vector<StructureField>{{"tag", kAddressBits - tags_.line_bits() - set_bits, parameters_.ports, 1},
                                  {"valid", sectors, parameters_.ports, 1},
                                  {"dirty", parameters_.read_only ? 1 : sectors, parameters_.ports, 1},
                                  {"reserved", sectors, parameters_.ports, 1}}));
  if (parameters_.miss_table.entries != 0) {
    const unsigned requests = std::max(1U, parameters_.miss_table.requests_per_entry);
    structures_.push_back(std::make_unique<Structure>(
        services.structures, path + ".miss_table", "sectors on their way and the requests that wait for them",
        parameters_.miss_table.entries,
        std::vector<StructureField>{{"sector", kAddressBits - tags_.sector_bits(), 1, 1, true},
                                    {"requests", 16 * requests, 1, 1},
                                    {"valid", 1, 1, 1}}));
    structures_.back()->occupied([this](std::size_t entry) { return entry < misses_.used(); });
  }
  probe_.add("misses", 16, "entries of the miss table in use", [this] { return misses_.used(); });
  probe_.add("queued_below", 16, "requests that wait to go below", [this] { return outgoing_.size(); });
  probe_.add("replies", 16, "replies due or in the hit pipeline", &waiting_replies_);
  probe_.add("stalled", 8, "sockets whose oldest request waits for a resource", &stalled_);
  looked_up_line_ = probe_.pulse("line", kAddressBits, "address of the line looked up in this cycle");
  outcome_ = probe_.pulse("outcome", 3, "what the look-up found", &kOutcomes);
}

}  // namespace heddle::memory
