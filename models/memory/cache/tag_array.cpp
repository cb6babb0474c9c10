// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/tag_array.h"

#include <bit>

#include "core/error.h"
#include "core/unit.h"

namespace heddle::memory {

void TagArrayParameters::describe(ParameterVisitor& v) {
  v("sets", sets, "number of sets", unit::kSets, range(1, 1 << 20));
  v("ways", ways, "lines per set", unit::kWays, range(1, 64));
  v("line_bytes", line_bytes, "line size", unit::kBytes, power_of_two(16, 4096));
  v("sector_bytes", sector_bytes, "sector size, the unit of fetches and write-backs; 0: a line is one sector",
    unit::kBytes, one_of({0, 16, 32, 64, 128, 256}));
  v("index_hash", index_hash, "hash from line number to set",
    choices<IndexHash>({{"none", IndexHash::none, "line number modulo sets"},
                        {"xor", IndexHash::xor_, "all bits of the line number, XOR-folded"},
                        {"fermi", IndexHash::fermi, "the hash measured on Fermi, for 32 or 64 sets"}}),
    "Nugteren et al., HPCA 2014, for fermi");
  v("replacement", replacement, "replacement policy");
}

void TagArrayParameters::check(ParameterChecks& checks) const {
  checks.require(sector_bytes <= line_bytes && (sector_bytes == 0 || line_bytes / sector_bytes <= 32), "sector_bytes",
                 "a line has 1 to 32 sectors");
  checks.require(index_hash != IndexHash::xor_ || std::has_single_bit(sets), "index_hash",
                 "xor needs the number of sets to be a power of two");
  checks.require(index_hash != IndexHash::fermi || sets == 32 || sets == 64, "index_hash",
                 "fermi is defined for 32 and 64 sets");
}

namespace {

constexpr std::size_t kFirstPlaces = 64;  // of an unlimited array

}  // namespace

TagArray::TagArray(const TagArrayParameters& parameters, std::uint64_t seed, bool unlimited)
    : parameters_(parameters), unlimited_(unlimited) {
  auto& p = parameters_;
  if (p.sector_bytes == 0) p.sector_bytes = p.line_bytes;
  replacement_ = make(p.replacement, ReplacementGeometry{p.sets, p.ways, seed});
  if (!replacement_) fail(ExitCode::internal, "no replacement policy is called \"{}\"", p.replacement.name());
  set_bits_ = static_cast<unsigned>(std::bit_width(p.sets) - 1);
  line_bits_ = static_cast<unsigned>(std::countr_zero(p.line_bytes));
  sector_bits_ = static_cast<unsigned>(std::countr_zero(p.sector_bytes));
  if (unlimited) {
    add_free_places(kFirstPlaces);
    return;
  }
  tags_.assign(std::size_t{p.sets} * p.ways, kFree);
  lines_.resize(tags_.size());
  local_.resize(tags_.size());
}

void TagArray::add_free_places(std::size_t count) {
  const std::size_t before = tags_.size();
  tags_.resize(before + count, kFree);
  lines_.resize(tags_.size());
  local_.resize(tags_.size());
  for (std::size_t place = tags_.size(); place-- > before;) free_.push_back(static_cast<Place>(place));
}

void TagArray::free(Place place) {
  if (unlimited_) {
    places_.erase(tags_[place]);
    free_.push_back(place);
  }
  tags_[place] = kFree;
}

TagArray::Place TagArray::make_room(unsigned set) const {
  if (unlimited_) return free_.back();
  const unsigned ways = parameters_.ways;
  const std::size_t first = std::size_t{set} * ways;
  std::uint64_t candidates = 0;
  for (unsigned way = 0; way < ways; ++way) {
    if (tags_[first + way] == kFree) return static_cast<Place>(first + way);
    if (lines_[first + way].reserved == 0) candidates |= std::uint64_t{1} << way;
  }
  return candidates == 0 ? kNone : static_cast<Place>(first + replacement_->victim(set, candidates));
}

TagArray::Evicted TagArray::allocate(Place place, std::uint64_t tag, Requester owner) {
  Evicted evicted;
  if (tags_[place] != kFree) evicted = {true, tags_[place], lines_[place], local_[place] != 0};
  tags_[place] = tag;
  lines_[place] = {};
  lines_[place].owner = owner;
  if (unlimited_) {
    places_[tag] = place;
    free_.pop_back();
    if (free_.empty()) add_free_places(tags_.size());
    return evicted;
  }
  replacement_->filled(place / parameters_.ways, place % parameters_.ways);
  return evicted;
}

void TagArray::cancel(Place place, SectorMask sectors) {
  Line& line = lines_[place];
  line.reserved &= ~sectors;
  if (line.reserved == 0 && line.valid == 0) free(place);
}

TagArray::Evicted TagArray::invalidate(Place place) {
  Evicted evicted{true, tags_[place], lines_[place], local_[place] != 0};
  Line& line = lines_[place];
  line.valid = line.dirty = 0;
  if (line.reserved == 0) free(place);
  return evicted;
}

unsigned TagArray::occupied() const {
  unsigned count = 0;
  for (auto tag : tags_) count += tag != kFree ? 1 : 0;
  return count;
}

}  // namespace heddle::memory
