// SPDX-License-Identifier: Apache-2.0
#include "memory/network/crossbar.h"

#include <algorithm>

#include "core/error.h"
#include "core/unit.h"

namespace heddle::memory {

void CrossbarParameters::describe(ParameterVisitor& v) {
  v("kind", kind, "interconnect model; kinds other than crossbar use only the parameters that apply to them");
  v("request", request, "request network, from the SMs to memory");
  v("reply", reply, "reply network");
  v("port_queue", port_queue, "transactions a port may hold before they enter a buffer", unit::kTransactions,
    range(1, 4096));
}

Crossbar::Crossbar(sc_core::sc_module_name name, const InterconnectSite& site)
    : sc_module(name),
      domain_(site.domain),
      parameters_(site.parameters),
      setting_(site.setting),
      requests_(site.domain, parameters_.request, setting_, StatisticsGroup(site.statistics, "request"), sockets_,
                replies_),
      replies_(site.reply_domain, parameters_.reply, setting_, StatisticsGroup(site.statistics, "reply"), sockets_),
      probe_(site.services.probes, site.statistics.owner().name() + "." + site.statistics.name(),
             site.domain.whole().name()) {
  if (setting_.outputs > 1 && (!setting_.map || setting_.map->targets() != setting_.outputs)) {
    fail(ExitCode::configuration, "{}: {} sockets below need an address map with as many targets", this->name(),
         setting_.outputs);
  }
  for (unsigned i = 0; i < setting_.inputs; ++i) {
    sockets_.above.push_back(std::make_unique<TargetPort>(("in" + std::to_string(i)).c_str(), domain_, requests_,
                                                          static_cast<BaseProtocolOwner&>(*this), i,
                                                          TargetPortParameters{parameters_.port_queue, 1}));
  }
  for (unsigned i = 0; i < setting_.outputs; ++i) {
    sockets_.below.push_back(std::make_unique<InitiatorPort>(("out" + std::to_string(i)).c_str(), domain_, requests_,
                                                             static_cast<BaseProtocolOwner&>(*this), i,
                                                             InitiatorPortParameters{parameters_.port_queue, 1}));
  }
  requests_.connect();
  replies_.connect();
  if (&site.domain != &site.reply_domain) {
    site.domain.idle_when([this] { return requests_.packets() == 0; });
    site.reply_domain.idle_when([this] { return replies_.packets() == 0; });
  }
  const std::string path = site.statistics.owner().name() + "." + site.statistics.name();
  const auto buffers = [&](const char* network, const NetworkParameters& p, unsigned inputs, unsigned outputs) {
    const unsigned packet = 8 * p.flit_bytes * p.flits(128);
    structures_.push_back(std::make_unique<Structure>(
        site.services.structures, path + "." + network + "_buffers", "packets that wait at a crossbar port",
        std::size_t{inputs} * p.input_buffer + std::size_t{outputs} * p.output_buffer,
        std::vector<StructureField>{{"packet", packet, 1, 1}, {"valid", 1, 1, 1}}));
  };
  buffers("request", parameters_.request, setting_.inputs, setting_.outputs);
  buffers("reply", parameters_.reply, setting_.outputs, setting_.inputs);
  probe_.add("requests", 16, "packets inside the request network", [this] { return requests_.packets(); });
  probe_.add("replies", 16, "packets inside the reply network", [this] { return replies_.packets(); });
}

Crossbar::~Crossbar() = default;

void Crossbar::blocking(unsigned, Payload& payload, sc_core::sc_time& delay) {
  if (requests_.spans(payload)) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  delay += domain_.time_of(2 + parameters_.request.latency + parameters_.reply.latency);
  sockets_.below[requests_.output_of(payload.get_address())]->socket->b_transport(payload, delay);
}

/// Debug access may span outputs; each receives its part.
unsigned Crossbar::debug(unsigned, Payload& payload) {
  if (!requests_.spans(payload))
    return sockets_.below[requests_.output_of(payload.get_address())]->socket->transport_dbg(payload);
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
    const unsigned count = sockets_.below[requests_.output_of(address)]->socket->transport_dbg(piece);
    moved += count;
    if (count != part) break;
  }
  return moved;
}

/// If all outputs reach the same memory (one device memory behind all controllers), the DMI grant is passed on as is;
/// otherwise it is limited to the address block of one output.
bool Crossbar::direct(unsigned, Payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  const unsigned target = requests_.output_of(address);
  if (!sockets_.below[target]->socket->get_direct_mem_ptr(payload, dmi)) return false;
  if (setting_.outputs == 1) return true;
  const auto base = [](const tlm::tlm_dmi& d) {
    return reinterpret_cast<std::uintptr_t>(d.get_dmi_ptr()) - d.get_start_address();
  };
  bool shared = true;
  std::uint64_t first = dmi.get_start_address(), last = dmi.get_end_address();
  for (unsigned i = 0; i < sockets_.below.size() && shared; ++i) {
    if (i == target) continue;
    tlm::tlm_dmi other;
    Payload probe;
    probe.set_command(payload.get_command());
    probe.set_address(address);
    shared = sockets_.below[i]->socket->get_direct_mem_ptr(probe, other) && base(other) == base(dmi) &&
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
  for (auto& port : sockets_.above) port->invalidate_direct(first, last);
}

HEDDLE_REGISTER(Interconnect, Crossbar, "crossbar", "a crossbar with buffered ports and a network in each direction",
                "docs/mechanisms/crossbar.md");

}  // namespace heddle::memory
