// SPDX-License-Identifier: Apache-2.0
// Interface of a cache: one of an SM's caches or a slice of the L2. A kind is one self-registering file, selected by
// the parameter `kind` of the cache.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/config/mechanism.h"
#include "core/kernel/cache_events.h"
#include "core/kernel/clock.h"
#include "core/kernel/services.h"
#include "memory/cache/cache_parameters.h"
#include "memory/cache/cache_setting.h"
#include "memory/part.h"

namespace heddle::memory {

/// Construction arguments of a cache. Only domain and services outlive the call; copy whatever else is needed.
struct CacheSite {
  const char* name;  ///< of the module
  ClockDomain& domain;
  const CacheParameters& parameters;  ///< of this cache; a kind uses what applies to it
  const StatisticsGroup& statistics;  ///< group for its statistics
  Services& services;
  const CacheSetting& setting;  ///< its place in the machine
};

class CacheLevel : public MemoryPart {
 public:
  using MakeArguments = void(const CacheSite&);

  /// Requests from above. i: 0 .. setting.sockets - 1. The machine's requests carry no data (core/kernel/payload.h),
  /// may span lines, and may be answered in any order.
  virtual AnyTarget& in(unsigned i = 0) = 0;
  /// Requests to the level below.
  virtual AnyInitiator& out() = 0;
  /// Line size: a power of two, 16 to 512.
  virtual std::uint64_t line_bytes() const = 0;
  /// Total size in bytes; 0: unlimited.
  virtual std::uint64_t capacity() const = 0;
  /// Cycles from the arrival of a request to the first in which it is looked at, at least; 1: the next.
  virtual Cycle look_up_after() const { return 1; }
  /// Drops all lines, between cycles and without write-backs.
  virtual void invalidate() = 0;
  /// Makes the line of an address present and clean, between cycles and in zero time. A kind may ignore it.
  virtual void preload(std::uint64_t /*address*/) {}
  /// Adds a listener. False: this kind reports no events.
  virtual bool listen(CacheListener& /*listener*/) { return false; }
  /// Whether it sends phase LINE_MISSED for requests that ask for it (RequestInfo::reports_miss).
  virtual bool reports_misses() const { return false; }
  /// For a reader that tracks the cached lines through a listener and requests only absent ones. Null: every line must
  /// be requested from this kind.
  virtual CacheUse* use_call() { return nullptr; }
};

/// Builds the cache kind that the parameters select. key: path of the parameters, for messages. Fails with
/// kConfiguration if the cache does not fit into a machine.
std::unique_ptr<CacheLevel> make_cache(const std::string& key, const CacheSite& site);

}  // namespace heddle::memory
