// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/parts.h"

#include <bit>

namespace heddle::memory {
namespace {

constexpr unsigned kAddressBits = 40;  // of a physical address, as on the modelled GPUs

std::string path_of(const StatisticsGroup& statistics) { return statistics.owner().name() + "." + statistics.name(); }

}  // namespace

CacheParts::CacheParts(const CacheParameters& p, const StatisticsGroup& statistics, Services& services,
                       const CacheSetting& setting, const std::string& clock_name)
    : parameters(p),
      counts(statistics),
      observers(services, path_of(statistics), clock_name),
      times(p),
      lines(p.tags, setting.seed, setting.slices, setting.unlimited),
      misses(p.miss_table),
      below(p, counts),
      open(setting.sockets, p, times),
      stalls(setting.sockets, counts) {
  declare_structures(services, path_of(statistics));
  ProbeGroup& signals = observers.signals;
  signals.add("misses", 16, "miss-table entries in use", [this] { return misses.used(); });
  signals.add("queued_below", 16, "requests queued for the level below", [this] { return below.queued(); });
  signals.add("replies", 16, "replies due or in the hit pipeline", &open.replies());
  signals.add("stalled", 8, "input ports whose oldest request waits for a resource", &stalls.count());
  observers.declare_look_ups(kAddressBits);
}

void CacheParts::declare_structures(Services& services, const std::string& path) {
  const TagArray& tags = lines.tags;
  const unsigned set_bits = static_cast<unsigned>(std::bit_width(tags.sets()) - 1);
  const unsigned sectors = tags.sectors();
  // No hardware has unlimited lines.
  if (!tags.unlimited())
    structures_.push_back(std::make_unique<Structure>(
        services.structures, path + ".tags", "tags and state of the lines", std::size_t{tags.sets()} * tags.ways(),
        std::vector<StructureField>{{"tag", kAddressBits - tags.line_bits() - set_bits, parameters.ports, 1},
                                    {"valid", sectors, parameters.ports, 1},
                                    {"dirty", parameters.read_only ? 1 : sectors, parameters.ports, 1},
                                    {"reserved", sectors, parameters.ports, 1}}));
  if (parameters.miss_table.entries == 0) return;
  const unsigned requests = std::max(1U, parameters.miss_table.requests_per_entry);
  structures_.push_back(std::make_unique<Structure>(
      services.structures, path + ".miss_table", "outstanding sectors and the requests that wait for them",
      parameters.miss_table.entries,
      std::vector<StructureField>{{"sector", kAddressBits - tags.sector_bits(), 1, 1, true},
                                  {"requests", 16 * requests, 1, 1},
                                  {"valid", 1, 1, 1}}));
  structures_.back()->occupied([this](std::size_t entry) { return entry < misses.used(); });
}

}  // namespace heddle::memory
