// SPDX-License-Identifier: Apache-2.0
// Cache events, for victim tag arrays, locality detectors and traces. State that a listener derives from an event in
// cycle t must become visible to other modules only from t + 1.
#pragma once

#include <cstdint>
#include <systemc>

#include "core/kernel/cycle.h"
#include "core/kernel/payload.h"
#include "core/requester.h"

namespace heddle {

struct CacheEvent {
  enum class What : std::uint8_t {
    hit,    ///< a look-up found the line
    miss,   ///< it did not; the line is requested from the level below
    merge,  ///< it did not, but the line is already outstanding
    write,  ///< a store, atomic or reduction passed on to the level below
    fill,   ///< a line arrived
    evict,  ///< a line was removed: replaced, written by another agent, or invalidated
  };
  What what = What::hit;
  AccessKind kind = AccessKind::load;
  std::uint64_t address = 0;  ///< of the line's first byte
  Requester requester;        ///< of the request that caused it; kNobody for foreign requests
  Requester owner;            ///< hit, evict: who allocated the line
  std::uint32_t pc = 0;
  Cycle cycle = 0;           ///< in the cache's clock domain
  std::uint64_t access = 0;  ///< hit, miss, merge, write: RequestInfo::access of the request
  static constexpr Requester kNobody{SmId(0xffff), WarpId(0xffff)};
};

/// A look-up reports evict before miss. Without a listener, each event costs one test.
class CacheListener {
 public:
  virtual ~CacheListener() = default;
  virtual void cache_event(const CacheEvent& event) = 0;
};

/// Call interface for a reader that tracks the resident lines through CacheListener: it reports each line it uses, and
/// the cache counts a hit and updates its replacement state. At most one such reader per cache.
class CacheUse : public sc_core::sc_interface {
 public:
  /// The line holding `address` was used in this cycle of the cache's clock. No effect if it has been evicted.
  virtual void used(std::uint64_t address) = 0;
};

}  // namespace heddle
