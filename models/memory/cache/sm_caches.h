// SPDX-License-Identifier: Apache-2.0
// The caches of one SM, sharing one connection to memory. The configuration decides which exist; requests of an absent
// cache go to memory directly.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "core/kernel/protocol_checker.h"
#include "memory/cache/cache_level.h"
#include "memory/network/multiplexer.h"

namespace heddle::memory {

/// The caches that an SM may have. Requests of an absent one take the same path without it.
enum class SmCacheKind : std::uint8_t { l1d, constant, texture, instruction };
inline constexpr unsigned kSmCacheKinds = 4;
/// As in a configuration: "l1d", "constant", "texture", "instruction".
const std::string& name_of(SmCacheKind kind);

/// One cache of an SM, or none.
struct SmCacheParameters {
  bool present = true;
  CacheParameters cache;

  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
};

struct SmCachesParameters {
  SmCachesParameters();
  SmCacheParameters l1d, constant, texture, instruction;

  void describe(ParameterVisitor& v);
  const SmCacheParameters& of(SmCacheKind kind) const;
};

/// Not a module: the caches and their multiplexer are children of the module in whose constructor they are built, which
/// is the SM's where there is one.
class SmCaches {
 public:
  /// statistics: the SM's owner, which gets the groups l1d, constant, texture and instruction.
  SmCaches(ClockDomain& domain, const SmCachesParameters& parameters, StatisticsOwner& statistics, Services& services,
           std::uint64_t seed = 0);

  /// Entry for the SM's requests of a kind.
  AnyTarget& in(SmCacheKind kind);
  /// To the crossbar.
  InitiatorSocket& out() { return multiplexer_.out(); }
  /// Null if the SM has none.
  CacheLevel* cache(SmCacheKind kind) { return caches_[static_cast<unsigned>(kind)].get(); }
  /// Drops all lines of all caches, as at the end of a kernel.
  void invalidate();
  /// Unanswered requests plus outstanding misses.
  unsigned busy() const;
  void settle();

 private:
  std::array<std::unique_ptr<CacheLevel>, kSmCacheKinds> caches_;
  Multiplexer multiplexer_;
  CheckedConnections connections_;
};

}  // namespace heddle::memory
