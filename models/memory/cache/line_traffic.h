// SPDX-License-Identifier: Apache-2.0
// Line movement of a cache: fetches, fills, evictions with their write-backs, and replies to requests passed on.
#pragma once

#include "memory/cache/parts.h"

namespace heddle::memory {

class LineTraffic {
 public:
  explicit LineTraffic(CacheParts& cache) : cache_(cache) {}

  /// Requests sectors of a line from below, one request per run. place: where they will be stored, or kNone. waiting:
  /// the request that waits for them (OpenRequests), or none.
  void fetch(const CacheRequest& request, const LinePiece& piece, TagArray::Place place, SectorMask sectors,
             std::uint32_t waiting);
  /// A line was evicted on behalf of `requester`; its dirty sectors are written back.
  void evicted(const TagArray::Evicted& gone, Requester requester, Cycle now);
  /// A line was dropped without write-back, because its dirty data is dead.
  void dropped(const TagArray::Evicted& gone, Cycle now) { tell_evicted(gone, gone.state.owner, now); }
  /// A reply from below.
  void reply(const tlm::tlm_generic_payload& payload, Cycle now);

 private:
  TagArray::Place place_for(std::uint64_t line, Requester owner, Cycle now);
  void filled(RequestsBelow::Id id, tlm::tlm_response_status status, Cycle now);
  void tell_evicted(const TagArray::Evicted& gone, Requester requester, Cycle now);

  CacheParts& cache_;
};

}  // namespace heddle::memory
