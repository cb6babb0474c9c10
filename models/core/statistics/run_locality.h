// SPDX-License-Identifier: Apache-2.0
// The locality of a run's kernels in the L1 data caches: what hit because of whom, why the rest missed, what other
// caches would give, and what a limit of warps would. Plain data, like run_details.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Accesses of loads by what answered them; all together are accesses().
struct LocalityCounts {
  std::uint64_t intra_thread = 0;  ///< hits on a line of this warp, wanted by a thread for which it was brought
  std::uint64_t inter_thread = 0;  ///< other hits on a line of this warp
  std::uint64_t inter_warp = 0;    ///< hits on a line of another warp
  std::uint64_t merges = 0;        ///< the line was on its way; 0 in replays, which take no time
  std::uint64_t misses = 0;
  // Intra-warp hits of loads in a loop, by when the warp last touched the line.
  std::uint64_t this_trip = 0, last_trip = 0, other_trip = 0;

  std::uint64_t intra_warp() const { return intra_thread + inter_thread; }
  std::uint64_t hits() const { return intra_warp() + inter_warp; }
  std::uint64_t accesses() const { return hits() + merges + misses; }
  LocalityCounts& operator+=(const LocalityCounts& o) {
    intra_thread += o.intra_thread;
    inter_thread += o.inter_thread;
    inter_warp += o.inter_warp;
    merges += o.merges;
    misses += o.misses;
    this_trip += o.this_trip;
    last_trip += o.last_trip;
    other_trip += o.other_trip;
    return *this;
  }
};

/// Why accesses missed.
struct MissCauses {
  std::uint64_t first = 0;        ///< nobody on this SM had touched the line in this launch
  std::uint64_t stored = 0;       ///< a store removed it
  std::uint64_t lost = 0;         ///< lost intra-warp locality: hits in a cache that the warp has to itself
  std::uint64_t too_far = 0;      ///< the warp had touched it, but too long ago even for that
  std::uint64_t other_warps = 0;  ///< only other warps had touched it

  MissCauses& operator+=(const MissCauses& o) {
    first += o.first;
    stored += o.stored;
    lost += o.lost;
    too_far += o.too_far;
    other_warps += o.other_warps;
    return *this;
  }
};

struct RunLocality {
  /// A cache in which the accesses were replayed.
  struct Replay {
    std::string policy;       ///< "lru", "fifo", "belady", "unbounded"
    std::uint64_t bytes = 0;  ///< 0: unbounded
    unsigned ways = 0;
    unsigned line_bytes = 0;
    std::string index;  ///< hash from line to set
  };
  /// What is expected if the SM issues from this many warps only.
  struct Limit {
    unsigned warps = 0;
    std::uint64_t hits = 0, merges = 0, misses = 0;
    std::uint64_t cycles = 0;  ///< of the model, over all SMs; 0: of a loop
  };
  struct Load {
    std::uint32_t pc = 0, ptx_line = 0;
    std::int32_t loop = -1, file = -1;  ///< index into Kernel::loops, into `files`; < 0: none, unknown
    std::uint32_t line = 0;
    std::string text;
    LocalityCounts counts;  ///< of the run
    MissCauses causes;
    std::vector<LocalityCounts> replays;  ///< in the order of RunLocality::replays
  };
  struct Loop {
    std::uint32_t pc = 0, depth = 1, line = 0;
    std::int32_t parent = -1, file = -1;
    std::vector<Limit> limits;  ///< loads in it and in the loops inside it
  };
  struct Kernel {
    std::string name;
    std::uint64_t launches = 0, warp_instructions = 0, thread_instructions = 0, cycles = 0;
    unsigned warps = 0;  ///< most resident on an SM at a time
    bool truncated = false;
    std::vector<Load> loads;  ///< those with accesses, by pc
    std::vector<Loop> loops;
    std::vector<Limit> limits;  ///< ascending; the last one limits nothing
  };
  std::string machine;
  std::uint64_t cache_bytes = 0;  ///< of the recorded L1 data cache; 0: unlimited
  unsigned cache_ways = 0, line_bytes = 0;
  std::vector<Replay> replays;
  std::vector<std::string> files;  ///< CUDA sources as the compiler named them
  std::vector<Kernel> kernels;     ///< in order of first launch
};

}  // namespace heddle
