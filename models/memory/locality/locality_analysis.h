// SPDX-License-Identifier: Apache-2.0
// The locality of recorded launches: what answered the loads, why some missed, replays in other caches, and limits of
// warps. Source of its terms: docs/sources/cache-conscious-and-divergence-aware.md, 2.0, 2.4 and 7.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/statistics/run_locality.h"
#include "memory/locality/l1_trace.h"
#include "memory/locality/limit_model.h"
#include "memory/locality/references.h"
#include "memory/locality/replay_cache.h"

namespace heddle::memory {

/// A cache to replay in. Unset numbers are those of the recorded machine.
struct ReplayRequest {
  ReplayPolicy policy = ReplayPolicy::lru;
  std::uint64_t bytes = 0;  ///< 0: as recorded
  unsigned ways = 0;        ///< 0: as recorded
  unsigned line_bytes = 0;  ///< 0: as recorded
};

struct LocalityRequest {
  std::vector<ReplayRequest> replays;
  std::vector<unsigned> limits;  ///< of warps, ascending; that without a limit is added
  bool model_limits = true;

  /// The recorded cache under LRU and Belady, if it has a size, and an unbounded one; some limits.
  static LocalityRequest usual(const TracedCache& recorded);
};

const char* name_of(ReplayPolicy policy);

class LocalityAnalysis {
 public:
  /// Throws Error(kUsage) for a cache that cannot be.
  LocalityAnalysis(const LocalityRequest& request, TracedMachine machine);

  /// Adds a launch of a kernel. Kernels of one name count as one where their instructions are the same.
  void add(const TracedKernel& kernel, const TracedLaunch& launch);
  /// The sum of all launches so far.
  RunLocality result() const;

 private:
  struct Place {
    LocalityCounts counts;
    MissCauses causes;
    std::vector<LocalityCounts> replays;
  };
  struct LimitSum {
    std::vector<LimitCounts> places;
    std::uint64_t cycles = 0;
  };
  struct OfKernel {
    TracedKernel kernel;
    std::uint64_t launches = 0, warp_instructions = 0, thread_instructions = 0, cycles = 0;
    unsigned warps = 0;
    bool truncated = false;
    std::vector<Place> places;
    std::vector<LimitSum> limits;  ///< by limit requested, then that without one
  };
  struct Cache {
    ReplayGeometry geometry;
    unsigned line_bytes;
  };

  Cache cache_of(const ReplayRequest& request) const;
  OfKernel& of(const TracedKernel& kernel);
  void add_run(const TracedSm& sm, const std::vector<Reference>& references, OfKernel& to) const;
  void add_causes(const TracedSm& sm, const std::vector<Reference>& references, OfKernel& to) const;
  void add_replays(const TracedSm& sm, OfKernel& to) const;
  void add_limits(const TracedSm& sm, const TracedTimes& times, OfKernel& to) const;
  RunLocality::Kernel result_of(const OfKernel& kernel, RunLocality& all) const;

  const LocalityRequest request_;
  const TracedMachine machine_;
  std::vector<Cache> caches_;  ///< by replay
  std::vector<OfKernel> kernels_;
};

}  // namespace heddle::memory
