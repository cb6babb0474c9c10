// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/base_port.h"

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "core/kernel/payload.h"

namespace heddle {

namespace {

/// Whether a phase is kept that another part sends to `receiver` while parts work at the same time. It is received when
/// all have ended, in the same cycle: receive(payload, phase, delay).
template <typename Receive>
bool keeps_phase(const ClockDomain& receiver, Payload& payload, unsigned phase, const sc_core::sc_time& delay,
                 Receive receive) {
  const auto later = [receive, &payload, phase, delay = delay.value()] {
    tlm::tlm_phase sent = phase;
    sc_core::sc_time annotated = sc_core::sc_time::from_value(delay);
    receive(payload, sent, annotated);
  };
  // Nothing comes back for the end of a reply.
  return phase == tlm::END_RESP ? Outbox::keeps_and_goes_on(receiver, later) : Outbox::keeps(receiver, later);
}

}  // namespace

ArrivalRing::ArrivalRing(unsigned capacity)
    : capacity_(capacity), mask_(std::bit_ceil(std::size_t{capacity}) - 1), ring_(mask_ + 1) {}

Cycle Admission::room_since(Cycle from, Cycle last) const {
  for (const Cycle left : departures_) {
    if (left >= from && left < last && room(left + 1)) return left + 1;
  }
  return kNever;
}

void Admission::remember_departure(Cycle now) {
  constexpr std::size_t kMost = 256;
  if (departures_.size() == kMost) {
    const auto old = [now](Cycle left) { return left + kLongestWindow < now; };
    departures_.erase(departures_.begin(), std::find_if_not(departures_.begin(), departures_.end(), old));
  }
  departures_.push_back(now);
}

unsigned Admission::left_since(Cycle from) const {
  return static_cast<unsigned>(
      std::count_if(departures_.begin(), departures_.end(), [from](Cycle left) { return left >= from; }));
}

void SureRoom::begin(const ArrivalRing& ring, Cycle from, unsigned takes) {
  leaves_.clear();
  takes_ = takes;
  last_ = from - 1;
  for (unsigned i = 0; i < ring.size(); ++i) sent(ring.visible(i));
}

bool SureRoom::room(Cycle now, unsigned capacity) const {
  // What leaves in a cycle makes room from the next.
  const auto there = std::count_if(leaves_.begin(), leaves_.end(), [now](Cycle leaves) { return leaves >= now; });
  return static_cast<unsigned>(there) < capacity;
}

void SureRoom::sent(Cycle visible) {
  if (takes_ == 0) {
    leaves_.push_back(kNever);
    return;
  }
  --takes_;
  last_ = std::max(visible, last_ + 1);
  leaves_.push_back(last_);
}

void ArrivalRing::grow() {
  std::vector<Arrival> wider(2 * ring_.size());
  for (unsigned i = 0; i < count_; ++i) wider[i] = ring_[(head_ + i) & mask_];
  ring_ = std::move(wider);
  mask_ = ring_.size() - 1;
  head_ = 0;
}

TargetPort::TargetPort(const char* name, ClockDomain& domain, Clocked& owner, BaseProtocolOwner& untimed,
                       unsigned number, const TargetPortParameters& parameters)
    : socket(name),
      domain_(domain),
      owner_(owner),
      reply_domain_(&domain),
      replier_(&owner),
      untimed_(untimed),
      number_(number),
      latency_(parameters.latency),
      requests_(parameters.capacity) {
  if (parameters.capacity == 0 || parameters.latency == 0) {
    fail(ExitCode::configuration, "{}: capacity and latency of a port are at least 1", socket.name());
  }
  socket.bind(*this);
  if (domain.answers_in_windows()) requests_.remember();
}

bool TargetPort::keeps(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
  const ClockDomain& receiver = phase == tlm::BEGIN_REQ ? domain_ : *reply_domain_;
  return keeps_phase(receiver, payload, phase, delay,
                     [this](Payload& sent, tlm::tlm_phase& then, sc_core::sc_time& by) {
                       if (nb_transport_fw(sent, then, by) == tlm::TLM_UPDATED) socket->nb_transport_bw(sent, then, by);
                     });
}

void TargetPort::expect(Cycle from, unsigned takes) {
  sure_.begin(requests_.ring, from, takes);
  // Until the request has passed the door, its sender goes on by the cycle.
  if (waiting_ != nullptr && sender_ != nullptr) sender_->wait_for(from);
}

/// A request of a part that is ahead of the owner: admitted at once if there will surely be room, in its cycle.
bool TargetPort::admits_ahead(Payload& payload, const sc_core::sc_time& delay) {
  const ClockDomain* const sender = Outbox::running();
  if (sender == nullptr || sender == &domain_ || delay != sc_core::SC_ZERO_TIME || waiting_ != nullptr) return false;
  const Cycle now = sender->now();
  if (!sure_.room(now, requests_.ring.capacity())) return false;
  payload.acquire();
  const Cycle visible = now + latency_;
  sure_.sent(visible);
  requests_.admit(payload, now, visible);
  Outbox::keeps_and_goes_on(domain_, [this, visible] { announce(visible); });
  return true;
}

/// A request that finds the owner ahead of it, and no room at the time: whether there was since.
bool TargetPort::admits_late(Payload& payload, Cycle now) {
  const Cycle since = requests_.room_since(now, domain_.now());
  if (since == kNever) return false;
  requests_.admit(payload, since, since + latency_);
  announce(since + latency_);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = domain_.time_of(since) - domain_.time_of(now);
  socket->nb_transport_bw(payload, phase, delay);
  return true;
}

tlm::tlm_sync_enum TargetPort::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (Outbox::in_window() && phase == tlm::BEGIN_REQ && admits_ahead(payload, delay)) {
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  if (keeps(payload, phase, delay)) return tlm::TLM_ACCEPTED;
  const Cycle now = domain_.arrival_cycle() - 1;
  if (phase == tlm::BEGIN_REQ) {
    if (waiting_ != nullptr || !payload.has_mm()) {
      fail(ExitCode::internal, "{}: {}", socket.name(),
           waiting_ != nullptr ? "BEGIN_REQ before the END_REQ of the request before it"
                               : "a non-blocking request whose payload has no memory manager");
    }
    payload.acquire();
    __builtin_prefetch(&payload);  // for the owner
    const bool delayed = delay != sc_core::SC_ZERO_TIME;
    if (!delayed && requests_.room(now)) {
      const bool first = requests_.ring.empty();
      requests_.admit(payload, now, now + latency_);
      announce(first ? now + latency_ : kNever);
      phase = tlm::END_REQ;
      return tlm::TLM_UPDATED;
    }
    if (now < domain_.now() && admits_late(payload, now)) return tlm::TLM_ACCEPTED;
    waiting_ = &payload;
    waiting_from_ = delayed ? domain_.arrival_cycle_after(delay) - 1 : now;
    waiting_edge_ = delayed ? domain_.edge_after(delay) : now;
    const bool full = requests_.ring.size() == requests_.ring.capacity();
    announce(waiting_edge_ > now ? waiting_edge_ : full ? kNever : now + 1);
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::END_RESP) {
    if (responding_ != &payload) fail(ExitCode::internal, "{}: END_RESP without a reply to end", socket.name());
    response_ended(delay == sc_core::SC_ZERO_TIME ? now + 1 : domain_.arrival_cycle_after(delay));
    return tlm::TLM_COMPLETED;
  }
  fail(ExitCode::internal, "{}: phase {} is not one an initiator sends", socket.name(), phase.get_name());
}

void TargetPort::announce(Cycle at) {
  if (watched_ != nullptr) watched_->set(watched_bit_);
  if (at != kNever) domain_.wake(owner_, at);
}

void TargetPort::admit_waiting() {
  const Cycle now = domain_.now();
  if (waiting_edge_ > now) {
    domain_.wake(owner_, waiting_edge_);
    return;
  }
  if (!requests_.room(now)) {
    if (requests_.ring.size() < requests_.ring.capacity()) domain_.wake(owner_, now + 1);
    return;
  }
  Payload& payload = *waiting_;
  waiting_ = nullptr;
  requests_.admit(payload, now, (now == waiting_edge_ ? waiting_from_ : now) + latency_);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time no_delay = sc_core::SC_ZERO_TIME;
  socket->nb_transport_bw(payload, phase, no_delay);
}

void TargetPort::pop() {
  const Cycle now = domain_.now();
  requests_.leave(now);
  if (waiting_ != nullptr) domain_.wake(owner_, now + 1);
}

void TargetPort::respond(Payload& payload) {
  responding_ = &payload;
  respond_from_ = kNever;
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum sync = socket->nb_transport_bw(payload, phase, delay);
  if (sync == tlm::TLM_COMPLETED || (sync == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
    response_ended(delay == sc_core::SC_ZERO_TIME ? reply_domain_->now() + 1
                                                  : reply_domain_->arrival_cycle_after(delay));
  }
}

void TargetPort::response_ended(Cycle next) {
  Payload& payload = *responding_;
  responding_ = nullptr;
  respond_from_ = next;
  if (wants_to_respond_) {
    wants_to_respond_ = false;
    reply_domain_->wake(*replier_, next);
  }
  payload.release();
}

InitiatorPort::InitiatorPort(const char* name, ClockDomain& domain, Clocked& owner, BaseProtocolOwner& untimed,
                             unsigned number, const InitiatorPortParameters& parameters)
    : socket(name),
      domain_(domain),
      owner_(owner),
      reply_domain_(&domain),
      taker_(&owner),
      untimed_(untimed),
      number_(number),
      latency_(parameters.latency),
      replies_(parameters.capacity) {
  if (parameters.capacity == 0 || parameters.latency == 0) {
    fail(ExitCode::configuration, "{}: capacity and latency of a port are at least 1", socket.name());
  }
  socket.bind(*this);
}

void InitiatorPort::send(Payload& payload) {
  requesting_ = &payload;
  send_from_ = kNever;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum sync = socket->nb_transport_fw(payload, phase, delay);
  if (sync == tlm::TLM_ACCEPTED) return;
  if (sync == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
    request_ended(delay == sc_core::SC_ZERO_TIME ? domain_.now() + 1 : domain_.arrival_cycle_after(delay));
    return;
  }
  // The reply came with the call: completed, or an early BEGIN_RESP, which stands for END_REQ too.
  request_ended(domain_.now() + 1);
  take_early_reply(payload, delay, sync == tlm::TLM_UPDATED);
}

void InitiatorPort::take_early_reply(Payload& payload, const sc_core::sc_time& delay, bool wants_end) {
  const auto take = [this, &payload, annotated = delay.value(), wants_end] {
    if (take_reply(payload, sc_core::sc_time::from_value(annotated), wants_end) && wants_end) end_response(payload);
  };
  if (!Outbox::keeps(*reply_domain_, take)) take();
}

bool InitiatorPort::keeps(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
  const ClockDomain& receiver = phase == tlm::END_REQ ? domain_ : *reply_domain_;
  return keeps_phase(receiver, payload, phase, delay,
                     [this](Payload& sent, tlm::tlm_phase& then, sc_core::sc_time& by) {
                       if (nb_transport_bw(sent, then, by) == tlm::TLM_COMPLETED) end_response(sent);
                     });
}

void InitiatorPort::end_response(Payload& payload) {
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time no_delay = sc_core::SC_ZERO_TIME;
  socket->nb_transport_fw(payload, phase, no_delay);
}

tlm::tlm_sync_enum InitiatorPort::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (keeps(payload, phase, delay)) return tlm::TLM_ACCEPTED;
  if (phase == tlm::END_REQ) {
    if (requesting_ != &payload) fail(ExitCode::internal, "{}: END_REQ without a request to end", socket.name());
    request_ended(domain_.arrival_cycle_after(delay));
    return tlm::TLM_ACCEPTED;
  }
  if (phase > tlm::END_RESP) return tlm::TLM_ACCEPTED;  // an ignorable phase
  if (phase != tlm::BEGIN_RESP) {
    fail(ExitCode::internal, "{}: phase {} is not one a target sends", socket.name(), phase.get_name());
  }
  if (requesting_ == &payload) request_ended(domain_.arrival_cycle());
  return take_reply(payload, delay, true) ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
}

void InitiatorPort::request_ended(Cycle next) {
  requesting_ = nullptr;
  send_from_ = next;
  if (wants_to_send_) {
    wants_to_send_ = false;
    domain_.wake(owner_, next);
  }
}

bool InitiatorPort::take_reply(Payload& payload, const sc_core::sc_time& delay, bool wants_end) {
  const Cycle now = reply_domain_->arrival_cycle() - 1;
  __builtin_prefetch(RequestInfo::of(payload));  // for the owner
  if (watched_ != nullptr) watched_->set(watched_bit_);
  const bool delayed = delay != sc_core::SC_ZERO_TIME;
  if (!delayed && early_.empty() && replies_.room(now)) {
    const bool first = replies_.ring.empty();
    replies_.admit(payload, now, now + latency_);
    if (first) reply_domain_->wake(*taker_, now + latency_);
    return true;
  }
  const Cycle from = delayed ? reply_domain_->arrival_cycle_after(delay) - 1 : now;
  const Cycle edge = delayed ? reply_domain_->edge_after(delay) : now;
  // Of a taker that has not come as far, it is not known whether there will be room.
  const bool in_future = reply_domain_->now() < now;
  auto place = std::find_if(early_.begin(), early_.end(), [edge](const Early& other) { return other.edge > edge; });
  early_.insert(place, {&payload, from, edge, wants_end});
  if (edge > now || in_future) {
    reply_domain_->wake(*taker_, edge);
  } else if (replies_.ring.size() < replies_.ring.capacity()) {
    reply_domain_->wake(*taker_, now + 1);
  }
  return false;
}

void InitiatorPort::admit_early() {
  const Cycle now = reply_domain_->now();
  const Early early = early_.front();
  if (early.edge <= now && replies_.room(now)) {
    early_.erase(early_.begin());
    replies_.admit(*early.payload, now, (now == early.edge ? early.from : now) + latency_);
    if (early.wants_end) end_response(*early.payload);
    if (early_.empty()) return;
  }
  if (early_.front().edge > now) {
    reply_domain_->wake(*taker_, early_.front().edge);
  } else if (replies_.ring.size() < replies_.ring.capacity()) {
    reply_domain_->wake(*taker_, now + 1);
  }
}

void InitiatorPort::pop() {
  const Cycle now = reply_domain_->now();
  replies_.leave(now);
  if (!early_.empty()) reply_domain_->wake(*taker_, now + 1);
}

}  // namespace heddle
