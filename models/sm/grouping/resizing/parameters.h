// SPDX-License-Identifier: Apache-2.0
// Parameters of dynamic warp resizing. Source: docs/sources/dynamic-warp-resizing.md, 2.9.
#pragma once

#include "core/config/parameters.h"
#include "sm/grouping/resizing/large_warp_intensive.h"
#include "sm/grouping/resizing/pc_table.h"

namespace heddle::sm {

struct ResizingParameters {
  enum class Barrier : std::uint8_t { paper, real_isa };
  enum class Synch : std::uint8_t { by_compiler, learned };
  enum class Release : std::uint8_t { per_subwarp, per_largewarp };

  unsigned partners = 8;
  Barrier barrier = Barrier::paper;
  Synch sync_mode = Synch::by_compiler;
  LatMask lat;
  unsigned barrier_latency = 24;
  Release lat_release = Release::per_subwarp;
  // -- ignore list
  PcTableShape ilt;
  unsigned ilt_hit_latency = 0;
  bool ilt_flush_on_launch = false;
  bool ilt_insert_on_barrier = false;

  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
};

}  // namespace heddle::sm
