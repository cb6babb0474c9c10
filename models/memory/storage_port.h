// SPDX-License-Identifier: Apache-2.0
// Connects a timed memory to the data: an optional initiator socket through which foreign requests, debug transport and
// DMI reach the storage. Heddle's own requests carry no data and do not use it.
#pragma once

#include <functional>
#include <tlm>

#include "core/kernel/payload.h"
#include "memory/functional.h"

namespace heddle::memory {

class StoragePort final : private tlm::tlm_bw_transport_if<> {
 public:
  using Invalidate = std::function<void(std::uint64_t first, std::uint64_t last)>;
  /// invalidated: called when the storage revokes DMI it granted.
  StoragePort(const char* name, Invalidate invalidated)
      : socket(name), invalidated_(std::move(invalidated)), bytes_(socket.name()) {
    socket.bind(*this);
  }

  using Socket = tlm::tlm_initiator_socket<32, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  Socket socket;

  bool bound() const { return socket.get_base_port().size() != 0; }
  /// Moves the bytes of a foreign request and sets its status; Heddle's own requests get TLM_OK_RESPONSE.
  void move(tlm::tlm_generic_payload& payload);
  unsigned debug(tlm::tlm_generic_payload& payload) { return bound() ? socket->transport_dbg(payload) : 0; }
  bool direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    return bound() && socket->get_direct_mem_ptr(payload, dmi);
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;  // no timed requests are sent here
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override { invalidated_(first, last); }

  Invalidate invalidated_;
  BytesBelow bytes_;
};

}  // namespace heddle::memory
