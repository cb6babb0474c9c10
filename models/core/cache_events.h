// SPDX-License-Identifier: Apache-2.0
// What happens in a cache, for those who study its contents: victim tag arrays, locality detectors, traces. A level in
// the sense of level.h: what a listener makes of an event told in cycle t is seen by others from t + 1.
#pragma once

#include <cstdint>
#include <systemc>

#include "core/cycle.h"
#include "core/payload.h"

namespace heddle {

struct CacheEvent {
  enum class What : std::uint8_t {
    hit,    ///< a look-up found the line
    miss,   ///< it did not; the line is requested from below
    merge,  ///< it did not, and the line is on its way already
    write,  ///< a store, atomic or reduction passed on to the level below
    fill,   ///< a line arrived
    evict,  ///< a line went: replaced, written to elsewhere, or invalidated
  };
  What what = What::hit;
  AccessKind kind = AccessKind::load;
  std::uint64_t address = 0;    ///< of the line's first byte
  std::uint32_t requester = 0;  ///< sm << 16 | context of the request that caused it; kNobody for foreign requests
  std::uint32_t owner = 0;      ///< hit, evict: who allocated the line, in the same form
  std::uint32_t pc = 0;
  Cycle cycle = 0;           ///< of the cache's clock
  std::uint64_t access = 0;  ///< hit, miss, merge, write: RequestInfo::access of the request that is looked up
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
};

/// Events of one look-up come in the order evict, then miss. Nobody listening costs one test an event.
class CacheListener {
 public:
  virtual ~CacheListener() = default;
  virtual void cache_event(const CacheEvent& event) = 0;
};

/// The call by which a reader that keeps the set of lines present (by CacheListener) tells the cache which it used: the
/// cache counts a hit and its replacement order learns of it. One owner a cache.
class CacheUse : public sc_core::sc_interface {
 public:
  /// The line that holds `address` was used in this cycle of the cache's clock. No effect when it is no longer there.
  virtual void used(std::uint64_t address) = 0;
};

}  // namespace heddle
