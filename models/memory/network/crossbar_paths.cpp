// SPDX-License-Identifier: Apache-2.0
#include "memory/network/crossbar_paths.h"

#include <algorithm>

namespace heddle::memory {
namespace {

bool carries_data_down(const Payload& payload) {
  const RequestInfo* info = RequestInfo::of(payload);
  if (info == nullptr) return payload.is_write();
  return info->kind == AccessKind::store || info->kind == AccessKind::write_back || info->kind == AccessKind::atomic ||
         info->kind == AccessKind::reduction;
}

bool carries_data_up(const Payload& payload) {
  const RequestInfo* info = RequestInfo::of(payload);
  if (info == nullptr) return payload.is_read();
  return info->kind != AccessKind::store && info->kind != AccessKind::write_back && info->kind != AccessKind::reduction;
}

}  // namespace

CrossbarPath::CrossbarPath(ClockDomain& domain, const NetworkParameters& parameters, unsigned inputs, unsigned outputs,
                           const StatisticsGroup& statistics, CrossbarSockets& sockets)
    : domain_(domain), parameters_(parameters), sockets_(sockets), network_(parameters, inputs, outputs, statistics) {
  domain.add(*this);
}

template <typename Port, typename Enter>
Cycle CrossbarPath::take(const std::vector<std::unique_ptr<Port>>& ports, Enter&& enter) {
  Cycle next = kNever;
  const PortBits arriving = arriving_;
  arriving.for_each([&](std::size_t number) {
    const auto i = static_cast<unsigned>(number);
    Port& port = *ports[i];
    port.admit();
    Payload* const payload = port.front();
    if (payload != nullptr && network_.room(i)) {
      port.pop();
      enter(i, *payload);
      if (port.front() != nullptr) next = domain_.now() + 1;
    }
    blocked_.assign(i, payload != nullptr && !network_.room(i));
    port.sleep();
    if (port.idle()) arriving_.reset(i);
  });
  return next;
}

template <typename Port, typename Leave, typename Wait>
Cycle CrossbarPath::deliver(const std::vector<std::unique_ptr<Port>>& ports, Leave&& leave, Wait&& wait) {
  Cycle next = kNever;
  const Cycle now = domain_.now();
  const PortSet delivering = network_.delivering();
  delivering.for_each([&](std::size_t number) {
    const auto i = static_cast<unsigned>(number);
    auto* const payload = static_cast<Payload*>(network_.arrived(i, now));
    if (payload != nullptr && leave(i, *payload)) network_.pop(i);
    if (!network_.delivering().test(i)) return;
    if (network_.next_arrival(i) > now) {
      next = std::min(next, network_.next_arrival(i));
    } else {
      wait(*ports[i]);
    }
  });
  return next;
}

void CrossbarPath::switch_packets(Cycle next) {
  const Cycle now = domain_.now();
  next = std::min(next, network_.cycle(now));
  // A started transfer has freed space in its input buffer.
  blocked_.for_each([&](std::size_t i) {
    if (network_.room(static_cast<unsigned>(i))) next = now + 1;
  });
  if (next != kNever) domain_.wake(*this, next);
}

ReplyPath::ReplyPath(ClockDomain& domain, const NetworkParameters& parameters, const InterconnectSetting& setting,
                     const StatisticsGroup& statistics, CrossbarSockets& sockets)
    : CrossbarPath(domain, parameters, setting.outputs, setting.inputs, statistics, sockets),
      refusals_(setting.inputs) {}

void ReplyPath::connect() {
  for (auto& port : sockets_.above) port->answered_by(domain_, *this);
  for (std::size_t i = 0; i < sockets_.below.size(); ++i) {
    sockets_.below[i]->replies_to(domain_, *this);
    sockets_.below[i]->watch(arriving_, static_cast<unsigned>(i));
  }
}

bool ReplyPath::settled() const {
  return refused_ == 0 && std::none_of(sockets_.above.begin(), sockets_.above.end(),
                                       [](const auto& port) { return port->waits_to_respond(); });
}

bool ReplyPath::can_answer(Cycle cycle) const {
  bool can = true;
  network_.delivering().for_each([&](std::size_t number) {
    const auto i = static_cast<unsigned>(number);
    if (sockets_.above[i]->answering() && network_.arrived(i, cycle) != nullptr) can = false;
  });
  return can;
}

void ReplyPath::tick() {
  const Cycle now = domain_.now();
  Cycle next = take(sockets_.below, [this](unsigned i, Payload& payload) {
    const unsigned bytes = carries_data_up(payload) ? payload.get_data_length() : 0;
    network_.push(i, RouteTags::port(payload), parameters_.flits(bytes), &payload);
  });
  const auto respond = [this, now](unsigned i, Payload& payload) {
    TargetPort& port = *sockets_.above[i];
    Refusals& refusals = refusals_[i];
    if (!port.can_respond() || (refusals.waited && refusals.wait(now))) return false;
    sockets_.tags.detach(payload);
    port.respond(payload);
    refusals.waited = refusals.wait(now);
    return true;
  };
  next = std::min(next, deliver(sockets_.above, respond, [](TargetPort& port) { port.wait_to_respond(); }));
  if (refused_ != 0) next = std::min(next, send_refusals());
  switch_packets(next);
}

void ReplyPath::refuse(unsigned above, Payload& payload) {
  if (Outbox::keeps(domain_, [this, above, &payload] { refuse(above, payload); })) return;
  const Cycle from = domain_.arrival_cycle();
  refusals_[above].requests.push({&payload, from});
  ++refused_;
  domain_.wake(*this, from);
}

/// Rejects foreign requests that span outputs, alternating with replies from below.
Cycle ReplyPath::send_refusals() {
  Cycle next = kNever;
  const Cycle now = domain_.now();
  for (std::size_t i = 0; i < refusals_.size(); ++i) {
    Refusals& refusals = refusals_[i];
    TargetPort& port = *sockets_.above[i];
    if (refusals.wait(now) && port.can_respond()) {
      port.respond(*refusals.requests.pop().payload);
      refusals.waited = false;
      --refused_;
    }
    if (refusals.wait(now)) {
      port.wait_to_respond();
    } else if (!refusals.requests.empty()) {
      next = std::min(next, refusals.requests.front().from);
    }
  }
  return next;
}

RequestPath::RequestPath(ClockDomain& domain, const NetworkParameters& parameters, const InterconnectSetting& setting,
                         const StatisticsGroup& statistics, CrossbarSockets& sockets, ReplyPath& replies)
    : CrossbarPath(domain, parameters, setting.inputs, setting.outputs, statistics, sockets),
      setting_(setting),
      replies_(replies) {}

void RequestPath::connect() {
  for (std::size_t i = 0; i < sockets_.above.size(); ++i) sockets_.above[i]->watch(arriving_, static_cast<unsigned>(i));
}

void RequestPath::expect(Cycle from) {
  for (unsigned i = 0; i < sockets_.above.size(); ++i) sockets_.above[i]->expect(from, network_.free(i));
}

void RequestPath::tick() {
  const Cycle next = take(sockets_.above, [this](unsigned i, Payload& payload) {
    if (spans(payload)) {
      payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
      replies_.refuse(i, payload);
      return;
    }
    sockets_.tags.attach(payload, i);
    const unsigned bytes = carries_data_down(payload) ? payload.get_data_length() : 0;
    network_.push(i, output_of(payload.get_address()), parameters_.flits(bytes), &payload);
  });
  const auto send = [this](unsigned i, Payload& payload) {
    InitiatorPort& port = *sockets_.below[i];
    if (!port.can_send()) return false;
    port.send(payload);
    return true;
  };
  switch_packets(std::min(next, deliver(sockets_.below, send, [](InitiatorPort& port) { port.wait_to_send(); })));
}

bool RequestPath::spans(const Payload& payload) const {
  if (setting_.outputs == 1 || payload.get_data_length() == 0) return false;
  const std::uint64_t granule = setting_.map->granule();
  const std::uint64_t first = payload.get_address();
  return first / granule != (first + payload.get_data_length() - 1) / granule;
}

}  // namespace heddle::memory
