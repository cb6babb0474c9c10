// SPDX-License-Identifier: Apache-2.0
// A request as seen by the look-up of a cache, and its part within one line.
#pragma once

#include <cstdint>

#include "core/kernel/cache_events.h"
#include "core/kernel/payload.h"
#include "memory/cache/tag_array.h"

namespace heddle::memory {

enum class CacheAction : std::uint8_t { read, store, atomic, passed_read };

struct CacheRequest {
  tlm::tlm_generic_payload* payload;
  RequestInfo* info;  ///< null: foreign
  AccessKind kind;
  CacheAction action;
  Requester requester;  ///< as CacheEvent::requester
  unsigned socket;
  Cycle now;  ///< of its look-up

  /// Access to local memory, private to its thread.
  bool local() const { return info != nullptr && info->local; }

  /// of_one_sm: the cache does not see stores of other SMs, so coherent loads bypass it.
  static CacheRequest of(tlm::tlm_generic_payload& payload, bool of_one_sm, unsigned socket, Cycle now);
};

inline CacheRequest CacheRequest::of(tlm::tlm_generic_payload& payload, bool of_one_sm, unsigned socket, Cycle now) {
  RequestInfo* const info = RequestInfo::of(payload);
  const Requester requester = info == nullptr ? CacheEvent::kNobody : Requester{info->sm, info->warp};
  CacheRequest request{&payload, info, AccessKind::load, CacheAction::read, requester, socket, now};
  request.kind = info != nullptr ? info->kind : payload.is_write() ? AccessKind::store : AccessKind::load;
  switch (request.kind) {
    case AccessKind::store:
    case AccessKind::write_back:
      request.action = CacheAction::store;
      break;
    case AccessKind::atomic:
    case AccessKind::reduction:
      request.action = CacheAction::atomic;
      break;
    default:
      if (of_one_sm && info != nullptr && info->coherent) request.action = CacheAction::passed_read;
      break;
  }
  return request;
}

struct LinePiece {
  std::uint64_t line;  ///< number of the line in memory
  unsigned set;
  SectorMask sectors;  ///< wanted
  bool whole;          ///< a store that covers its sectors
};

}  // namespace heddle::memory
