// SPDX-License-Identifier: Apache-2.0
// What a memory packet asks for: the memories that its threads access, and the kind and path of its requests to the
// caches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernel/payload.h"
#include "sm/packet.h"

namespace heddle::sm {

/// The memory stage's paths to the caches.
enum class CachePath : std::uint8_t { data, constant, texture };
inline constexpr std::size_t kCachePaths = 3;

/// Memories accessed by a packet's threads. Generic addresses may reach several.
struct AccessReach {
  bool shared = false, caches = false;
  bool local = false;  ///< all cache accesses are to local memory
};
AccessReach reach_of(const Packet& packet);

/// What the requests of an access have in common. Only packets of one class coalesce together.
struct AccessClass {
  CachePath path = CachePath::data;
  AccessKind kind = AccessKind::load;
  bool local = false;     ///< to local memory only
  bool coherent = false;  ///< RequestInfo::coherent

  bool operator==(const AccessClass&) const = default;
  /// Whether its requests are writes.
  bool writes() const { return kind == AccessKind::store || kind == AccessKind::reduction; }
  /// Whether its packets wait for replies. The others complete when their last request has been sent.
  bool waits() const { return !writes() && kind != AccessKind::prefetch; }
};
AccessClass class_of(const Packet& packet);

/// Bytes that one thread of the packet accesses, 1 .. 16.
unsigned bytes_per_thread(const Packet& packet);

}  // namespace heddle::sm
