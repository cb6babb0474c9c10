// SPDX-License-Identifier: Apache-2.0
#include "sm/scheduling/locality/victim_set.h"

#include <bit>

#include "sm/blocks/block_site.h"

namespace heddle::sm {

namespace {

constexpr unsigned kWayBits = 4;
constexpr std::uint64_t kWayMask = (std::uint64_t{1} << kWayBits) - 1;

unsigned way_at(std::uint64_t order, unsigned place) {
  return static_cast<unsigned>((order >> (kWayBits * place) & kWayMask) ^ place);
}

/// The order after a use of `way`: it moves to the front, those before it by one place.
std::uint64_t used(std::uint64_t order, unsigned way, unsigned ways) {
  std::uint64_t moved = way;
  for (unsigned from = 0, to = 1; from < ways; ++from) {
    const unsigned other = way_at(order, from);
    if (other == way) continue;
    moved |= std::uint64_t{other ^ to} << (kWayBits * to);
    ++to;
  }
  return moved;
}

/// The way that an insertion replaces, or the lowest free one.
unsigned way_to_write(const VictimSetShape& shape, const VictimSet& set) {
  const auto free = static_cast<unsigned>(std::countr_one(set.valid));
  if (free < shape.ways) return free;
  return shape.replacement == VictimReplacement::fifo ? static_cast<unsigned>(set.order)
                                                      : way_at(set.order, shape.ways - 1);
}

}  // namespace

VictimSetAnswer look_up_victim(const VictimSetShape& shape, const VictimSetRequest& request) {
  using What = VictimSetRequest::What;
  const VictimSet& set = request.set;
  VictimSetAnswer answer{.valid = set.valid, .order = set.order};
  unsigned way = 0;
  while (way < shape.ways && ((set.valid >> way & 1) == 0 || set.tags[way] != request.tag)) ++way;
  answer.found = way < shape.ways;
  if (!answer.found && request.what != What::insert) return answer;
  if (!answer.found) way = way_to_write(shape, set);
  answer.way = static_cast<std::uint8_t>(way);
  const auto bit = static_cast<std::uint16_t>(1u << way);
  if (request.what == What::remove) {
    answer.valid = static_cast<std::uint16_t>(set.valid & ~bit);
    return answer;
  }
  answer.valid = static_cast<std::uint16_t>(set.valid | bit);
  if (shape.replacement == VictimReplacement::lru) {
    answer.order = used(set.order, way, shape.ways);
  } else if (!answer.found && way == set.order) {
    answer.order = (set.order + 1) % shape.ways;
  }
  return answer;
}

namespace {

class VictimLookupModel final : public VictimLookup {
 public:
  VictimLookupModel(const VictimSetShape& shape, const BlockSite&) : shape_(shape) {}
  VictimSetAnswer look_up(const VictimSetRequest& request) override { return look_up_victim(shape_, request); }

 private:
  const VictimSetShape shape_;
};

HEDDLE_REGISTER(VictimLookup, VictimLookupModel, "model", "the model's own logic", "docs/rtl.md");

}  // namespace

}  // namespace heddle::sm
