// SPDX-License-Identifier: Apache-2.0
// Between a fetch stage, which asks by a call, and the instruction cache, which is asked over a base-protocol socket: a
// call that finds its line in the cache is a hit at once; one that does not becomes a request.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/cache_events.h"
#include "core/clock.h"
#include "core/instruction_store.h"
#include "core/module_state.h"
#include "core/payload.h"

namespace heddle::gpu {

class InstructionPath final : public sc_core::sc_module, public InstructionStore, public CacheListener {
 public:
  /// domain: of fetch stage and cache. line_bytes: of the instruction cache. sm: number, carried by requests.
  InstructionPath(sc_core::sc_module_name name, ClockDomain& domain, unsigned line_bytes, unsigned sm);

  tlm::tlm_base_initiator_socket<> socket;
  /// To the cache behind the socket; unbound where there is none.
  sc_core::sc_port<CacheUse, 1, sc_core::SC_ZERO_OR_MORE_BOUND> cache;
  sc_core::sc_export<InstructionStore> store;

  Answer look_up(std::uint64_t address, InstructionReturn& waiter) override;
  unsigned line_bytes() const override { return line_bytes_; }
  /// Keeps the set of lines present: what comes or goes in a cycle does so for look-ups from the next.
  void cache_event(const CacheEvent& event) override;
  std::size_t outstanding() const { return payloads_.outstanding(); }
  /// Declares its signals under this name.
  void declare_state(Services& services, const std::string& path);

 private:
  /// The initiator's side of the socket: a part of its own, because a module is no interface twice.
  struct Replies final : tlm::tlm_bw_transport_if<> {
    explicit Replies(InstructionPath& owner) : path(owner) {}
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    InstructionPath& path;
  };
  void arrived(tlm::tlm_generic_payload& payload);

  /// The cycle being worked on, whichever module's turn it is.
  Cycle now() const { return domain_.arrival_cycle() - 1; }

  Replies replies_{*this};
  ClockDomain& domain_;
  unsigned line_bytes_, sm_;
  PayloadPool payloads_;
  struct Presence {
    Cycle from;   ///< first cycle in which look-ups find the line
    Cycle until;  ///< last one
  };
  std::unordered_map<std::uint64_t, Presence> present_;
  struct Asked {
    std::uint64_t line;
    InstructionReturn* waiter;
  };
  std::vector<Asked> asked_;
  const tlm::tlm_generic_payload* waiting_ = nullptr;  ///< for END_REQ
  std::unique_ptr<ModuleState> state_;
  Cycle free_from_ = 0;  ///< cycle after that of the last END_REQ that was waited for
};

}  // namespace heddle::gpu
