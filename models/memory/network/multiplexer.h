// SPDX-License-Identifier: Apache-2.0
// Joins several base-protocol connections into one: the caches of an SM share its crossbar port. Throughput is one
// request and one reply per cycle, latency one cycle each way.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "core/kernel/base_port.h"
#include "core/kernel/module_state.h"
#include "memory/network/route_tag.h"

namespace heddle::memory {

class Multiplexer final : public sc_core::sc_module, public Clocked, private BaseProtocolOwner {
 public:
  /// inputs: their names, 1 or more. path: of its signals.
  Multiplexer(sc_core::sc_module_name name, ClockDomain& domain, const std::vector<std::string>& inputs,
              Services& services, const std::string& path);
  ~Multiplexer() override;

  TargetSocket& in(unsigned i) { return above_[i]->socket; }
  InitiatorSocket& out() { return below_.socket; }

  void tick() override;

 private:
  void blocking(unsigned, Payload& payload, sc_core::sc_time& delay) override {
    delay += domain_.time_of(2);
    below_.socket->b_transport(payload, delay);
  }
  unsigned debug(unsigned, Payload& payload) override { return below_.socket->transport_dbg(payload); }
  bool direct(unsigned, Payload& payload, tlm::tlm_dmi& dmi) override {
    return below_.socket->get_direct_mem_ptr(payload, dmi);
  }
  void direct_invalid(unsigned, std::uint64_t first, std::uint64_t last) override {
    for (auto& port : above_) port->invalidate_direct(first, last);
  }

  ClockDomain& domain_;
  std::vector<std::unique_ptr<TargetPort>> above_;
  InitiatorPort below_;
  RouteTags tags_;
  PortBits with_requests_;
  unsigned turn_ = 0;
  const TextTable input_names_;
  ModuleState state_;
  ProbeGroup::SignalId request_from_, address_, reply_to_;
};

}  // namespace heddle::memory
