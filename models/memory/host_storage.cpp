// SPDX-License-Identifier: Apache-2.0
#include "memory/host_storage.h"

#include <cstring>

#include "core/kernel/payload.h"
#include "memory/functional.h"

namespace heddle::memory {

HostStorage::HostStorage(sc_core::sc_module_name name, std::uint64_t base, std::uint64_t size, unsigned char* bytes,
                         Accessible accessible, Produce produce)
    : sc_module(name),
      socket("socket"),
      base_(base),
      size_(size),
      bytes_(bytes),
      accessible_(std::move(accessible)),
      produce_(std::move(produce)) {
  socket.register_nb_transport_fw(this, &HostStorage::nb_transport_fw);
  socket.register_b_transport(this, &HostStorage::b_transport);
  socket.register_transport_dbg(this, &HostStorage::transport_dbg);
  socket.register_get_direct_mem_ptr(this, &HostStorage::get_direct_mem_ptr);
}

unsigned HostStorage::move(Payload& payload) {
  const std::uint64_t first = payload.get_address() - base_;
  const unsigned count = payload.get_data_length();
  if (first >= size_ || count > size_ - first) return 0;
  if (accessible_ && !accessible_(payload.get_address(), payload.get_address() + count)) {
    const bool produced =
        produce_ && payload.is_read() && produce_(payload.get_address(), count, payload.get_data_ptr());
    return produced ? count : 0;
  }
  if (payload.is_write()) {
    std::memcpy(bytes_ + first, payload.get_data_ptr(), count);
  } else {
    std::memcpy(payload.get_data_ptr(), bytes_ + first, count);
  }
  return count;
}

void HostStorage::b_transport(int, Payload& payload, sc_core::sc_time&) {
  if (RequestInfo::of(payload) != nullptr) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  } else {
    move_bytes(payload, [this](Payload& run) { return move(run); });
  }
}

tlm::tlm_sync_enum HostStorage::nb_transport_fw(int id, Payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) b_transport(id, payload, delay);
  return tlm::TLM_COMPLETED;
}

bool HostStorage::get_direct_mem_ptr(int, Payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  // DMI would bypass the access check.
  if (address < base_ || address - base_ >= size_ || accessible_) return false;
  dmi.set_dmi_ptr(bytes_);
  dmi.set_start_address(base_);
  dmi.set_end_address(base_ + size_ - 1);
  dmi.allow_read_write();
  return true;
}

}  // namespace heddle::memory
