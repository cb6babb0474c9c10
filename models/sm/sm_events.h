// SPDX-License-Identifier: Apache-2.0
// What happens in an SM, for mechanisms that act on it. A mechanism subscribes where it is built (GroupingUnit::build,
// IssueScheme::attach) and lives as long as the SM. An event that nobody listens to costs one test.
//
// Events of the issue stage are told in the cycle in which it hears of them, before contexts are chosen: a subscriber
// may change its own state and, through the grouping, the context table. Events of the memory stage and of the data
// cache are told in their cycle, which may come before or after the issue stage's in the order of calls: a subscriber
// keeps what it derives from them in a Level (core/kernel/level.h), so that it shows from the next cycle on. Recorders
// do not belong here: they are SmListeners.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/kernel/cache_events.h"
#include "sm/packet.h"

namespace heddle::sm {

template <typename... Arguments>
class Subscribers {
 public:
  void add(std::function<void(Arguments...)> subscriber) { all_.push_back(std::move(subscriber)); }
  bool any() const { return !all_.empty(); }
  void tell(Arguments... arguments) const {
    for (const auto& subscriber : all_) subscriber(arguments...);
  }

 private:
  std::vector<std::function<void(Arguments...)>> all_;
};

struct SmEvents {
  /// A packet issued.
  Subscribers<const Packet&> issued;
  /// Of a packet that waits for memory a line was not in its cache.
  Subscribers<const Packet&> missed;
  /// Of a load that is not complete these threads, by place in the context, have their data; see
  /// GroupingTraits::return_wait.
  Subscribers<const Packet&, const ThreadSet&> returned;
  /// A packet of variable latency has its result.
  Subscribers<const Packet&> completed;
  /// The packet's threads wait at a barrier of their block.
  Subscribers<const Packet&> barrier_arrived;
  /// A barrier of the block in this slot opened: the threads that waited at it go on barrier_latency cycles later.
  Subscribers<std::uint16_t> barrier_opened;
  /// Of the memory stage: the packet's addresses are coalesced, with those of its access group, into so many
  /// transactions; 0: it only accesses shared memory.
  Subscribers<const Packet&, std::size_t> coalesced;
  /// Of the SM's L1 data cache; a machine without one is refused.
  Subscribers<const CacheEvent&> data_cache;
  /// A block's context was given threads at its launch.
  Subscribers<ContextId> launched;
  /// Every thread of the block in this slot has left, and nothing of it is in flight.
  Subscribers<std::uint16_t> block_ended;
};

}  // namespace heddle::sm
