// SPDX-License-Identifier: Apache-2.0
// A cache as a machine sees it: one of an SM's, or a slice of the L2. A kind is one file that registers itself; the key
// `kind` of the cache's parameters chooses it.
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

/// What a machine builds a cache from. Only domain and services outlive the call: copy what is needed of the rest.
struct CacheSite {
  const char* name;  ///< of the module
  ClockDomain& domain;
  const CacheParameters& parameters;  ///< of the key; a kind takes of them what it has use for
  const StatisticsGroup& statistics;  ///< where it counts
  Services& services;
  const CacheSetting& setting;  ///< where it stands
};

class CacheLevel : public MemoryPart {
 public:
  using MakeArguments = void(const CacheSite&);

  /// Requests come in here. i: 0 .. setting.sockets - 1. Requests of a machine carry no bytes of their own
  /// (core/kernel/payload.h), may span lines, and are answered in any order.
  virtual AnyTarget& in(unsigned i = 0) = 0;
  /// What the level below is asked goes out here.
  virtual AnyInitiator& out() = 0;
  /// Bytes of a line: a power of two, 16 to 512; what a cache holds in all.
  virtual std::uint64_t line_bytes() const = 0;
  virtual std::uint64_t capacity() const = 0;
  /// Drops all lines, between cycles; nothing is written below for it.
  virtual void invalidate() = 0;
  /// Makes the line of an address present and clean, between cycles and without time. A cache may leave it.
  virtual void preload(std::uint64_t /*address*/) {}
  /// One more listener. False: this kind tells nobody what happens in it.
  virtual bool listen(CacheListener& /*listener*/) { return false; }
  /// Whether it sends phase LINE_MISSED for requests that ask for it (RequestInfo::reports_miss).
  virtual bool reports_misses() const { return false; }
  /// For a reader that knows by listening which lines are here, and asks only for those that are not. Null: this kind
  /// wants to be asked for every line.
  virtual CacheUse* use_call() { return nullptr; }
};

/// The cache that its parameters choose. key: of the parameters, for messages. Fails with kConfiguration when it does
/// not fit into a machine.
std::unique_ptr<CacheLevel> make_cache(const std::string& key, const CacheSite& site);

}  // namespace heddle::memory
