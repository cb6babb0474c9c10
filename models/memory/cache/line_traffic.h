// SPDX-License-Identifier: Apache-2.0
// Lines that come to a cache and go from it: fetches, fills, evictions with their write-backs, and the answers to what
// was passed on.
#pragma once

#include "memory/cache/parts.h"

namespace heddle::memory {

class LineTraffic {
 public:
  explicit LineTraffic(CacheParts& cache) : cache_(cache) {}

  /// Asks below for sectors of a line, one request for each run of them. place: where they go, or kNone. waiting: who
  /// waits for them (OpenRequests), or nobody.
  void fetch(const CacheRequest& request, const LinePiece& piece, TagArray::Place place, SectorMask sectors,
             std::uint32_t waiting);
  /// A line has gone, for `requester`; what only it knew is written below.
  void evicted(const TagArray::Evicted& gone, std::uint32_t requester, Cycle now);
  /// A line has gone, and nobody will ask for what only it knew.
  void dropped(const TagArray::Evicted& gone, Cycle now) { tell_evicted(gone, gone.state.owner, now); }
  /// What came from below.
  void reply(const tlm::tlm_generic_payload& payload, Cycle now);

 private:
  TagArray::Place place_for(std::uint64_t line, std::uint32_t owner, Cycle now);
  void filled(RequestsBelow::Id id, tlm::tlm_response_status status, Cycle now);
  void tell_evicted(const TagArray::Evicted& gone, std::uint32_t requester, Cycle now);

  CacheParts& cache_;
};

}  // namespace heddle::memory
