// SPDX-License-Identifier: Apache-2.0
// The accesses of an SM as references to lines of a given size, which may differ from that of the recorded cache, with
// what a replay needs to know in advance of each.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/locality/l1_trace.h"
#include "memory/locality/replay_cache.h"

namespace heddle::memory {

/// When the warp last touched the line of a load in a loop. other: longer ago, outside the loop, or never.
enum class TripClass : std::uint8_t { no_loop, this_trip, last_trip, other };

struct Reference {
  std::uint64_t line = 0;  ///< number of the line
  std::uint32_t warp = 0, place = 0, lanes = 0;
  std::uint32_t access = 0;  ///< index of the access, or of the first of several that share the line
  TracedKind kind = TracedKind::load;
  TripClass trip = TripClass::no_loop;  ///< of a load
  TracePosition next_use = kNoUse;      ///< as for ReplayCache::load
};

/// Barriers and passed loads are left out. line_bytes: a power of two from 32 to 4096; parts of an instruction that
/// share a larger line are one reference, and each smaller line that it touches is one.
std::vector<Reference> references_of(const TracedSm& sm, const TracedKernel& kernel, const TracedCache& cache,
                                     unsigned line_bytes);

}  // namespace heddle::memory
