// SPDX-License-Identifier: Apache-2.0
// Parameters of variable warp size. Source: docs/sources/variable-warp-size.md, 1b and 2.14.
#pragma once

#include "core/config/parameters.h"
#include "sm/grouping/ganging/gang_issue_table.h"

namespace heddle::sm {

struct GangingParameters {
  enum class Mode : std::uint8_t { mixed, slice_only, gang_only };
  enum class MemorySplit : std::uint8_t { none, group, impatient };
  enum class Reform : std::uint8_t { none, opportunistic };
  enum class PathOrder : std::uint8_t { not_taken_first, taken_first, larger_first };

  Mode mode = Mode::mixed;
  PathOrder path_order = PathOrder::not_taken_first;
  // -- gangs
  MemorySplit memory_split = MemorySplit::none;
  Reform reform = Reform::none;
  unsigned merge_items = 2;
  bool merges_equal_ready = true;
  unsigned sync_wait = 0;
  unsigned split_latency = 1, reform_latency = 1;
  // -- issue
  GangOrder gang_order = GangOrder::big_then_oldest;
  unsigned gangs_per_cycle = 2;
  unsigned aging = 0;
  // -- fetch
  unsigned fetch_ports = 8;
  unsigned gang_fetches = 2;
  unsigned gang_buffer = 1;
  unsigned l0_bytes = 0;

  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;

  bool reforms() const { return reform != Reform::none; }
  /// Whether parts of a gang merge only if all their warps are ready, or all wait for memory.
  bool compares_readiness() const { return merges_equal_ready && memory_split != MemorySplit::none; }
};

}  // namespace heddle::sm
