// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/request.h"

#include "core/cache_events.h"

namespace heddle::memory {

CacheRequest CacheRequest::of(tlm::tlm_generic_payload& payload, bool of_one_sm, unsigned socket, Cycle now) {
  RequestInfo* const info = RequestInfo::of(payload);
  const std::uint32_t requester = info == nullptr ? CacheEvent::kNobody : std::uint32_t{info->sm} << 16 | info->context;
  CacheRequest request{&payload, info, AccessKind::load, CacheAction::kRead, requester, socket, now};
  request.kind = info != nullptr ? info->kind : payload.is_write() ? AccessKind::store : AccessKind::load;
  switch (request.kind) {
    case AccessKind::store:
    case AccessKind::write_back:
      request.action = CacheAction::kStore;
      break;
    case AccessKind::atomic:
    case AccessKind::reduction:
      request.action = CacheAction::kAtomic;
      break;
    default:
      if (of_one_sm && info != nullptr && info->coherent) request.action = CacheAction::kPassedRead;
      break;
  }
  return request;
}

}  // namespace heddle::memory
