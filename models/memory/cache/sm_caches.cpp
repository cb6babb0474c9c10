// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/sm_caches.h"

#include <string>
#include <vector>

namespace heddle::memory {

void SmCacheParameters::describe(ParameterVisitor& v) {
  v("present", present, "whether the cache exists; otherwise its requests go to memory");
  cache.describe(v);
}

void SmCacheParameters::check(ParameterChecks& checks) const {
  if (present) cache.check(checks);
}

/// Defaults: the GTX 480 of docs/sources/gtx480.md.
SmCachesParameters::SmCachesParameters() {
  l1d.cache.tags.sets = 32;
  l1d.cache.tags.ways = 4;
  l1d.cache.tags.index_hash = IndexHash::fermi;
  l1d.cache.lookup_latency = 34;
  l1d.cache.data_latency = 1;
  const auto read_only = [](SmCacheParameters& p, unsigned sets, unsigned ways, unsigned line_bytes) {
    p.cache.tags.sets = sets;
    p.cache.tags.ways = ways;
    p.cache.tags.line_bytes = line_bytes;
    p.cache.read_only = true;
  };
  read_only(constant, 64, 2, 64);
  read_only(texture, 4, 24, 128);
  read_only(instruction, 4, 4, 128);
}

void SmCachesParameters::describe(ParameterVisitor& v) {
  v("l1d", l1d, "L1 data cache");
  v("constant", constant, "constant cache");
  v("texture", texture, "texture cache");
  v("instruction", instruction, "instruction cache");
}

const SmCacheParameters& SmCachesParameters::of(SmCacheKind kind) const {
  switch (kind) {
    case SmCacheKind::constant:
      return constant;
    case SmCacheKind::texture:
      return texture;
    case SmCacheKind::instruction:
      return instruction;
    case SmCacheKind::l1d:
      break;
  }
  return l1d;
}

namespace {

/// By SmCacheKind.
const std::vector<std::string> kNames = {"l1d", "constant", "texture", "instruction"};

}  // namespace

const std::string& name_of(SmCacheKind kind) { return kNames[static_cast<unsigned>(kind)]; }

SmCaches::SmCaches(ClockDomain& domain, const SmCachesParameters& parameters, StatisticsOwner& statistics,
                   Services& services, std::uint64_t seed)
    : multiplexer_("multiplexer", domain, kNames, services, statistics.name() + ".multiplexer") {
  for (unsigned i = 0; i < kSmCacheKinds; ++i) {
    const SmCacheParameters& p = parameters.of(static_cast<SmCacheKind>(i));
    if (!p.present) continue;
    caches_[i] =
        make_cache("caches." + kNames[i], {kNames[i].c_str(), domain, p.cache, StatisticsGroup(statistics, kNames[i]),
                                           services, CacheSetting{1, seed, nullptr, true}});
    connections_.connect(caches_[i]->out(), multiplexer_.in(i));
  }
}

AnyTarget& SmCaches::in(SmCacheKind kind) {
  if (CacheLevel* const found = cache(kind)) return found->in();
  return multiplexer_.in(static_cast<unsigned>(kind));
}

void SmCaches::invalidate() {
  for (auto& cache : caches_) {
    if (cache) cache->invalidate();
  }
}

void SmCaches::settle() {
  for (auto& cache : caches_) {
    if (cache) cache->settle();
  }
}

unsigned SmCaches::busy() const {
  unsigned busy = 0;
  for (const auto& cache : caches_) busy += cache ? cache->busy() : 0;
  return busy;
}

}  // namespace heddle::memory
