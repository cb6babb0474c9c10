// SPDX-License-Identifier: Apache-2.0
// The requests of an index search without the SM that makes them: 32 warps, each one query after the other, on an L1 and,
// if wanted, an L2; and an event-level model of the banks behind, which shares nothing with the memory controller.
// Source: docs/sources/large-warps-and-database-search.md, 5.4, 6.2 and appendix A.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <vector>

#include "core/kernel/cycle.h"

namespace heddle::studies {

inline constexpr unsigned kWarps = 32, kSteps = 6;
inline constexpr std::uint64_t kLineBytes = 128, kLinesOfRow = 32;

/// A line of the index and whether its load is hinted.
struct Access {
  std::uint64_t line = 0;
  bool hint = false;
};
using Query = std::array<Access, kSteps>;

/// The lines that queries for random keys touch: of each of three levels a row node's root line, then a child line.
std::vector<Query> random_queries(std::size_t count);

enum class SecondLevel : std::uint8_t { none, modulo, hashed };

struct Setting {
  bool hint = false;
  Cycle compute = 45;                   ///< from a load's data to the next request
  SecondLevel l2 = SecondLevel::none;  ///< 1 MB, 16 ways, 30 cycles
  Cycle hold = 200;                     ///< a bank waits so long for the hinted row
  Cycle occupancy = 100;                ///< of a bank by a row hit, before its row can be changed
};

struct Outcome {
  double queries_per_kilocycle = 0, row_hit_rate = 0, bus_utilisation = 0;
};

/// Which lines a cache holds: least recently used goes.
class Lines {
 public:
  Lines(std::uint64_t lines, unsigned ways, bool hashed) : ways_(ways), hashed_(hashed), sets_(lines / ways) {}
  /// Whether the line was there; it is afterwards.
  bool access(std::uint64_t line);

 private:
  unsigned ways_;
  bool hashed_;
  std::vector<std::list<std::uint64_t>> sets_;
};

/// The caches of the warps.
class Caches {
 public:
  explicit Caches(SecondLevel l2)
      : has_l2_(l2 != SecondLevel::none), l1_(256, 4, false), l2_(8192, 16, l2 == SecondLevel::hashed) {}
  /// Cycles until a line that is held is there; 0: it is in neither cache, and will be.
  Cycle access(std::uint64_t line) {
    if (l1_.access(line)) return 1;
    return has_l2_ && l2_.access(line) ? 30 : 0;
  }

 private:
  bool has_l2_;
  Lines l1_, l2_;
};

/// What the warps' queries come to on banks of 300 cycles a conflict and 100 a hit.
Outcome event_level(const Setting& setting, const std::vector<Query>& queries);

}  // namespace heddle::studies
