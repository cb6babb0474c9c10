// SPDX-License-Identifier: Apache-2.0
// Device memory contents as a TLM-2.0 target: debug transport and DMI into memory of this process. Untimed; timed
// requests that reach it are answered at once.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>

namespace heddle::memory {

class HostStorage final : public sc_core::sc_module {
 public:
  /// Whether bytes [first, end) may be accessed.
  using Accessible = std::function<bool(std::uint64_t first, std::uint64_t end)>;

  /// For bytes that may not be accessed: writes [address, address + bytes) to `to` if a function produces all of them;
  /// otherwise returns false.
  using Produce = std::function<bool(std::uint64_t address, std::uint64_t bytes, void* to)>;

  /// Addresses base .. base + size - 1 are the bytes at `bytes`. accessible: further limits; empty: none. produce:
  /// supplies reads outside those limits; empty: they fail.
  HostStorage(sc_core::sc_module_name name, std::uint64_t base, std::uint64_t size, unsigned char* bytes,
              Accessible accessible = {}, Produce produce = {});

  /// Accepts several connections; none if the memory model stores its own data.
  tlm_utils::multi_passthrough_target_socket<HostStorage, 32, tlm::tlm_base_protocol_types, 0,
                                             sc_core::SC_ZERO_OR_MORE_BOUND>
      socket;

 private:
  using Payload = tlm::tlm_generic_payload;
  tlm::tlm_sync_enum nb_transport_fw(int, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void b_transport(int, Payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(int, Payload& payload) { return move(payload); }
  bool get_direct_mem_ptr(int, Payload& payload, tlm::tlm_dmi& dmi);
  unsigned move(Payload& payload);

  std::uint64_t base_, size_;
  unsigned char* bytes_;
  Accessible accessible_;
  Produce produce_;
};

}  // namespace heddle::memory
