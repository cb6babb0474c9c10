// SPDX-License-Identifier: Apache-2.0
// What a cache consists of, without sockets and time of its own.
#pragma once

#include <memory>
#include <vector>

#include "core/structure.h"
#include "memory/cache/lines.h"
#include "memory/cache/look_up_stalls.h"
#include "memory/cache/observers.h"
#include "memory/cache/open_requests.h"
#include "memory/cache/outstanding_misses.h"
#include "memory/cache/port_times.h"
#include "memory/cache/requests_below.h"

namespace heddle::memory {

/// What a cache is told beside its parameters.
struct CacheSetting {
  unsigned sockets = 1;                      ///< sockets above
  std::uint64_t seed = 0;                    ///< of the configuration, for replacement by lot
  std::shared_ptr<const AddressMap> slices;  ///< an L2 slice: sets are chosen by the address within the slice
  bool of_one_sm = false;                    ///< coherent loads pass it: stores of other SMs do not show in it
};

struct CacheParts {
  CacheParts(const CacheParameters& p, const StatisticsGroup& statistics, Services& services,
             const CacheSetting& setting, const std::string& clock_name);
  CacheParts(const CacheParts&) = delete;

  const CacheParameters parameters;
  CacheStatistics counts;
  CacheObservers observers;
  PortTimes times;
  CacheLines lines;
  OutstandingMisses misses;
  RequestsBelow below;
  OpenRequests open;
  LookUpStalls stalls;

 private:
  void declare_structures(Services& services, const std::string& path);

  std::vector<std::unique_ptr<Structure>> structures_;
};

}  // namespace heddle::memory
