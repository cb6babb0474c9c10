// SPDX-License-Identifier: Apache-2.0
// Data movement for foreign requests: a module that stores no data moves it through the debug transport of the level
// below, honouring byte enables and streaming width.
#pragma once

#include <functional>
#include <string>
#include <tlm>
#include <utility>

namespace heddle::memory {

/// Debug transport of the level below: returns the bytes moved.
using DebugAccess = std::function<unsigned(tlm::tlm_generic_payload&)>;

/// Moves the bytes of a read or write and sets the response status: TLM_OK_RESPONSE, or TLM_ADDRESS_ERROR_RESPONSE if
/// the level below moved fewer. TLM_IGNORE_COMMAND moves nothing.
void move_bytes(tlm::tlm_generic_payload& payload, const DebugAccess& below);

/// move_bytes() for one module. An address error may only mean that the target registers no transport_dbg and so moves
/// nothing at any address: unless bytes have moved before, a SystemC warning says so once.
class BytesBelow {
 public:
  /// owner: name of the module.
  explicit BytesBelow(std::string owner) : owner_(std::move(owner)) {}
  void move(tlm::tlm_generic_payload& payload, const DebugAccess& below);
  /// Passes one access on unchanged; returns the bytes moved.
  unsigned access(tlm::tlm_generic_payload& payload, const DebugAccess& below);

 private:
  std::string owner_;
  bool moved_ = false, told_ = false;
};

}  // namespace heddle::memory
