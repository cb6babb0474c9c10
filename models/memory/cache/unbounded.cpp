// SPDX-License-Identifier: Apache-2.0
// A cache with room for every line: nothing leaves it but by a store of another agent or at the end of a kernel. Shows
// how much of the misses is due to the size of a cache. Source:
// docs/sources/cache-conscious-and-divergence-aware.md, 2.4.
#include "memory/cache/cache.h"

namespace heddle::memory {
namespace {

CacheSetting without_limit(CacheSetting setting) {
  setting.unlimited = true;
  return setting;
}

class UnboundedCache final : public Cache {
 public:
  explicit UnboundedCache(const CacheSite& site)
      : Cache(site.name, site.domain, site.parameters, site.statistics, site.services, without_limit(site.setting)) {}
};

HEDDLE_REGISTER(CacheLevel, UnboundedCache, "unbounded",
                "the set-associative cache model with room for every line; sets only give its banks",
                "docs/sources/cache-conscious-and-divergence-aware.md 2.4");

}  // namespace
}  // namespace heddle::memory
