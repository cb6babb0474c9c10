// SPDX-License-Identifier: Apache-2.0
// Adapts the call interface of the fetch stage to the base-protocol socket of the instruction cache: a call whose line
// is present hits at once; otherwise it becomes a request.
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
  /// domain: of fetch stage and cache. line_bytes: of the instruction cache. sm: carried by requests.
  InstructionPath(sc_core::sc_module_name name, ClockDomain& domain, unsigned line_bytes, SmId sm);

  RequestPort port;
  /// To the cache behind the socket; unbound if there is none.
  sc_core::sc_port<CacheUse, 1, sc_core::SC_ZERO_OR_MORE_BOUND> cache;
  sc_core::sc_export<InstructionStore> store;

  Answer look_up(std::uint64_t address, InstructionReturn& waiter) override;
  unsigned line_bytes() const override { return line_bytes_; }
  /// Tracks the lines present: fills and evictions in a cycle are visible to look-ups from the next.
  void cache_event(const CacheEvent& event) override;
  void reply(const RequestPort& port, tlm::tlm_generic_payload& payload, Cycle visible) override;
  /// Lines requested and not yet received.
  std::size_t outstanding() const { return outstanding_; }
  /// Declares signals under `path`.
  void declare_state(Services& services, const std::string& path);

 private:
  /// The current cycle, whichever module is executing.
  Cycle now() const { return domain_.arrival_cycle() - 1; }

  ClockDomain& domain_;
  unsigned line_bytes_;
  SmId sm_;
  PayloadPool payloads_;
  std::size_t outstanding_ = 0;
  struct Presence {
    Cycle from;   ///< first cycle in which look-ups find the line
    Cycle until;  ///< last such cycle
  };
  /// Presence of a line; null if unknown.
  Presence* find(std::uint64_t line);
  std::unordered_map<std::uint64_t, Presence> present_;  ///< entries are never removed
  struct Found {
    std::uint64_t line = ~std::uint64_t{0};
    Presence* presence = nullptr;
  };
  std::array<Found, 32> found_{};  ///< direct-mapped by line: recent look-ups
  struct Asked {
    std::uint64_t line;
    InstructionReturn* waiter;
    Cycle comes = kNever;  ///< cycle in which the waiter may proceed, once known
  };
  std::vector<Asked> asked_;
  std::unique_ptr<ModuleState> state_;
};

}  // namespace heddle::gpu
