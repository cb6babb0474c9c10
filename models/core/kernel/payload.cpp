// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/payload.h"

#include <array>

namespace heddle {

namespace {

// Read data lands in one line and is never looked at; writes point at another, which nobody changes while they are
// under way. The byte-enable pattern that writes nothing is shared.
std::array<unsigned char, 512> scratch_line;
std::array<unsigned char, 512> unwritten_line;
std::array<unsigned char, 1> write_nothing = {TLM_BYTE_DISABLED};

}  // namespace

// A machine that a fault ended leaves requests under way: they go with the pool.
PayloadPool::~PayloadPool() = default;

PooledPayload& PayloadPool::take(tlm::tlm_command command, std::uint64_t address, unsigned bytes) {
  PooledPayload* payload = nullptr;
  if (idle_.empty()) {
    all_.push_back(std::make_unique<PooledPayload>(this));
    payload = all_.back().get();
  } else {
    payload = idle_.back();
    idle_.pop_back();
    payload->info = RequestInfo();
    // The next one taken has left the host's near caches by then.
    if (!idle_.empty()) __builtin_prefetch(&idle_.back()->info, 1);
  }
  ++outstanding_;
  payload->acquire();
  payload->set_command(command);
  payload->set_address(address);
  payload->set_data_length(bytes);
  payload->set_streaming_width(bytes);
  const bool write = command == tlm::TLM_WRITE_COMMAND;
  payload->set_data_ptr(write ? unwritten_line.data() : scratch_line.data());
  payload->set_byte_enable_ptr(write ? write_nothing.data() : nullptr);
  payload->set_byte_enable_length(write ? 1 : 0);
  payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  payload->set_dmi_allowed(false);
  return *payload;
}

void PayloadPool::free(tlm::tlm_generic_payload* payload) {
  --outstanding_;
  idle_.push_back(static_cast<PooledPayload*>(payload));
}

}  // namespace heddle
