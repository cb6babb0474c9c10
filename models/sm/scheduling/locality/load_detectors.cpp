// SPDX-License-Identifier: Apache-2.0
#include "sm/scheduling/locality/load_detectors.h"

#include <algorithm>

namespace heddle::sm {

void DivergenceDetector::observe(CodeAddress load, unsigned threads, unsigned lines) {
  if (threads <= kThreshold) return;
  auto entry = std::find_if(entries_.begin(), entries_.end(), [load](const Entry& e) { return e.load == load; });
  if (entry == entries_.end()) {
    if (entries_.size() == most_) entries_.erase(entries_.begin());
    entries_.push_back({load, {}});
  } else {
    std::rotate(entry, entry + 1, entries_.end());
  }
  entries_.back().count.count(lines > kThreshold);
}

bool DivergenceDetector::divergent(CodeAddress load) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [load](const Entry& e) { return e.load == load; });
  return entry != entries_.end() && entry->count.value() > 1;
}

CodeAddress RepetitionDetector::probe(std::uint64_t line, CodeAddress load, WarpId warp) {
  const auto set = entries_.begin() + static_cast<std::ptrdiff_t>(line % sets_ * ways_);
  const auto end = set + static_cast<std::ptrdiff_t>(ways_);
  ++clock_;
  auto oldest = set;
  for (auto entry = set; entry != end; ++entry) {
    if (entry->used != 0 && entry->line == line) {
      entry->used = clock_;
      return entry->load;
    }
    if (entry->used < oldest->used) oldest = entry;
  }
  *oldest = {line, clock_, load, warp};
  return kNoCode;
}

void RepetitionDetector::clear(WarpId warp) {
  for (Entry& entry : entries_) {
    if (entry.used != 0 && entry.warp == warp) entry = {};
  }
}

SamplingTable::Entry* SamplingTable::find(CodeAddress loop) {
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [loop](const Entry& e) { return e.loop == loop; });
  return entry == entries_.end() ? nullptr : &*entry;
}
const SamplingTable::Entry* SamplingTable::find(CodeAddress loop) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [loop](const Entry& e) { return e.loop == loop; });
  return entry == entries_.end() ? nullptr : &*entry;
}

SamplingTable::Entry* SamplingTable::use(CodeAddress loop, CodeAddress& replaced) {
  replaced = kNoCode;
  Entry* entry = find(loop);
  if (entry == nullptr && entries_.size() < most_) entry = &entries_.emplace_back(Entry{.loop = loop});
  if (entry == nullptr) {
    for (Entry& other : entries_) {
      if (!other.sampled && (entry == nullptr || other.used < entry->used)) entry = &other;
    }
    if (entry == nullptr) return nullptr;
    replaced = entry->loop;
    *entry = {.loop = loop};
  }
  entry->used = ++clock_;
  return entry;
}

}  // namespace heddle::sm
