// SPDX-License-Identifier: Apache-2.0
// What every exchangeable part of the memory side is: base-protocol sockets, and what a machine asks of it besides.
#pragma once

#include <tlm>

namespace heddle::memory {

/// Any base-protocol target or initiator socket of 32 bits, TLM-2.0's own and those of tlm_utils among them.
using AnyTarget = tlm::tlm_base_target_socket_b<32, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>>;
using AnyInitiator = tlm::tlm_base_initiator_socket_b<32, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>>;

class MemoryPart {
 public:
  MemoryPart() = default;
  MemoryPart(const MemoryPart&) = delete;
  MemoryPart& operator=(const MemoryPart&) = delete;
  virtual ~MemoryPart() = default;
  /// Requests taken and not yet answered, and what else is under way; 0: nothing is left to do. A kernel has not ended
  /// before it is 0.
  virtual unsigned busy() const = 0;
  /// Between cycles: charges what is counted by the cycle up to now.
  virtual void settle() {}
};

}  // namespace heddle::memory
