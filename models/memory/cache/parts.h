// SPDX-License-Identifier: Apache-2.0
// The parts of a cache, without sockets or time of their own.
#pragma once

#include <memory>
#include <vector>

#include "core/trace/structure.h"
#include "memory/cache/cache_setting.h"
#include "memory/cache/lines.h"
#include "memory/cache/look_up_stalls.h"
#include "memory/cache/observers.h"
#include "memory/cache/open_requests.h"
#include "memory/cache/outstanding_misses.h"
#include "memory/cache/port_times.h"
#include "memory/cache/requests_below.h"

namespace heddle::memory {

struct CacheParts {
  CacheParts(const CacheParameters& p, const StatisticsGroup& statistics, Services& services,
             const CacheSetting& setting, const std::string& clock_name);
  CacheParts(const CacheParts&) = delete;

  const CacheParameters parameters;
  CacheCounts counts;
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
