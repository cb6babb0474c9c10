// SPDX-License-Identifier: Apache-2.0
// Addresses as the caches see them: local memory and kernel parameters lie outside device memory.
#pragma once

#include <cstdint>

#include "sm/packet.h"

namespace heddle::sm {

class CacheAddresses {
 public:
  /// sm: number in the machine; every SM has local memory of its own.
  explicit CacheAddresses(SmId sm) : sm_(sm) {}
  /// Replaces the packet's addresses in local and parameter memory by those that the caches see. Call once a packet.
  void translate(Packet& packet) const;

 private:
  std::uint64_t of_local(const PacketWord& word, unsigned lane, std::uint64_t offset) const;
  SmId sm_;
};

}  // namespace heddle::sm
