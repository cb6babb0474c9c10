// SPDX-License-Identifier: Apache-2.0
#include "memory/functional.h"

#include <fmt/core.h>

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

void BytesBelow::move(tlm::tlm_generic_payload& payload, const DebugAccess& below) {
  move_bytes(payload, [&](tlm::tlm_generic_payload& run) { return access(run, below); });
}

unsigned BytesBelow::access(tlm::tlm_generic_payload& payload, const DebugAccess& below) {
  const unsigned count = below(payload);
  moved_ = moved_ || count != 0;
  if (moved_ || told_ || payload.get_data_length() == 0) return count;
  told_ = true;
  SC_REPORT_WARNING(
      "/heddle/memory",
      fmt::format(
          "{}: an access to {} bytes at {:#x} becomes an address error, because the memory below moved none of them "
          "through transport_dbg, on which caches and controllers rely as they hold no data. If the address is mapped "
          "there, register transport_dbg with that memory's socket, or bind a storage",
          owner_, payload.get_data_length(), payload.get_address())
          .c_str());
  return count;
}

}  // namespace heddle::memory
