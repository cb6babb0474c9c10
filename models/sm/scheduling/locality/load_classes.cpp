// SPDX-License-Identifier: Apache-2.0
#include "sm/scheduling/locality/load_classes.h"

#include <algorithm>
#include <bit>

namespace heddle::sm {

std::size_t LoadClasses::index_of(CodeAddress load) const {
  std::size_t i = 0;
  while (i < entries_.size() && entries_[i].load != load) ++i;
  return i;
}

std::uint8_t LoadClasses::free_number() const {
  std::uint64_t used = 0;
  for (const Entry& entry : entries_) used |= std::uint64_t{1} << entry.repetition;
  return static_cast<std::uint8_t>(std::countr_one(used));
}

bool LoadClasses::add(CodeAddress loop, CodeAddress load) {
  if (knows(load)) return true;
  if (entries_.size() == most_) return false;
  entries_.push_back({loop, load, false, free_number()});
  return true;
}

void LoadClasses::set_divergent(CodeAddress load, bool divergent) {
  const std::size_t i = index_of(load);
  if (i < entries_.size()) entries_[i].divergent = divergent;
}

void LoadClasses::repeat(CodeAddress first, CodeAddress second) {
  const std::size_t a = index_of(first), b = index_of(second);
  if (a >= entries_.size() || b >= entries_.size()) return;
  const std::uint8_t from = entries_[b].repetition, to = entries_[a].repetition;
  for (Entry& entry : entries_) {
    if (entry.repetition == from) entry.repetition = to;
  }
}

void LoadClasses::forget(CodeAddress loop) {
  std::erase_if(entries_, [loop](const Entry& entry) { return entry.loop == loop; });
}

LoadGroups LoadClasses::groups(CodeAddress loop) const {
  std::uint64_t all = 0, divergent = 0;  // by number of the group
  for (const Entry& entry : entries_) {
    if (entry.loop != loop) continue;
    all |= std::uint64_t{1} << entry.repetition;
    divergent |= std::uint64_t{entry.divergent} << entry.repetition;
  }
  return {static_cast<unsigned>(std::popcount(divergent)), static_cast<unsigned>(std::popcount(all & ~divergent))};
}

}  // namespace heddle::sm
