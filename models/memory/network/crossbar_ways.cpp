// SPDX-License-Identifier: Apache-2.0
#include "memory/network/crossbar_ways.h"

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

CrossbarWay::CrossbarWay(ClockDomain& domain, const NetworkParameters& parameters, unsigned inputs, unsigned outputs,
                         const StatisticsGroup& statistics, CrossbarSockets& sockets)
    : domain_(domain), parameters_(parameters), sockets_(sockets), network_(parameters, inputs, outputs, statistics) {
  domain.add(*this);
}

void CrossbarWay::switch_packets(Cycle next) {
  const Cycle now = domain_.now();
  next = std::min(next, network_.cycle(now));
  // A started transfer has freed space in its input buffer.
  blocked_.for_each([&](std::size_t i) {
    if (network_.room(static_cast<unsigned>(i))) next = now + 1;
  });
  if (next != kNever) domain_.wake(*this, next);
}

ReplyWay::ReplyWay(ClockDomain& domain, const NetworkParameters& parameters, const InterconnectSetting& setting,
                   const StatisticsGroup& statistics, CrossbarSockets& sockets)
    : CrossbarWay(domain, parameters, setting.outputs, setting.inputs, statistics, sockets),
      refusals_(setting.inputs) {}

void ReplyWay::connect() {
  for (auto& port : sockets_.above) port->answered_by(domain_, *this);
  for (std::size_t i = 0; i < sockets_.below.size(); ++i) {
    sockets_.below[i]->replies_to(domain_, *this);
    sockets_.below[i]->watch(arriving_, static_cast<unsigned>(i));
  }
}

void ReplyWay::tick() {
  Cycle next = take();
  next = std::min(next, deliver());
  if (refused_ != 0) next = std::min(next, send_refusals());
  switch_packets(next);
}

/// From the sockets below into the network.
Cycle ReplyWay::take() {
  Cycle next = kNever;
  const PortBits ports = arriving_;
  ports.for_each([&](std::size_t number) {
    const auto i = static_cast<unsigned>(number);
    InitiatorPort& port = *sockets_.below[i];
    port.admit();
    Payload* const payload = port.front();
    if (payload != nullptr && network_.room(i)) {
      port.pop();
      const unsigned bytes = carries_data_up(*payload) ? payload->get_data_length() : 0;
      network_.push(i, RouteTags::port(*payload), parameters_.flits(bytes), payload);
      if (port.front() != nullptr) next = domain_.now() + 1;
    }
    blocked_.assign(i, payload != nullptr && !network_.room(i));
    port.sleep();
    if (port.idle()) arriving_.reset(i);
  });
  return next;
}

Cycle ReplyWay::deliver() {
  Cycle next = kNever;
  const Cycle now = domain_.now();
  const PortSet delivering = network_.delivering();
  delivering.for_each([&](std::size_t number) {
    const auto i = static_cast<unsigned>(number);
    TargetPort& port = *sockets_.above[i];
    Refusals& refusals = refusals_[i];
    if (auto* const payload = static_cast<Payload*>(network_.arrived(i, now));
        payload != nullptr && port.can_respond() && !(refusals.waited && refusals.wait(now))) {
      network_.pop(i);
      sockets_.tags.detach(*payload);
      port.respond(*payload);
      refusals.waited = refusals.wait(now);
    }
    if (!network_.delivering().test(i)) return;
    if (network_.next_arrival(i) > now) {
      next = std::min(next, network_.next_arrival(i));
    } else {
      port.wait_to_respond();
    }
  });
  return next;
}

void ReplyWay::refuse(unsigned above, Payload& payload) {
  if (Outbox::keeps(domain_, [this, above, &payload] { refuse(above, payload); })) return;
  const Cycle from = domain_.arrival_cycle();
  refusals_[above].requests.push({&payload, from});
  ++refused_;
  domain_.wake(*this, from);
}

/// Rejects foreign requests that span outputs, alternating with replies from below.
Cycle ReplyWay::send_refusals() {
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

RequestWay::RequestWay(ClockDomain& domain, const NetworkParameters& parameters, const InterconnectSetting& setting,
                       const StatisticsGroup& statistics, CrossbarSockets& sockets, ReplyWay& replies)
    : CrossbarWay(domain, parameters, setting.inputs, setting.outputs, statistics, sockets),
      setting_(setting),
      replies_(replies) {}

void RequestWay::connect() {
  for (std::size_t i = 0; i < sockets_.above.size(); ++i) sockets_.above[i]->watch(arriving_, static_cast<unsigned>(i));
}

void RequestWay::tick() {
  const Cycle next = take();
  switch_packets(std::min(next, deliver()));
}

/// From the sockets above into the network.
Cycle RequestWay::take() {
  Cycle next = kNever;
  const PortBits ports = arriving_;
  ports.for_each([&](std::size_t number) {
    const auto i = static_cast<unsigned>(number);
    TargetPort& port = *sockets_.above[i];
    port.admit();
    Payload* const payload = port.front();
    if (payload != nullptr && network_.room(i)) {
      port.pop();
      if (spans(*payload)) {
        payload->set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        replies_.refuse(i, *payload);
      } else {
        sockets_.tags.attach(*payload, i);
        const unsigned bytes = carries_data_down(*payload) ? payload->get_data_length() : 0;
        network_.push(i, output_of(payload->get_address()), parameters_.flits(bytes), payload);
      }
      if (port.front() != nullptr) next = domain_.now() + 1;
    }
    blocked_.assign(i, payload != nullptr && !network_.room(i));
    port.sleep();
    if (port.idle()) arriving_.reset(i);
  });
  return next;
}

/// To the sockets below.
Cycle RequestWay::deliver() {
  Cycle next = kNever;
  const Cycle now = domain_.now();
  const PortSet delivering = network_.delivering();
  delivering.for_each([&](std::size_t number) {
    const auto i = static_cast<unsigned>(number);
    InitiatorPort& port = *sockets_.below[i];
    if (auto* const payload = static_cast<Payload*>(network_.arrived(i, now)); payload != nullptr && port.can_send()) {
      network_.pop(i);
      port.send(*payload);
    }
    if (!network_.delivering().test(i)) return;
    if (network_.next_arrival(i) > now) {
      next = std::min(next, network_.next_arrival(i));
    } else {
      port.wait_to_send();
    }
  });
  return next;
}

bool RequestWay::spans(const Payload& payload) const {
  if (setting_.outputs == 1 || payload.get_data_length() == 0) return false;
  const std::uint64_t granule = setting_.map->granule();
  const std::uint64_t first = payload.get_address();
  return first / granule != (first + payload.get_data_length() - 1) / granule;
}

}  // namespace heddle::memory
