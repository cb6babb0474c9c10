// SPDX-License-Identifier: Apache-2.0
// Observers of a cache: listeners and the signals of its look-ups.
#pragma once

#include <string>
#include <vector>

#include "core/kernel/cache_events.h"
#include "core/kernel/services.h"
#include "core/trace/probe.h"
#include "memory/cache/request.h"

namespace heddle::memory {

class CacheObservers {
 public:
  /// path: of the signals.
  CacheObservers(Services& services, const std::string& path, const std::string& clock_name)
      : signals(services.probes, path, clock_name) {}

  ProbeGroup signals;

  /// Declares the line looked up in a cycle and the outcome, after all other signals.
  void declare_look_ups(unsigned address_bits);
  /// Adds a listener, called after the existing ones.
  void listen(CacheListener& listener) { listeners_.push_back(&listener); }
  bool any() const { return !listeners_.empty(); }
  void tell(const CacheEvent& event) {
    for (CacheListener* listener : listeners_) listener->cache_event(event);
  }
  /// Reports the outcome of a look-up. address: of the line.
  void looked_up(CacheEvent::What what, const CacheRequest& request, std::uint64_t address, Requester owner) {
    if (signals.on()) {
      signals.fire(line_, address);
      signals.fire(outcome_, static_cast<std::uint64_t>(what));
    }
    if (listeners_.empty()) return;
    tell({what, request.kind, address, request.requester, owner, request.info != nullptr ? request.info->pc : 0,
          request.now, request.info != nullptr ? request.info->access : 0});
  }

 private:
  std::vector<CacheListener*> listeners_;
  ProbeGroup::SignalId line_ = 0, outcome_ = 0;
};

}  // namespace heddle::memory
