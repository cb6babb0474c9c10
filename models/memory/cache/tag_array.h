// SPDX-License-Identifier: Apache-2.0
// The tags of a set-associative cache: which lines it holds, in what state, for whom. It holds no bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "memory/cache/index_hash.h"
#include "memory/cache/replacement.h"

namespace heddle::memory {

struct TagArrayParameters {
  unsigned sets = 32;
  unsigned ways = 4;
  unsigned line_bytes = 128;
  unsigned sector_bytes = 0;  ///< 0: a line is one sector
  IndexHash index_hash = IndexHash::none;
  Mechanism<Replacement> replacement{"lru"};

  void describe(ParameterVisitor& v);
  void check(ParameterChecks& checks) const;
};

/// A set of sectors of one line, bit per sector.
using SectorMask = std::uint32_t;

/// Sectors in a set. Most lines have one sector, and counting bits is a call on the processors we build for.
inline unsigned count_of(SectorMask sectors) {
  return sectors <= 1 ? sectors : static_cast<unsigned>(std::popcount(sectors));
}
/// Runs of neighbouring sectors in a set.
inline unsigned runs_of(SectorMask sectors) { return count_of(sectors & ~(sectors << 1)); }
/// visit(first, length, run) for each run, the lowest sectors first.
template <typename Visit>
void for_each_run(SectorMask sectors, Visit&& visit) {
  while (sectors != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(sectors));
    const auto length = static_cast<unsigned>(std::countr_one(sectors >> first));
    const SectorMask run = static_cast<SectorMask>((std::uint64_t{1} << length) - 1) << first;
    sectors &= ~run;
    visit(first, length, run);
  }
}

class TagArray {
 public:
  /// A line's place: set * ways + way.
  using Place = std::uint32_t;
  static constexpr Place kNone = ~Place{0};

  struct Line {
    SectorMask valid = 0;     ///< sectors present
    SectorMask dirty = 0;     ///< sectors newer than the level below; a subset of valid
    SectorMask reserved = 0;  ///< sectors on their way
    std::uint32_t owner = 0;  ///< who allocated the line (a warp), for those who study locality
  };
  /// A line that went, as of just before.
  struct Evicted {
    bool any = false;  ///< false: the place was free
    std::uint64_t line = 0;
    Line state;
    bool local = false;  ///< what is dirty in it is local memory
  };

  /// parameters: as check() wants them. seed: for replacement by lot.
  explicit TagArray(const TagArrayParameters& parameters, std::uint64_t seed = 0);

  unsigned sets() const { return parameters_.sets; }
  unsigned ways() const { return parameters_.ways; }
  unsigned line_bits() const { return line_bits_; }
  unsigned sector_bits() const { return sector_bits_; }
  unsigned sectors() const { return 1U << (line_bits_ - sector_bits_); }

  /// The set of a line. `line` counts lines of the address space this cache serves: for a slice of an interleaved
  /// memory the lines of that slice, not of the whole.
  unsigned set_of(std::uint64_t line) const {
    return set_index(parameters_.index_hash, line, parameters_.sets, set_bits_);
  }

  /// Where `tag` (any number that names a line) is in a set, or kNone.
  Place find(unsigned set, std::uint64_t tag) const {
    const std::uint64_t* tags = &tags_[std::size_t{set} * parameters_.ways];
    for (unsigned way = 0; way < parameters_.ways; ++way) {
      if (tags[way] == tag) return set * parameters_.ways + way;
    }
    return kNone;
  }
  const Line& line(Place place) const { return lines_[place]; }
  std::uint64_t tag(Place place) const { return tags_[place]; }

  /// A hit: tells the replacement policy.
  void touch(Place place) { replacement_->touched(place / parameters_.ways, place % parameters_.ways); }
  /// A place for a line that is absent: a free one, else the victim of the policy among lines with no sector on its
  /// way; kNone when there is none. Changes nothing.
  Place make_room(unsigned set) const;
  /// Puts a line at a place, all its sectors absent, and returns what was there.
  Evicted allocate(Place place, std::uint64_t tag, std::uint32_t owner);
  /// Sectors requested from below.
  void reserve(Place place, SectorMask sectors) { lines_[place].reserved |= sectors; }
  /// Sectors arrived.
  void fill(Place place, SectorMask sectors) {
    lines_[place].reserved &= ~sectors;
    lines_[place].valid |= sectors;
  }
  /// Sectors written here and not below: valid and dirty. local: they are local memory, of which a line has all or
  /// none.
  void write(Place place, SectorMask sectors, bool local) {
    lines_[place].valid |= sectors;
    lines_[place].dirty |= sectors;
    local_[place] = local ? 1 : 0;
  }
  void set_owner(Place place, std::uint32_t owner) { lines_[place].owner = owner; }
  /// Sectors that will not arrive after all; a line left with nothing is freed.
  void cancel(Place place, SectorMask sectors);
  /// Drops a line's contents. Sectors on their way stay reserved, so that their fill finds its place.
  Evicted invalidate(Place place);
  /// Drops every line that has contents, visiting each as an Evicted.
  template <typename Visit>
  void invalidate_all(Visit&& visit) {
    for (Place place = 0; place < lines_.size(); ++place) {
      if (lines_[place].valid != 0) visit(invalidate(place));
    }
  }
  /// Lines that hold or expect something.
  unsigned occupied() const;

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  TagArrayParameters parameters_;
  unsigned set_bits_ = 0, line_bits_ = 0, sector_bits_ = 0;
  std::vector<std::uint64_t> tags_;  // apart from the lines: a look-up reads tags only
  std::vector<Line> lines_;
  std::vector<std::uint8_t> local_;  // by place, of dirty lines; apart because few look-ups need it
  std::unique_ptr<Replacement> replacement_;
};

}  // namespace heddle::memory
