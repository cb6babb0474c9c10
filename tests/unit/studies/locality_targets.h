// SPDX-License-Identifier: Apache-2.0
// Targets of locality scheduling, by the part of our code that evaluates them.
#pragma once

#include "memory/cache/tag_array.h"
#include "targets.h"

namespace heddle::studies {

void add_score_targets(Evaluations& targets);
void add_footprint_targets(Evaluations& targets);
void add_locality_costs(Evaluations& targets);

/// A small L1 data cache with least recently used replacement, whose misses are there at once.
class ToyCache {
 public:
  ToyCache(unsigned sets, unsigned ways) : tags_(shape(sets, ways)) {}

  struct Access {
    bool hit = false;
    memory::TagArray::Evicted evicted;
  };
  /// A load of a line by a warp.
  Access load(std::uint64_t line, unsigned warp = 0);
  void invalidate(std::uint64_t line);
  bool holds(std::uint64_t line) const { return tags_.find(tags_.set_of(line), line) != memory::TagArray::kNone; }
  unsigned hits() const { return hits_; }
  unsigned misses() const { return misses_; }

 private:
  static memory::TagArrayParameters shape(unsigned sets, unsigned ways);

  memory::TagArray tags_;
  unsigned hits_ = 0, misses_ = 0;
};

}  // namespace heddle::studies
