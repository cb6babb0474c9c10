// SPDX-License-Identifier: Apache-2.0
#include "flat_memory.h"

#include <string>

#include "core/kernel/payload.h"

namespace heddle {

struct FlatMemory::Port : tlm::tlm_fw_transport_if<> {
  Port(FlatMemory& m, unsigned i) : memory(m), number(i), socket(("socket" + std::to_string(i)).c_str()) {
    socket.bind(*this);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time&) override {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    ++memory.requests;
    if (const RequestInfo* info = RequestInfo::of(payload)) {
      memory.partial_stores += info->partial ? 1 : 0;
      memory.local_requests += info->local ? 1 : 0;
      memory.hinted += info->keep_row_open ? 1 : 0;
      memory.coherent += info->coherent ? 1 : 0;
    }
    payload.acquire();
    memory.pending_.emplace(memory.domain_.now() + memory.latency_, std::pair{number, &payload});
    memory.domain_.wake(memory, memory.domain_.now() + memory.latency_);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  FlatMemory& memory;
  unsigned number;
  tlm::tlm_base_target_socket<> socket;
};

FlatMemory::FlatMemory(sc_core::sc_module_name module_name, ClockDomain& domain, unsigned sockets, Cycle latency)
    : sc_module(module_name), domain_(domain), latency_(latency) {
  domain.add(*this);
  for (unsigned i = 0; i < sockets; ++i) ports_.push_back(std::make_unique<Port>(*this, i));
}

FlatMemory::~FlatMemory() = default;

tlm::tlm_base_target_socket<>& FlatMemory::socket(unsigned i) { return ports_[i]->socket; }

void FlatMemory::tick() {
  while (!pending_.empty() && pending_.begin()->first <= domain_.now()) {
    const auto [port, payload] = pending_.begin()->second;
    pending_.erase(pending_.begin());
    payload->set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    ports_[port]->socket->nb_transport_bw(*payload, phase, delay);
    payload->release();
  }
  if (!pending_.empty()) domain_.wake(*this, pending_.begin()->first);
}

}  // namespace heddle
