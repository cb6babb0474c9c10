// SPDX-License-Identifier: Apache-2.0
// Parameters of interweaving. Source: docs/sources/branch-and-warp-interweaving.md, 4 and 9.
#pragma once

#include "core/config/parameters.h"
#include "sm/grouping/interweaving/lane_shuffle.h"

namespace heddle::sm {

/// How the splits of a warp are kept.
struct TableParameters {
  enum class Heap : std::uint8_t { exact, tables };
  Heap heap = Heap::tables;
  unsigned cold_entries = 128;
  unsigned walk_cycles = 1;
  bool head_swap = true;
  unsigned full_wait = 256;
  void describe(ParameterVisitor& v);
};

enum class DivergenceLimit : std::uint8_t { no_coissue, delay_second };

/// What can split a warp, and how often.
struct SplitParameters {
  bool splits_at_memory = false;
  DivergenceLimit limit = DivergenceLimit::no_coissue;
  void describe(ParameterVisitor& v);
};

/// Two instructions of a warp.
struct BranchParameters {
  enum class Scope : std::uint8_t { same_warp, any_secondary, fallback };
  Scope scope = Scope::fallback;
  bool constraints = false;
  unsigned sync_cost = 0;
  void describe_scope(ParameterVisitor& v);
  void describe_constraints(ParameterVisitor& v);
};

/// Two instructions of two warps.
struct LookupParameters {
  enum class SetFunction : std::uint8_t { same, exclusive_or_one, plus_one };
  enum class Policy : std::uint8_t { best_fit, fill_order };
  unsigned sets = 1;
  SetFunction set_function = SetFunction::exclusive_or_one;
  Policy policy = Policy::best_fit;
  bool shares_memory_pass = false;
  void describe(ParameterVisitor& v);
};

/// The row of lanes.
struct RowParameters {
  LaneShuffle shuffle = LaneShuffle::identity;
  bool segmented_registers = true;
  void describe(ParameterVisitor& v);
};

}  // namespace heddle::sm
