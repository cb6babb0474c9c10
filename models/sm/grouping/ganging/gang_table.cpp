// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/ganging/gang_table.h"

#include <algorithm>

namespace heddle::sm {

namespace {

SliceMask without(SliceMask mask, unsigned gone) { return static_cast<SliceMask>(mask & ~gone); }

}  // namespace

SliceMask GangSetState::live() const {
  unsigned all = alone;
  for (const SliceMask gang : gangs) all |= gang;
  return static_cast<SliceMask>(all);
}

unsigned GangSetState::items() const {
  auto count = static_cast<unsigned>(std::popcount(alone));
  for (const SliceMask gang : gangs) count += gang != 0 ? 1 : 0;
  return count;
}

unsigned GangSetState::way_of(unsigned slice) const {
  unsigned way = 0;
  while (way < kGangWays && (gangs[way] >> slice & 1) == 0) ++way;
  return way;
}

void GangTable::start(unsigned set, SliceMask live) {
  sets_[set] = {};
  regroup(set, coalesce_pcs({.members = live, .pcs = {}}));
}

void GangTable::leave(unsigned set, SliceMask gone) {
  GangSetState& of = sets_[set];
  of.alone = without(of.alone, gone);
  for (SliceMask& gang : of.gangs) {
    gang = without(gang, gone);
    if (!std::has_single_bit(gang)) continue;
    of.alone = static_cast<SliceMask>(of.alone | gang);
    gang = 0;
  }
}

void GangTable::regroup(unsigned set, const PcGroups& groups) {
  GangSetState& of = sets_[set];
  unsigned members = groups.singles;
  for (const SliceMask group : groups.gangs) members |= group;
  std::array<bool, kGangWays> free{}, kept{};
  for (unsigned way = 0; way < kGangWays; ++way) {
    const bool touched = (of.gangs[way] & members) != 0;
    of.gangs[way] = without(of.gangs[way], members);
    free[way] = of.gangs[way] == 0;
    kept[way] = touched && free[way];
  }
  of.alone = static_cast<SliceMask>(without(of.alone, members) | groups.singles);
  for (const SliceMask group : groups.gangs) {
    if (group == 0) continue;
    auto way = static_cast<std::size_t>(std::find(kept.begin(), kept.end(), true) - kept.begin());
    if (way == kGangWays) way = static_cast<std::size_t>(std::find(free.begin(), free.end(), true) - free.begin());
    of.gangs[way] = group;
    free[way] = kept[way] = false;
  }
}

void GangTable::divide(unsigned set, SliceMask gang, SliceMask part) {
  PcGroups groups;
  unsigned found = 0;
  for (const SliceMask piece : {without(gang, part), part}) {
    if (std::has_single_bit(piece)) {
      groups.singles = static_cast<SliceMask>(groups.singles | piece);
    } else if (piece != 0) {
      groups.gangs[found++] = piece;
    }
  }
  regroup(set, groups);
}

SliceMask items_to_merge(const GangSetState& set, const PcGroups& groups, unsigned most) {
  unsigned merged = 0, items = 0;
  for_each_slice(groups.gangs[0], [&](unsigned slice) {
    if (items == most) return;
    ++items;
    const unsigned way = set.way_of(slice);
    merged |= way < kGangWays ? set.gangs[way] : 1u << slice;
  });
  return static_cast<SliceMask>(merged);
}

}  // namespace heddle::sm
