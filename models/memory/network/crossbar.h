// SPDX-License-Identifier: Apache-2.0
// The crossbar between SMs and memory: n base-protocol sockets above, m below, one network for requests and one for
// replies.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "core/kernel/base_port.h"
#include "core/kernel/payload.h"
#include "core/kernel/services.h"
#include "memory/network/crossbar_parameters.h"
#include "memory/network/interconnect.h"
#include "memory/network/route_tag.h"

namespace heddle::memory {

class Crossbar final : public sc_core::sc_module, public Interconnect, public Clocked, private BaseProtocolOwner {
 public:
  Crossbar(sc_core::sc_module_name name, ClockDomain& domain, const CrossbarParameters& parameters,
           const StatisticsGroup& statistics, Services& services, const InterconnectSetting& setting);
  explicit Crossbar(const InterconnectSite& site)
      : Crossbar(site.name, site.domain, site.parameters, site.statistics, site.services, site.setting) {}
  ~Crossbar() override;

  TargetSocket& in(unsigned i) override { return above_[i]->port.socket; }
  InitiatorSocket& out(unsigned i = 0) override { return below_[i]->socket; }

  void tick() override;
  /// Packets inside.
  unsigned busy() const override { return static_cast<unsigned>(requests_.packets() + replies_.packets()); }
  void settle() override {
    requests_.settle(domain_.arrival_cycle() - 1);
    replies_.settle(domain_.arrival_cycle() - 1);
  }

  const SwitchNetwork& requests() const { return requests_; }
  const SwitchNetwork& replies() const { return replies_; }

 private:
  struct Above {
    Above(const char* name, ClockDomain& domain, Crossbar& crossbar, unsigned number, unsigned capacity)
        : port(name, domain, crossbar, crossbar, number, {capacity, 1}) {}
    TargetPort port;
    RingQueue<Payload*> refused{1};  // foreign requests that span two outputs, answered here with an error
    bool refusal_waited = false;     // a reply from below has already gone before the oldest of them
  };

  // Steps of a cycle.
  void take_replies();
  void take_requests();
  void deliver_requests();
  void deliver_replies();
  void refuse();

  unsigned output_of(std::uint64_t address) const { return setting_.outputs == 1 ? 0 : setting_.map->target(address); }
  /// Whether a request spans two outputs.
  bool spans(const Payload& payload) const;
  void blocking(unsigned port, Payload& payload, sc_core::sc_time& delay) override;
  unsigned debug(unsigned port, Payload& payload) override;
  bool direct(unsigned port, Payload& payload, tlm::tlm_dmi& dmi) override;
  void direct_invalid(unsigned port, std::uint64_t first, std::uint64_t last) override;

  ClockDomain& domain_;
  CrossbarParameters parameters_;
  InterconnectSetting setting_;
  SwitchNetwork requests_, replies_;
  std::vector<std::unique_ptr<Above>> above_;
  std::vector<std::unique_ptr<InitiatorPort>> below_;
  PortBits with_requests_, with_replies_;        // sockets with a packet accepted or offered
  PortBits blocked_requests_, blocked_replies_;  // sockets whose oldest packet waits for buffer space
  unsigned refused_ = 0;
  Cycle next_ = kNever;  // next active cycle of this module, as far as known in this cycle
  RouteTags tags_;
  std::vector<std::unique_ptr<Structure>> structures_;
  ProbeGroup probe_;
};

}  // namespace heddle::memory
