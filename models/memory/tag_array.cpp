// SPDX-License-Identifier: Apache-2.0
#include "memory/tag_array.h"

#include <fmt/ranges.h>

#include <bit>

#include "core/error.h"

namespace heddle::memory {

TagArray::TagArray(const TagArrayParameters& parameters, std::string_view key) : parameters_(parameters) {
  const auto& p = parameters_;
  if (p.sets == 0) fail(ExitCode::kConfiguration, "{}: a cache needs at least one set", key);
  if (p.ways == 0 || p.ways > 64) fail(ExitCode::kConfiguration, "{}: {} ways; 1 to 64 are possible", key, p.ways);
  if (!std::has_single_bit(p.line_bytes) || !std::has_single_bit(p.sector_bytes) || p.sector_bytes > p.line_bytes ||
      p.line_bytes / p.sector_bytes > 32) {
    fail(ExitCode::kConfiguration,
         "{}: lines of {} bytes in sectors of {}; both must be powers of two, with 1 to 32 sectors a line", key,
         p.line_bytes, p.sector_bytes);
  }
  check_index_hash(p.index_hash, p.sets, key);
  replacement_ = ReplacementRegistry::instance().make(p.replacement, {p.sets, p.ways, p.seed});
  if (!replacement_) {
    fail(ExitCode::kConfiguration, "{}: no replacement policy is called \"{}\"; there are {}", key, p.replacement,
         fmt::join(ReplacementRegistry::instance().names(), ", "));
  }
  set_bits_ = static_cast<unsigned>(std::bit_width(p.sets) - 1);
  line_bits_ = static_cast<unsigned>(std::countr_zero(p.line_bytes));
  sector_bits_ = static_cast<unsigned>(std::countr_zero(p.sector_bytes));
  tags_.assign(std::size_t{p.sets} * p.ways, kFree);
  lines_.resize(tags_.size());
}

TagArray::Place TagArray::make_room(unsigned set) const {
  const unsigned ways = parameters_.ways;
  const std::size_t first = std::size_t{set} * ways;
  std::uint64_t candidates = 0;
  for (unsigned way = 0; way < ways; ++way) {
    if (tags_[first + way] == kFree) return static_cast<Place>(first + way);
    if (lines_[first + way].reserved == 0) candidates |= std::uint64_t{1} << way;
  }
  return candidates == 0 ? kNone : static_cast<Place>(first + replacement_->victim(set, candidates));
}

TagArray::Evicted TagArray::allocate(Place place, std::uint64_t tag, std::uint32_t owner) {
  Evicted evicted;
  if (tags_[place] != kFree) evicted = {true, tags_[place], lines_[place]};
  tags_[place] = tag;
  lines_[place] = {};
  lines_[place].owner = owner;
  replacement_->filled(place / parameters_.ways, place % parameters_.ways);
  return evicted;
}

void TagArray::cancel(Place place, SectorMask sectors) {
  Line& line = lines_[place];
  line.reserved &= ~sectors;
  if (line.reserved == 0 && line.valid == 0) tags_[place] = kFree;
}

TagArray::Evicted TagArray::invalidate(Place place) {
  Evicted evicted{true, tags_[place], lines_[place]};
  Line& line = lines_[place];
  line.valid = line.dirty = 0;
  if (line.reserved == 0) tags_[place] = kFree;
  return evicted;
}

unsigned TagArray::occupied() const {
  unsigned count = 0;
  for (auto tag : tags_) count += tag != kFree ? 1 : 0;
  return count;
}

}  // namespace heddle::memory
