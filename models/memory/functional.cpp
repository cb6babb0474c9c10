// SPDX-License-Identifier: Apache-2.0
#include "memory/functional.h"

namespace heddle::memory {
namespace {

bool move_run(tlm::tlm_command command, std::uint64_t address, unsigned char* bytes, unsigned count,
              const DebugAccess& below) {
  tlm::tlm_generic_payload run;
  run.set_command(command);
  run.set_address(address);
  run.set_data_ptr(bytes);
  run.set_data_length(count);
  run.set_streaming_width(count);
  return below(run) == count;
}

}  // namespace

void move_bytes(tlm::tlm_generic_payload& payload, const DebugAccess& below) {
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  const tlm::tlm_command command = payload.get_command();
  if (command == tlm::TLM_IGNORE_COMMAND) return;
  const unsigned length = payload.get_data_length();
  const unsigned width = payload.get_streaming_width();
  if (width == 0) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  const unsigned enable_length = payload.get_byte_enable_length();
  const auto enabled = [&](unsigned i) {
    return enables == nullptr || enable_length == 0 || enables[i % enable_length] == TLM_BYTE_ENABLED;
  };
  // Runs of enabled bytes that do not cross a wrap of the streaming width.
  for (unsigned i = 0; i < length;) {
    unsigned end = i;
    const unsigned wrap = (i / width + 1) * width;
    while (end < length && end < wrap && enabled(end)) ++end;
    if (end == i) {
      ++i;
      continue;
    }
    if (!move_run(command, payload.get_address() + i % width, payload.get_data_ptr() + i, end - i, below)) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    i = end;
  }
}

}  // namespace heddle::memory
