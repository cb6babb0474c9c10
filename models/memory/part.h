// SPDX-License-Identifier: Apache-2.0
// Common interface of the exchangeable memory parts: base-protocol sockets and the calls a machine makes besides.
#pragma once

#include <tlm>

namespace heddle::memory {

/// Any 32-bit base-protocol target or initiator socket, including those of tlm_utils.
using AnyTarget = tlm::tlm_base_target_socket_b<32, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>>;
using AnyInitiator = tlm::tlm_base_initiator_socket_b<32, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>>;

class MemoryPart {
 public:
  MemoryPart() = default;
  MemoryPart(const MemoryPart&) = delete;
  MemoryPart& operator=(const MemoryPart&) = delete;
  virtual ~MemoryPart() = default;
  /// Requests not yet answered, plus any other work in flight. A kernel ends only when it is 0.
  virtual unsigned busy() const = 0;
  /// Between cycles: brings per-cycle counters up to date.
  virtual void settle() {}
};

}  // namespace heddle::memory
