// SPDX-License-Identifier: Apache-2.0
// A cache of tags that takes no time: the stand-alone, trace-driven simulator of docs/sources/
// cache-conscious-and-divergence-aware.md, 2.4. No miss is ever under way: a line is there from the access that misses.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "memory/cache/index_hash.h"

namespace heddle::memory {

enum class ReplayPolicy : std::uint8_t {
  lru,
  fifo,
  belady,     ///< evicts the line whose next use is furthest away; needs next uses
  unbounded,  ///< evicts nothing
};

struct ReplayGeometry {
  ReplayPolicy policy = ReplayPolicy::lru;
  unsigned sets = 1, ways = 1;  ///< any numbers from 1; unbounded: not used
  IndexHash index = IndexHash::none;
};

/// Position of an access in a trace; a next use of kNoUse never comes.
using TracePosition = std::uint64_t;
inline constexpr TracePosition kNoUse = ~TracePosition{0};

class ReplayCache {
 public:
  /// Who brought the line: the last to reserve it, or the first to touch it where nothing is evicted.
  struct Owner {
    std::uint32_t warp = 0;
    std::uint32_t lanes = 0;  ///< threads that wanted the line then
  };
  struct Answer {
    bool hit = false;
    Owner owner;  ///< of a hit
  };

  explicit ReplayCache(const ReplayGeometry& geometry);

  /// A load: allocates the line if it is absent. next_use: position of the line's next load; kNoUse if there is none,
  /// or a store removes the line first. Only Belady's policy reads it.
  Answer load(std::uint64_t line, Owner who, TracePosition next_use = kNoUse);
  /// A store that updates the line, if there.
  void update(std::uint64_t line, TracePosition next_use = kNoUse);
  /// A store that removes the line, if there.
  void invalidate(std::uint64_t line);
  bool contains(std::uint64_t line) const { return lines_.count(line) != 0; }
  std::size_t size() const { return lines_.size(); }

 private:
  struct Line {
    Owner owner;
    std::uint64_t rank = 0;  ///< its place in the order of its set
  };
  using Order = std::set<std::pair<std::uint64_t, std::uint64_t>>;  // rank and line; the first is the victim

  Order& order_of(std::uint64_t line) { return sets_[set_index(geometry_.index, line, geometry_.sets, set_bits_)]; }
  /// Rank of a line used now.
  std::uint64_t rank(TracePosition next_use) {
    return geometry_.policy == ReplayPolicy::belady ? kNoUse - next_use : ++uses_;
  }
  void used(std::uint64_t line, Line& state, TracePosition next_use);

  ReplayGeometry geometry_;
  unsigned set_bits_;
  std::uint64_t uses_ = 0;
  std::unordered_map<std::uint64_t, Line> lines_;
  std::vector<Order> sets_;
};

}  // namespace heddle::memory
