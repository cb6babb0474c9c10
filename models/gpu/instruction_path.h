// SPDX-License-Identifier: Apache-2.0
// Between a fetch stage, which asks by a call, and the instruction cache, which is asked over a base-protocol socket: a
// call that finds its line in the cache is a hit at once; one that does not becomes a request.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/kernel/cache_events.h"
#include "core/kernel/clock.h"
#include "core/kernel/instruction_store.h"
#include "core/kernel/module_state.h"
#include "core/kernel/payload.h"
#include "core/kernel/request_port.h"

namespace heddle::gpu {

class InstructionPath final : public sc_core::sc_module,
                              public InstructionStore,
                              public CacheListener,
                              public RequestPortOwner {
 public:
  /// domain: of fetch stage and cache. line_bytes: of the instruction cache. sm: number, carried by requests.
  InstructionPath(sc_core::sc_module_name name, ClockDomain& domain, unsigned line_bytes, unsigned sm);

  RequestPort port;
  /// To the cache behind the socket; unbound where there is none.
  sc_core::sc_port<CacheUse, 1, sc_core::SC_ZERO_OR_MORE_BOUND> cache;
  sc_core::sc_export<InstructionStore> store;

  Answer look_up(std::uint64_t address, InstructionReturn& waiter) override;
  unsigned line_bytes() const override { return line_bytes_; }
  /// Keeps the set of lines present: what comes or goes in a cycle does so for look-ups from the next.
  void cache_event(const CacheEvent& event) override;
  void reply(const RequestPort& port, tlm::tlm_generic_payload& payload, Cycle visible) override;
  std::size_t outstanding() const { return payloads_.outstanding(); }
  /// Declares its signals under this name.
  void declare_state(Services& services, const std::string& path);

 private:
  /// The cycle being worked on, whichever module's turn it is.
  Cycle now() const { return domain_.arrival_cycle() - 1; }

  ClockDomain& domain_;
  unsigned line_bytes_, sm_;
  PayloadPool payloads_;
  struct Presence {
    Cycle from;   ///< first cycle in which look-ups find the line
    Cycle until;  ///< last one
  };
  /// What is known of a line; null where nothing is.
  Presence* find(std::uint64_t line);
  std::unordered_map<std::uint64_t, Presence> present_;  ///< nothing is taken out
  struct Found {
    std::uint64_t line = ~std::uint64_t{0};
    Presence* presence = nullptr;
  };
  std::array<Found, 32> found_{};  ///< by line modulo its size: the last that was asked for
  struct Asked {
    std::uint64_t line;
    InstructionReturn* waiter;
    Cycle comes = kNever;  ///< cycle in which those that wait may go on, once it is known
  };
  std::vector<Asked> asked_;
  std::unique_ptr<ModuleState> state_;
};

}  // namespace heddle::gpu
