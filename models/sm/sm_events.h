// SPDX-License-Identifier: Apache-2.0
// Events of an SM for mechanisms that act on them. A mechanism subscribes when it is built (GroupingUnit::subscribe,
// IssueScheme::attach) and lives as long as the SM. An event without subscribers costs one test.
//
// Subscribers to events of the issue stage are called in the cycle in which it receives the event, before contexts are
// chosen: they may change their own state and, through the grouping, the context table. Subscribers to events of the
// memory stage and the L1 data cache may be called before or after the issue stage works in a cycle: they keep the
// result in a Level (core/kernel/level.h), which others read from the next cycle on. Recorders belong elsewhere: they
// are SmListeners.
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

/// The L1 data cache of an SM.
struct L1dShape {
  unsigned lines = 0, line_bytes = 0;
};

struct SmEvents {
  /// A packet issued.
  Subscribers<const Packet&> issued;
  /// A packet that waits for memory has missed in its cache.
  Subscribers<const Packet&> missed;
  /// Some threads of an incomplete load, by position in the context, have their data; see
  /// GroupingTraits::return_wait.
  Subscribers<const Packet&, const ThreadSet&> returned;
  /// A variable-latency packet has its result.
  Subscribers<const Packet&> completed;
  /// The packet's threads wait at a barrier of their block.
  Subscribers<const Packet&> barrier_arrived;
  /// A barrier of the block in this slot opened; its waiting threads continue barrier_latency cycles later.
  Subscribers<BlockSlot> barrier_opened;
  /// Memory stage: the packet's access group was coalesced into this many transactions; 0: shared memory only.
  Subscribers<const Packet&, std::size_t> coalesced;
  /// Events of the SM's L1 data cache. A machine without one is refused.
  Subscribers<const CacheEvent&> l1d;
  /// The SM was connected to an L1 data cache; once, before the first cycle.
  Subscribers<const L1dShape&> l1d_built;
  /// A context received threads at the launch of its block.
  Subscribers<ContextId> launched;
  /// All threads of the block in this slot have exited, and none of its packets is in flight.
  Subscribers<BlockSlot> block_ended;
};

}  // namespace heddle::sm
