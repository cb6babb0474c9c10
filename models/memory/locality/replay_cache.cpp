// SPDX-License-Identifier: Apache-2.0
#include "memory/locality/replay_cache.h"

#include <bit>

namespace heddle::memory {

ReplayCache::ReplayCache(const ReplayGeometry& geometry)
    : geometry_(geometry), set_bits_(static_cast<unsigned>(std::bit_width(geometry.sets) - 1)) {
  if (geometry.policy != ReplayPolicy::unbounded) sets_.resize(geometry.sets);
}

void ReplayCache::used(std::uint64_t line, Line& state, TracePosition next_use) {
  if (geometry_.policy != ReplayPolicy::lru && geometry_.policy != ReplayPolicy::belady) return;
  Order& order = order_of(line);
  order.erase({state.rank, line});
  state.rank = rank(next_use);
  order.emplace(state.rank, line);
}

ReplayCache::Answer ReplayCache::load(std::uint64_t line, Owner who, TracePosition next_use) {
  if (const auto found = lines_.find(line); found != lines_.end()) {
    used(line, found->second, next_use);
    return {true, found->second.owner};
  }
  Line state{who};
  if (geometry_.policy != ReplayPolicy::unbounded) {
    Order& order = order_of(line);
    if (order.size() == geometry_.ways) {
      lines_.erase(order.begin()->second);
      order.erase(order.begin());
    }
    state.rank = rank(next_use);
    order.emplace(state.rank, line);
  }
  lines_.emplace(line, state);
  return {};
}

void ReplayCache::update(std::uint64_t line, TracePosition next_use) {
  if (const auto found = lines_.find(line); found != lines_.end()) used(line, found->second, next_use);
}

void ReplayCache::invalidate(std::uint64_t line) {
  const auto found = lines_.find(line);
  if (found == lines_.end()) return;
  if (geometry_.policy != ReplayPolicy::unbounded) order_of(line).erase({found->second.rank, line});
  lines_.erase(found);
}

}  // namespace heddle::memory
