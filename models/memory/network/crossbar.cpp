// SPDX-License-Identifier: Apache-2.0
#include "memory/network/crossbar.h"

#include <algorithm>

#include "core/error.h"
#include "core/unit.h"

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

void CrossbarParameters::describe(ParameterVisitor& v) {
  v("kind", kind, "interconnect model; kinds other than crossbar use only the parameters that apply to them");
  v("request", request, "request network, from the SMs to memory");
  v("reply", reply, "reply network");
  v("port_queue", port_queue, "transactions a port may hold before they enter a buffer", unit::kTransactions,
    range(1, 4096));
}

Crossbar::Crossbar(sc_core::sc_module_name name, ClockDomain& domain, const CrossbarParameters& parameters,
                   const StatisticsGroup& statistics, Services& services, const InterconnectSetting& setting)
    : sc_module(name),
      domain_(domain),
      parameters_(parameters),
      setting_(setting),
      requests_(parameters.request, setting.inputs, setting.outputs, StatisticsGroup(statistics, "request")),
      replies_(parameters.reply, setting.outputs, setting.inputs, StatisticsGroup(statistics, "reply")),
      probe_(services.probes, statistics.owner().name() + "." + statistics.name(), domain.whole().name()) {
  if (setting_.outputs > 1 && (!setting_.map || setting_.map->targets() != setting_.outputs)) {
    fail(ExitCode::configuration, "{}: {} sockets below need an address map with as many targets", this->name(),
         setting_.outputs);
  }
  for (unsigned i = 0; i < setting_.inputs; ++i) {
    above_.push_back(
        std::make_unique<Above>(("in" + std::to_string(i)).c_str(), domain, *this, i, parameters.port_queue));
    above_.back()->port.watch(with_requests_, i);
  }
  for (unsigned i = 0; i < setting_.outputs; ++i) {
    below_.push_back(std::make_unique<InitiatorPort>(("out" + std::to_string(i)).c_str(), domain, *this,
                                                     static_cast<BaseProtocolOwner&>(*this), i,
                                                     InitiatorPortParameters{parameters.port_queue, 1}));
    below_.back()->watch(with_replies_, i);
  }
  domain_.add(*this);
  const std::string path = statistics.owner().name() + "." + statistics.name();
  const auto buffers = [&](const char* network, const NetworkParameters& p, unsigned inputs, unsigned outputs) {
    const unsigned packet = 8 * p.flit_bytes * p.flits(128);
    structures_.push_back(std::make_unique<Structure>(
        services.structures, path + "." + network + "_buffers", "packets that wait at a crossbar port",
        std::size_t{inputs} * p.input_buffer + std::size_t{outputs} * p.output_buffer,
        std::vector<StructureField>{{"packet", packet, 1, 1}, {"valid", 1, 1, 1}}));
  };
  buffers("request", parameters.request, setting_.inputs, setting_.outputs);
  buffers("reply", parameters.reply, setting_.outputs, setting_.inputs);
  probe_.add("requests", 16, "packets inside the request network", [this] { return requests_.packets(); });
  probe_.add("replies", 16, "packets inside the reply network", [this] { return replies_.packets(); });
}

Crossbar::~Crossbar() = default;

void Crossbar::tick() {
  const Cycle now = domain_.now();
  next_ = kNever;
  take_replies();
  take_requests();
  deliver_requests();
  deliver_replies();
  if (refused_ != 0) refuse();
  next_ = std::min(next_, std::min(requests_.cycle(now), replies_.cycle(now)));
  // A started transfer has freed space in its input buffer.
  blocked_requests_.for_each([&](std::size_t i) {
    if (requests_.room(static_cast<unsigned>(i))) next_ = now + 1;
  });
  blocked_replies_.for_each([&](std::size_t i) {
    if (replies_.room(static_cast<unsigned>(i))) next_ = now + 1;
  });
  if (next_ != kNever) domain_.wake(*this, next_);
}

/// From the sockets below into the reply network: one reply per cycle and socket.
void Crossbar::take_replies() {
  const PortBits ports = with_replies_;
  ports.for_each([&](std::size_t number) {
    const auto i = static_cast<unsigned>(number);
    InitiatorPort& port = *below_[i];
    port.admit();
    Payload* const payload = port.front();
    if (payload != nullptr && replies_.room(i)) {
      port.pop();
      const unsigned bytes = carries_data_up(*payload) ? payload->get_data_length() : 0;
      replies_.push(i, RouteTags::port(*payload), parameters_.reply.flits(bytes), payload);
      if (port.front() != nullptr) next_ = domain_.now() + 1;
    }
    blocked_replies_.assign(i, payload != nullptr && !replies_.room(i));
    port.sleep();
    if (port.idle()) with_replies_.reset(i);
  });
}

void Crossbar::take_requests() {
  const PortBits ports = with_requests_;
  ports.for_each([&](std::size_t number) {
    const auto i = static_cast<unsigned>(number);
    TargetPort& port = above_[i]->port;
    port.admit();
    Payload* const payload = port.front();
    if (payload != nullptr && requests_.room(i)) {
      port.pop();
      if (spans(*payload)) {
        payload->set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        above_[i]->refused.push(payload);
        ++refused_;
      } else {
        tags_.attach(*payload, i);
        const unsigned bytes = carries_data_down(*payload) ? payload->get_data_length() : 0;
        requests_.push(i, output_of(payload->get_address()), parameters_.request.flits(bytes), payload);
      }
      if (port.front() != nullptr) next_ = domain_.now() + 1;
    }
    blocked_requests_.assign(i, payload != nullptr && !requests_.room(i));
    port.sleep();
    if (port.idle()) with_requests_.reset(i);
  });
}

/// From the request network to the sockets below: one request per cycle and socket.
void Crossbar::deliver_requests() {
  const Cycle now = domain_.now();
  const PortSet delivering = requests_.delivering();
  delivering.for_each([&](std::size_t number) {
    const auto i = static_cast<unsigned>(number);
    InitiatorPort& port = *below_[i];
    if (auto* const payload = static_cast<Payload*>(requests_.arrived(i, now)); payload != nullptr && port.can_send()) {
      requests_.pop(i);
      port.send(*payload);
    }
    if (!requests_.delivering().test(i)) return;
    if (requests_.next_arrival(i) > now) {
      next_ = std::min(next_, requests_.next_arrival(i));
    } else {
      port.wait_to_send();
    }
  });
}

void Crossbar::deliver_replies() {
  const Cycle now = domain_.now();
  const PortSet delivering = replies_.delivering();
  delivering.for_each([&](std::size_t number) {
    const auto i = static_cast<unsigned>(number);
    TargetPort& port = above_[i]->port;
    Above& above = *above_[i];
    if (auto* const payload = static_cast<Payload*>(replies_.arrived(i, now));
        payload != nullptr && port.can_respond() && !(above.refusal_waited && !above.refused.empty())) {
      replies_.pop(i);
      tags_.detach(*payload);
      port.respond(*payload);
      above.refusal_waited = !above.refused.empty();
    }
    if (!replies_.delivering().test(i)) return;
    if (replies_.next_arrival(i) > now) {
      next_ = std::min(next_, replies_.next_arrival(i));
    } else {
      port.wait_to_respond();
    }
  });
}

/// Rejects foreign requests that span outputs, alternating with replies from below.
void Crossbar::refuse() {
  for (auto& above : above_) {
    if (above->refused.empty()) continue;
    if (above->port.can_respond()) {
      above->port.respond(*above->refused.pop());
      above->refusal_waited = false;
      --refused_;
    }
    if (!above->refused.empty()) above->port.wait_to_respond();
  }
}

bool Crossbar::spans(const Payload& payload) const {
  if (setting_.outputs == 1 || payload.get_data_length() == 0) return false;
  const std::uint64_t granule = setting_.map->granule();
  const std::uint64_t first = payload.get_address();
  return first / granule != (first + payload.get_data_length() - 1) / granule;
}

void Crossbar::blocking(unsigned, Payload& payload, sc_core::sc_time& delay) {
  if (spans(payload)) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  delay += domain_.time_of(2 + parameters_.request.latency + parameters_.reply.latency);
  below_[output_of(payload.get_address())]->socket->b_transport(payload, delay);
}

/// Debug access may span outputs; each receives its part.
unsigned Crossbar::debug(unsigned, Payload& payload) {
  if (!spans(payload)) return below_[output_of(payload.get_address())]->socket->transport_dbg(payload);
  const std::uint64_t granule = setting_.map->granule();
  const unsigned length = payload.get_data_length();
  unsigned moved = 0;
  while (moved < length) {
    const std::uint64_t address = payload.get_address() + moved;
    const auto part = static_cast<unsigned>(std::min<std::uint64_t>(granule - address % granule, length - moved));
    Payload piece;
    piece.set_command(payload.get_command());
    piece.set_address(address);
    piece.set_data_ptr(payload.get_data_ptr() + moved);
    piece.set_data_length(part);
    piece.set_streaming_width(part);
    const unsigned count = below_[output_of(address)]->socket->transport_dbg(piece);
    moved += count;
    if (count != part) break;
  }
  return moved;
}

/// If all outputs reach the same memory (one device memory behind all controllers), the DMI grant is passed on as is;
/// otherwise it is limited to the address block of one output.
bool Crossbar::direct(unsigned, Payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  const unsigned target = output_of(address);
  if (!below_[target]->socket->get_direct_mem_ptr(payload, dmi)) return false;
  if (setting_.outputs == 1) return true;
  const auto base = [](const tlm::tlm_dmi& d) {
    return reinterpret_cast<std::uintptr_t>(d.get_dmi_ptr()) - d.get_start_address();
  };
  bool shared = true;
  std::uint64_t first = dmi.get_start_address(), last = dmi.get_end_address();
  for (unsigned i = 0; i < below_.size() && shared; ++i) {
    if (i == target) continue;
    tlm::tlm_dmi other;
    Payload probe;
    probe.set_command(payload.get_command());
    probe.set_address(address);
    shared = below_[i]->socket->get_direct_mem_ptr(probe, other) && base(other) == base(dmi) &&
             other.get_granted_access() == dmi.get_granted_access();
    first = std::max<std::uint64_t>(first, other.get_start_address());
    last = std::min<std::uint64_t>(last, other.get_end_address());
  }
  if (!shared) {
    const std::uint64_t granule = setting_.map->granule();
    first = std::max<std::uint64_t>(dmi.get_start_address(), address / granule * granule);
    last = std::min<std::uint64_t>(dmi.get_end_address(), address / granule * granule + granule - 1);
  }
  dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (first - dmi.get_start_address()));
  dmi.set_start_address(first);
  dmi.set_end_address(last);
  return true;
}

void Crossbar::direct_invalid(unsigned, std::uint64_t first, std::uint64_t last) {
  for (auto& above : above_) above->port.invalidate_direct(first, last);
}

HEDDLE_REGISTER(Interconnect, Crossbar, "crossbar", "a crossbar with buffered ports and a network in each direction",
                "docs/mechanisms/crossbar.md");

}  // namespace heddle::memory
