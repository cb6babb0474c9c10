// SPDX-License-Identifier: Apache-2.0
// A memory that accepts every request immediately and answers it a fixed number of cycles later.
#pragma once

#include <map>
#include <memory>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "core/kernel/clock.h"

namespace heddle {

class FlatMemory final : public sc_core::sc_module, public Clocked {
 public:
  FlatMemory(sc_core::sc_module_name module_name, ClockDomain& domain, unsigned sockets, Cycle latency);
  ~FlatMemory() override;

  tlm::tlm_base_target_socket<>& socket(unsigned i);
  void tick() override;

  std::size_t requests = 0;
  std::size_t partial_stores = 0;  ///< said to leave bytes of their range as they are
  std::size_t local_requests = 0;  ///< to local memory
  std::size_t hinted = 0;          ///< with a row-buffer hint
  std::size_t coherent = 0;        ///< loads that see what other SMs wrote

 private:
  struct Port;

  ClockDomain& domain_;
  Cycle latency_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::multimap<Cycle, std::pair<unsigned, tlm::tlm_generic_payload*>> pending_;
};

}  // namespace heddle
