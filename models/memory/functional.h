// SPDX-License-Identifier: Apache-2.0
// The bytes of foreign requests: a module that keeps none moves them by the debug transport of what lies below it, byte
// enables and streaming width included.
#pragma once

#include <functional>
#include <tlm>

namespace heddle::memory {

/// Debug transport of what lies below: returns the bytes moved.
using DebugAccess = std::function<unsigned(tlm::tlm_generic_payload&)>;

/// Moves the bytes of a read or write and sets the response status: TLM_OK_RESPONSE, or TLM_ADDRESS_ERROR_RESPONSE when
/// what lies below moved fewer. TLM_IGNORE_COMMAND moves nothing.
void move_bytes(tlm::tlm_generic_payload& payload, const DebugAccess& below);

}  // namespace heddle::memory
