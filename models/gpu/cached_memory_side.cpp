// SPDX-License-Identifier: Apache-2.0
#include "gpu/cached_memory_side.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "sm/sm.h"

namespace heddle::gpu {

using memory::SmCacheKind;

CachedMemorySide::CachedMemorySide(const MemorySideSite& site)
    : services_(site.services),
      hierarchy_(site.clocks, site.core, site.sms, site.parameters, site.services, memory::MemoryEntry::ports,
                 site.in_parts) {
  DeviceMemory& bytes = site.bytes;
  storage_ = std::make_unique<memory::HostStorage>(
      "storage", bytes.base(), bytes.reserved_bytes(), reinterpret_cast<unsigned char*>(bytes.base()),
      [&bytes](std::uint64_t first, std::uint64_t end) { return bytes.accessible(first, end); },
      [&bytes](std::uint64_t address, std::uint64_t count, void* to) { return bytes.produce(address, count, to); });
  system().bind_storage(storage_->socket);
  instructions_.resize(site.sms);
}

void CachedMemorySide::bind(sm::Sm& sm) {
  const SmId number = sm.number();
  memory::SmCaches& caches = hierarchy_.add_caches(number, sm.statistics(), sm.clock());
  connections_.connect(sm.data, caches.in(SmCacheKind::l1d));
  connections_.connect(sm.constant, caches.in(SmCacheKind::constant));
  connections_.connect(sm.texture, caches.in(SmCacheKind::texture));
  const auto report_misses = [&](SmCacheKind kind, sm::CachePath path) {
    const memory::CacheLevel* const cache = caches.cache(kind);
    if (!sm.wants_misses() || cache == nullptr) return;
    // An SM that relies on misses would take every request for a hit if the cache reported none.
    if (!cache->reports_misses()) {
      fail(ExitCode::configuration,
           "caches.{}.kind: this kind of cache reports no misses, but the pipeline shape of its SM needs them",
           memory::name_of(kind));
    }
    sm.expect_misses(path);
  };
  report_misses(SmCacheKind::l1d, sm::CachePath::data);
  report_misses(SmCacheKind::constant, sm::CachePath::constant);
  report_misses(SmCacheKind::texture, sm::CachePath::texture);
  if (const memory::CacheLevel* const cache = caches.cache(SmCacheKind::l1d); cache != nullptr) {
    sm.has_l1d(
        {static_cast<unsigned>(cache->capacity() / cache->line_bytes()), static_cast<unsigned>(cache->line_bytes())});
  }
  if (CacheListener* const listener = sm.l1d_listener(); listener != nullptr) {
    memory::CacheLevel* const cache = caches.cache(SmCacheKind::l1d);
    if (cache == nullptr || !cache->listen(*listener)) {
      fail(ExitCode::configuration, "caches.l1d: a mechanism of the SM follows the events of its L1 data cache, and {}",
           cache == nullptr ? "there is none" : "this kind of cache has no listeners");
    }
  }
  memory::CacheLevel* const cache = caches.cache(SmCacheKind::instruction);
  const unsigned line = cache != nullptr ? static_cast<unsigned>(cache->line_bytes()) : 128;
  auto& path = instructions_[number];
  path = std::make_unique<InstructionPath>("instruction_path", sm.clock(), line, number);
  path->declare_state(services_, sm.statistics().name() + ".instruction_path");
  connections_.connect(path->port.socket, caches.in(SmCacheKind::instruction));
  CacheUse* const uses = cache != nullptr ? cache->use_call() : nullptr;
  if (uses != nullptr && cache->listen(*path)) path->cache.bind(*uses);
  sm.instructions.bind(path->store);
}

bool CachedMemorySide::idle() const {
  return std::all_of(instructions_.begin(), instructions_.end(),
                     [](const auto& path) { return path->outstanding() == 0; }) &&
         hierarchy_.idle();
}

HEDDLE_REGISTER(MemorySide, CachedMemorySide, "cached", "caches of each SM, then crossbar, L2 and memory",
                "docs/guide-memory-parts.md");

}  // namespace heddle::gpu
