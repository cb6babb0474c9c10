// SPDX-License-Identifier: Apache-2.0
// The crossbar between SMs and memory: n base-protocol sockets above, m below, one network for requests and one for
// replies.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "core/kernel/services.h"
#include "core/kernel/window_rules.h"
#include "memory/network/crossbar_parameters.h"
#include "memory/network/crossbar_paths.h"
#include "memory/network/interconnect.h"

namespace heddle::memory {

class Crossbar final : public sc_core::sc_module,
                       public Interconnect,
                       private BaseProtocolOwner,
                       private WindowPassage {
 public:
  Crossbar(sc_core::sc_module_name name, const InterconnectSite& site);
  explicit Crossbar(const InterconnectSite& site) : Crossbar(site.name, site) {}
  ~Crossbar() override;

  TargetSocket& in(unsigned i) override { return sockets_.above[i]->socket; }
  InitiatorSocket& out(unsigned i = 0) override { return sockets_.below[i]->socket; }

  /// Packets inside.
  unsigned busy() const override { return requests_.packets() + replies_.packets(); }
  void settle() override {
    requests_.settle();
    replies_.settle();
  }

  void sent_by(unsigned i, ClockDomain& part) override { sockets_.above[i]->sent_by(part); }
  WindowPassage* passage() override { return this; }

  const SwitchNetwork& requests() const { return requests_.network(); }
  const SwitchNetwork& replies() const { return replies_.network(); }

 private:
  bool settled() const override { return replies_.settled(); }
  void expect(Cycle from) override { requests_.expect(from); }
  bool can_answer(Cycle cycle) const override { return replies_.can_answer(cycle); }
  void blocking(unsigned port, Payload& payload, sc_core::sc_time& delay) override;
  unsigned debug(unsigned port, Payload& payload) override;
  bool direct(unsigned port, Payload& payload, tlm::tlm_dmi& dmi) override;
  void direct_invalid(unsigned port, std::uint64_t first, std::uint64_t last) override;

  ClockDomain& domain_;
  CrossbarParameters parameters_;
  InterconnectSetting setting_;
  CrossbarSockets sockets_;
  RequestPath requests_;
  ReplyPath replies_;
  std::vector<std::unique_ptr<Structure>> structures_;
  ProbeGroup probe_;
};

}  // namespace heddle::memory
