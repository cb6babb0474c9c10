// SPDX-License-Identifier: Apache-2.0
// What a machine learns of loads in loops while it runs them: how they diverge, which of them access one line in a
// trip, and whether a loop has intra-warp locality.
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 2.7, 3 (DA-6 to DA-8), 8 and 9 (Q18, Q20). Logic only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/identifier.h"
#include "sm/scheduling/locality/load_classes.h"

namespace heddle::isa {
class LoopExtents;
}

namespace heddle::sm {

/// A signed counter of a few bits that stays at its bounds.
template <unsigned kBits>
class SaturatingCounter {
 public:
  static constexpr int kMost = (1 << (kBits - 1)) - 1, kLeast = -kMost - 1;
  int value() const { return value_; }
  void count(bool up) {
    if (up ? value_ < kMost : value_ > kLeast) value_ = static_cast<std::int8_t>(value_ + (up ? 1 : -1));
  }

 private:
  static_assert(kBits <= 8);
  std::int8_t value_ = 0;
};

/// Counts, by load, how often a warp with more than two active threads accessed more than two lines.
class DivergenceDetector {
 public:
  /// Warps with fewer threads, and accesses of fewer lines, say nothing of divergence.
  static constexpr unsigned kThreshold = 2;
  using Count = SaturatingCounter<4>;

  explicit DivergenceDetector(unsigned entries) : most_(entries) {}
  /// A load of `lines` lines by `threads` active threads. Forgets the load that was seen least recently if full.
  void observe(CodeAddress load, unsigned threads, unsigned lines);
  bool divergent(CodeAddress load) const;

  struct Entry {
    CodeAddress load = kNoCode;
    Count count;
  };
  /// The load seen most recently last.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::size_t most_;
  std::vector<Entry> entries_;
};

/// Intra-loop repetition detector: a set-associative table, with least recently used replacement, of the lines that
/// sampled warps have accessed in the trip under way.
class RepetitionDetector {
 public:
  RepetitionDetector(unsigned sets, unsigned ways) : sets_(sets), ways_(ways), entries_(std::size_t{sets} * ways) {}

  /// The load that was first in this trip to access the line; kNoCode: this one is. line: address divided by the
  /// line's size.
  CodeAddress probe(std::uint64_t line, CodeAddress load, WarpId warp);
  /// The warp begins a trip: forgets its lines.
  void clear(WarpId warp);

  struct Entry {
    std::uint64_t line = 0, used = 0;  ///< used: greater is more recent; 0: the entry is free
    CodeAddress load = kNoCode;
    WarpId warp;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::uint64_t sets_, ways_, clock_ = 0;
  std::vector<Entry> entries_;  ///< by set, then way
};

/// Sampling warp table: for each loop the warp whose loads are followed, and whether they showed locality.
class SamplingTable {
 public:
  using Locality = SaturatingCounter<8>;
  struct Entry {
    CodeAddress loop = kNoCode, end = kNoCode;      ///< first and last instruction
    CodeAddress code = 0;                           ///< the kernel's first instruction
    std::shared_ptr<const isa::LoopExtents> loops;  ///< all loops of the kernel
    bool sampled = false;                           ///< by the next two
    ContextId context = kNoContext;
    WarpId warp;
    Locality locality;
    std::uint64_t used = 0;  ///< greater is more recent
  };

  explicit SamplingTable(unsigned entries) : most_(entries) {}
  /// The loop's entry; null: none.
  Entry* find(CodeAddress loop);
  const Entry* find(CodeAddress loop) const;
  /// The loop's entry, a fresh one if there is none. If the table is full, an entry without a sampling warp is
  /// replaced, the one used least recently; `replaced` is then its loop, else kNoCode. Null: all have one.
  Entry* use(CodeAddress loop, CodeAddress& replaced);
  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<Entry>& entries() { return entries_; }

 private:
  std::size_t most_;
  std::uint64_t clock_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace heddle::sm
