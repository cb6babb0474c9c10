// SPDX-License-Identifier: Apache-2.0
// The tags of a set-associative cache: the lines present, their state and owner. No data.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/requester.h"
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

/// A set of sectors of one line, one bit per sector.
using SectorMask = std::uint32_t;

/// Number of sectors. The one-sector case is common, and popcount compiles to a call on the baseline target.
inline unsigned count_of(SectorMask sectors) {
  return sectors <= 1 ? sectors : static_cast<unsigned>(std::popcount(sectors));
}
/// Number of runs of adjacent sectors.
inline unsigned runs_of(SectorMask sectors) { return count_of(sectors & ~(sectors << 1)); }
/// Calls visit(first, length, run) for each run, lowest sectors first.
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
  /// Position of a line: set * ways + way.
  using Place = std::uint32_t;
  static constexpr Place kNone = ~Place{0};

  struct Line {
    SectorMask valid = 0;     ///< sectors present
    SectorMask dirty = 0;     ///< sectors newer than the level below; a subset of valid
    SectorMask reserved = 0;  ///< sectors requested from below
    Requester owner;          ///< who allocated the line, for locality studies
  };
  /// An evicted line, in its state just before.
  struct Evicted {
    bool any = false;  ///< false: the place was free
    std::uint64_t line = 0;
    Line state;
    bool local = false;  ///< its dirty sectors are local memory
  };

  /// parameters: valid by check(). seed: for random replacement. unlimited: any number of lines, of which a look-up
  /// finds each in any set; sets and ways only number the sets.
  explicit TagArray(const TagArrayParameters& parameters, std::uint64_t seed = 0, bool unlimited = false);

  unsigned sets() const { return parameters_.sets; }
  unsigned ways() const { return parameters_.ways; }
  bool unlimited() const { return unlimited_; }
  unsigned line_bits() const { return line_bits_; }
  unsigned sector_bits() const { return sector_bits_; }
  unsigned sectors() const { return 1U << (line_bits_ - sector_bits_); }

  /// The set of a line. `line` is numbered within the address space this cache serves: for a slice of an interleaved
  /// memory, within that slice.
  unsigned set_of(std::uint64_t line) const {
    return set_index(parameters_.index_hash, line, parameters_.sets, set_bits_);
  }

  /// Position of `tag` (any number that identifies a line) in a set, or kNone.
  Place find(unsigned set, std::uint64_t tag) const {
    if (unlimited_) return find_anywhere(tag);
    const std::uint64_t* tags = &tags_[std::size_t{set} * parameters_.ways];
    for (unsigned way = 0; way < parameters_.ways; ++way) {
      if (tags[way] == tag) return set * parameters_.ways + way;
    }
    return kNone;
  }
  const Line& line(Place place) const { return lines_[place]; }
  std::uint64_t tag(Place place) const { return tags_[place]; }

  /// Records a hit with the replacement policy.
  void touch(Place place) {
    if (!unlimited_) replacement_->touched(place / parameters_.ways, place % parameters_.ways);
  }
  /// Selects a place for an absent line: a free one, else the policy's victim among lines with no sector reserved;
  /// kNone if there is none. Changes no state.
  Place make_room(unsigned set) const;
  /// Allocates a line at a place, with all sectors absent, and returns the previous line.
  Evicted allocate(Place place, std::uint64_t tag, Requester owner);
  /// Sectors have been requested from below.
  void reserve(Place place, SectorMask sectors) { lines_[place].reserved |= sectors; }
  /// Sectors have arrived.
  void fill(Place place, SectorMask sectors) {
    lines_[place].reserved &= ~sectors;
    lines_[place].valid |= sectors;
  }
  /// Sectors have been written here but not below: valid and dirty. local: local memory; a line holds only local memory
  /// or none.
  void write(Place place, SectorMask sectors, bool local) {
    lines_[place].valid |= sectors;
    lines_[place].dirty |= sectors;
    local_[place] = local ? 1 : 0;
  }
  void set_owner(Place place, Requester owner) { lines_[place].owner = owner; }
  /// Reserved sectors will not arrive; a line left empty is freed.
  void cancel(Place place, SectorMask sectors);
  /// Drops a line's contents. Sectors in flight stay reserved, so that their fill finds its place.
  Evicted invalidate(Place place);
  /// Drops every line with contents, visiting each as an Evicted.
  template <typename Visit>
  void invalidate_all(Visit&& visit) {
    for (Place place = 0; place < lines_.size(); ++place) {
      if (lines_[place].valid != 0) visit(invalidate(place));
    }
  }
  /// Lines with valid or reserved sectors.
  unsigned occupied() const;

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};

  Place find_anywhere(std::uint64_t tag) const {
    const auto found = places_.find(tag);
    return found != places_.end() ? found->second : kNone;
  }
  void add_free_places(std::size_t count);
  void free(Place place);

  TagArrayParameters parameters_;
  const bool unlimited_;
  unsigned set_bits_ = 0, line_bits_ = 0, sector_bits_ = 0;
  std::vector<std::uint64_t> tags_;  // separate from the lines: a look-up reads tags only
  std::vector<Line> lines_;
  std::vector<std::uint8_t> local_;  // by place, for dirty lines; separate because few look-ups need it
  std::unique_ptr<Replacement> replacement_;
  // Unlimited only: where each line is, and at least one free place.
  std::unordered_map<std::uint64_t, Place> places_;
  std::vector<Place> free_;
};

}  // namespace heddle::memory
