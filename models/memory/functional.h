// SPDX-License-Identifier: Apache-2.0
// The bytes of foreign requests: a module that keeps none moves them by the debug transport of what lies below it, byte
// enables and streaming width included.
#pragma once

#include <functional>
#include <string>
#include <tlm>
#include <utility>

namespace heddle::memory {

/// Debug transport of what lies below: returns the bytes moved.
using DebugAccess = std::function<unsigned(tlm::tlm_generic_payload&)>;

/// Moves the bytes of a read or write and sets the response status: TLM_OK_RESPONSE, or TLM_ADDRESS_ERROR_RESPONSE when
/// what lies below moved fewer. TLM_IGNORE_COMMAND moves nothing.
void move_bytes(tlm::tlm_generic_payload& payload, const DebugAccess& below);

/// The same for one module, which tells once, by a SystemC warning, when an address error may have another cause: a
/// target that registers no transport_dbg moves nothing whatever the address. Silent once anything was moved.
class BytesBelow {
 public:
  /// owner: name of the module.
  explicit BytesBelow(std::string owner) : owner_(std::move(owner)) {}
  void move(tlm::tlm_generic_payload& payload, const DebugAccess& below);
  /// One access as it is; returns the bytes moved.
  unsigned access(tlm::tlm_generic_payload& payload, const DebugAccess& below);

 private:
  std::string owner_;
  bool moved_ = false, told_ = false;
};

}  // namespace heddle::memory
