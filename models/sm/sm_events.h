// SPDX-License-Identifier: Apache-2.0
// What happens in an SM, for mechanisms that act on it. A mechanism subscribes where it is built (GroupingUnit::build,
// IssueScheme::attach) and lives as long as the SM. An event that nobody listens to costs one test.
//
// A subscriber is called in the cycle in which the issue stage hears of the event, before contexts are chosen. It may
// change its own state and, through the grouping, the context table; what it wants others to know is read from the next
// cycle on. Recorders do not belong here: they are SmListeners.
#pragma once

#include <functional>
#include <utility>
#include <vector>

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
  /// A block's context was given threads at its launch.
  Subscribers<ContextId> launched;
  /// Every thread of the block in this slot has left, and nothing of it is in flight.
  Subscribers<std::uint16_t> block_ended;
};

}  // namespace heddle::sm
