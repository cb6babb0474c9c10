// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/cache_level.h"

#include <bit>

#include "core/error.h"

namespace heddle::memory {

std::unique_ptr<CacheLevel> make_cache(const std::string& key, const CacheSite& site) {
  auto cache = make(site.parameters.kind, site);
  const std::string& kind = site.parameters.kind.name();
  if (!cache) fail(ExitCode::configuration, "{}.kind: no cache is called \"{}\"", key, kind);
  const std::uint64_t line = cache->line_bytes();
  if (!std::has_single_bit(line) || line < 16 || line > 512) {
    fail(ExitCode::configuration, "{}.kind: \"{}\" has lines of {} bytes; they must be a power of two from 16 to 512",
         key, kind, line);
  }
  if (site.setting.slices && line > site.setting.slices->granule()) {
    fail(ExitCode::configuration,
         "{}.kind: \"{}\" has lines of {} bytes, but memory.map interleaves slices every {} bytes", key, kind, line,
         site.setting.slices->granule());
  }
  return cache;
}

}  // namespace heddle::memory
