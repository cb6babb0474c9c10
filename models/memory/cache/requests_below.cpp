// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/requests_below.h"

#include <algorithm>

namespace heddle::memory {

RequestsBelow::Id RequestsBelow::add(Kind kind, tlm::tlm_command command, std::uint64_t address, unsigned bytes,
                                     const RequestInfo* parent, Cycle now) {
  Id id = free_;
  if (id != kNone) {
    free_ = requests_[id].next_free;
  } else {
    id = static_cast<Id>(requests_.size());
    requests_.emplace_back();
  }
  Request& request = requests_[id];
  request.kind = kind;
  request.sent = false;
  request.carries_bytes = false;
  request.payload = &pool_.take(command, address, bytes);
  request.requested = now;
  RequestInfo& info = request.info();
  if (parent != nullptr) {
    info.kind = parent->kind;
    info.local = parent->local;
    info.keep_row_open = parent->keep_row_open;
    info.partial = parent->partial;
    info.sm = parent->sm;
    info.warp = parent->warp;
    info.pc = parent->pc;
  }
  info.access = id;
  queue_.push({id, now + latency_});
  counts_.most_queued_below.record(queue_.size());
  return id;
}

void RequestsBelow::write_back(std::uint64_t address, unsigned bytes, Requester owner, bool local, Cycle now) {
  const Id id = add(Kind::write_back, tlm::TLM_WRITE_COMMAND, address, bytes, nullptr, now);
  RequestInfo& info = requests_[id].info();
  info.kind = AccessKind::write_back;
  info.local = local;
  info.sm = owner.sm;
  info.warp = owner.warp;
  ++counts_.write_backs;
}

tlm::tlm_generic_payload& RequestsBelow::send(tlm::tlm_fw_transport_if<>& below, BytesBelow& bytes) {
  Request& request = requests_[queue_.pop().id];
  request.sent = true;
  if (refuses_byte_enables_ && request.payload->is_write()) carry_bytes(request, below, bytes);
  ++counts_.requests_below;
  return *request.payload;
}

bool RequestsBelow::send_again(Id id, Cycle now) {
  Request& request = requests_[id];
  if (!request.payload->is_write() || request.carries_bytes) return false;
  refuses_byte_enables_ = true;
  request.payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  queue_.push({id, now});
  return true;
}

/// Gives a write the bytes already stored at its address, instead of byte enables. With DMI it points to the stored
/// bytes themselves, so that it changes nothing whenever it takes effect; otherwise it carries a copy of their current
/// value.
void RequestsBelow::carry_bytes(Request& request, tlm::tlm_fw_transport_if<>& below, BytesBelow& bytes) {
  request.carries_bytes = true;
  tlm::tlm_generic_payload& payload = *request.payload;
  const std::uint64_t first = payload.get_address();
  const unsigned length = payload.get_data_length();
  const auto carry = [&](unsigned char* data) {
    payload.set_byte_enable_ptr(nullptr);
    payload.set_byte_enable_length(0);
    payload.set_data_ptr(data);
  };
  tlm::tlm_generic_payload read;
  read.set_command(tlm::TLM_READ_COMMAND);
  read.set_address(first);
  tlm::tlm_dmi dmi;
  if (below.get_direct_mem_ptr(read, dmi) && dmi.is_read_write_allowed() && dmi.get_start_address() <= first &&
      first + length - 1 <= dmi.get_end_address()) {
    carry(dmi.get_dmi_ptr() + (first - dmi.get_start_address()));
    return;
  }
  request.bytes.assign(length, 0);
  read.set_data_ptr(request.bytes.data());
  read.set_data_length(length);
  read.set_streaming_width(length);
  const unsigned moved =
      bytes.access(read, [&below](tlm::tlm_generic_payload& run) { return below.transport_dbg(run); });
  // If the bytes cannot be read, keep the byte enables: the write is rejected again, and its initiator gets the error.
  if (moved == length) carry(request.bytes.data());
}

bool RequestsBelow::writes_to(const tlm::tlm_generic_payload& payload) const {
  const std::uint64_t first = payload.get_address(), end = first + payload.get_data_length();
  return std::any_of(requests_.begin(), requests_.end(), [&](const Request& request) {
    return request.payload != nullptr && request.payload->is_write() && request.payload->get_address() < end &&
           request.payload->get_address() + request.payload->get_data_length() > first;
  });
}

}  // namespace heddle::memory
