// SPDX-License-Identifier: Apache-2.0
// The accesses of a launch to the L1 data caches, as recorded by a run: the input of replays, of the locality profile
// and of the model of warp limits. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/cache/index_hash.h"

namespace heddle::memory {

/// What a store does to the line it finds.
enum class StoreEffect : std::uint8_t { invalidates, updates, allocates };

enum class TracedKind : std::uint8_t {
  load,
  passed_load,  ///< sees what other SMs wrote: passes the cache by
  store,
  local_store,
  atomic,
  barrier,  ///< the warp waits for its block: no access
};

/// The L1 data cache of the recorded machine.
struct TracedCache {
  unsigned sets = 0, ways = 0;  ///< both 0: unlimited
  unsigned line_bytes = 128;    ///< 16 .. 512
  unsigned miss_entries = 0;    ///< lines under way at most (MSHRs); 0: unlimited
  IndexHash index = IndexHash::none;
  StoreEffect global_store = StoreEffect::invalidates, local_store = StoreEffect::updates;

  bool unlimited() const { return sets == 0; }
  /// kind: of a store or an atomic.
  StoreEffect effect_of(TracedKind kind) const {
    if (kind == TracedKind::atomic) return StoreEffect::invalidates;
    return kind == TracedKind::local_store ? local_store : global_store;
  }
  std::uint64_t bytes() const { return std::uint64_t{sets} * ways * line_bytes; }
};

/// A source line; file < 0: unknown.
struct TracedSource {
  std::int32_t file = -1;  ///< index into TracedKernel::files
  std::uint32_t line = 0;
};

/// A loop of a kernel. parent: index of the enclosing one, or < 0.
struct TracedLoop {
  std::uint32_t pc = 0;  ///< first instruction of its header
  std::int32_t parent = -1;
  std::uint32_t depth = 1;
  TracedSource source;
};

/// A memory instruction of a kernel. loop: index of the innermost loop around it, or < 0.
struct TracedPlace {
  std::uint32_t pc = 0, ptx_line = 0;
  std::int32_t loop = -1;
  TracedSource source;
  std::string text;
};

struct TracedKernel {
  std::string name;
  std::vector<std::string> files;
  std::vector<TracedLoop> loops;
  std::vector<TracedPlace> places;
};

/// What the recorded cache answered.
enum class TracedOutcome : std::uint8_t {
  none,       ///< neither of these: passed on, or a barrier
  own_hit,    ///< on a line that this warp brought
  other_hit,  ///< on a line that another warp brought
  merge,      ///< the line was on its way
  miss,
};

/// One line accessed by one instruction of a warp.
struct TracedAccess {
  std::uint64_t address = 0;       ///< of the line's first byte
  std::uint32_t warp = 0;          ///< index into TracedSm::warps
  std::uint32_t place = 0;         ///< index into TracedKernel::places; of a barrier: 0
  std::uint32_t trip = 0;          ///< of the innermost loop, counted by warp; entering the loop anew skips a number
  std::uint32_t instruction = 0;   ///< of which it is part: number on the SM, ascending by issue
  std::uint32_t lanes = 0;         ///< threads that want the line, by position in their warp
  std::uint32_t sectors = 0;       ///< of the line that they touch, one bit each
  std::uint32_t instructions = 0;  ///< issued by the warp between its previous instruction in the trace and this one
  std::uint16_t active = 0;        ///< threads that execute the instruction
  std::uint8_t outstanding = 0;    ///< loads of the warp without data when it issued
  TracedKind kind = TracedKind::load;
  TracedOutcome outcome = TracedOutcome::none;
};

/// Bytes of a sector of TracedAccess::sectors.
inline constexpr unsigned kTracedSectorBytes = 32;

/// A warp from its launch to its end.
struct TracedWarp {
  std::uint32_t block = 0;  ///< number on the SM, ascending by launch
  std::uint16_t slot = 0;   ///< of its block
  std::uint16_t warp = 0;   ///< number in the SM
};

struct TracedSm {
  unsigned sm = 0;
  std::vector<TracedWarp> warps;       ///< ascending by block, then number
  std::vector<TracedAccess> accesses;  ///< in the order of the cache's look-ups
};

/// Times that the recording measured; cycles of the core clock, 0: none measured.
struct TracedTimes {
  double hit = 0;            ///< from the issue of a load to its end, if all its lines hit: least
  double miss = 0;           ///< from a line's miss to its arrival: mean
  double issue_spacing = 0;  ///< between two issues of a warp that waits for no load: least by instruction, mean
};

struct TracedLaunch {
  std::uint64_t launch = 0;  ///< 1, 2, ...
  std::uint32_t kernel = 0;  ///< index into the trace's kernels
  bool truncated = false;    ///< later accesses are missing
  std::uint64_t warp_instructions = 0, thread_instructions = 0, cycles = 0;
  TracedTimes times;
  std::vector<TracedSm> sms;  ///< those with accesses, ascending
};

/// How a scheduler chooses among its warps.
enum class TracedOrder : std::uint8_t {
  greedy,       ///< the warp that issued last, then the oldest
  round_robin,  ///< the next one after the warp that issued last
};

/// What precedes the launches of a trace.
struct TracedMachine {
  std::string name;
  unsigned schedulers = 1;    ///< of an SM; each has the warps whose number leaves the same rest
  unsigned memory_queue = 1;  ///< instructions that wait for their look-ups at most
  TracedOrder order = TracedOrder::greedy;
  TracedCache cache;
};

}  // namespace heddle::memory
