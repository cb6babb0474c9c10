// SPDX-License-Identifier: Apache-2.0
// The victim tags of one warp: the lines that it has lost from the L1 data cache, and when it last used them.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.3.1, 2.3.3 and 2.8. Logic only.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/config/parameters.h"
#include "core/kernel/cycle.h"
#include "sm/scheduling/locality/victim_set.h"

namespace heddle::sm {

struct VictimTagParameters {
  unsigned entries = 16;  ///< of a warp; 0: unlimited
  unsigned ways = 8;      ///< if there are as many entries
  VictimReplacement replacement = VictimReplacement::fifo;
  bool clear_on_warp_exit = false;

  unsigned set_ways() const { return entries < ways ? entries : ways; }
  /// Sets of a warp; 0: unlimited.
  unsigned sets() const { return entries == 0 ? 0 : entries / set_ways(); }
  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
};

/// By line: the cycle in which a warp last used it.
using UseTimes = std::unordered_map<std::uint64_t, Cycle>;

class VictimPartition {
 public:
  /// lookup: serves all sets, and lives as long as this; null: without limit.
  VictimPartition(VictimLookup* lookup, const VictimTagParameters& parameters)
      : lookup_(lookup), sets_(parameters.sets()) {}

  /// The warp has lost a line that it last used in cycle `last_use`. True: its tag was still there.
  bool insert(std::uint64_t line, Cycle last_use);
  /// If the warp has lost the line: when it last used it. The line stays.
  std::optional<Cycle> find(std::uint64_t line);
  /// The line was written. True: it was there.
  bool remove(std::uint64_t line);
  void clear();

  /// Contents of a set, 0 .. sets - 1, if there is a limit.
  const VictimSet& set(unsigned number) const { return sets_[number].tags; }

 private:
  struct Set {
    VictimSet tags;
    std::array<Cycle, kMaxVictimWays> last_use{};
  };
  Set& set_of(std::uint64_t line) { return sets_[line % sets_.size()]; }
  VictimSetAnswer ask(Set& set, VictimSetRequest::What what, std::uint64_t line);

  VictimLookup* lookup_;
  std::vector<Set> sets_;
  UseTimes unlimited_;
};

}  // namespace heddle::sm
