// SPDX-License-Identifier: Apache-2.0
#include "core/trace/signal_batch.h"

namespace heddle {

void GroupBatch::add(ProbeGroup::SignalId id, std::size_t signal) {
  const ProbeSignal& declared = group->signals()[id];
  Item item;
  item.id = id;
  item.signal = signal;
  item.words = (declared.width + 63) / 64;
  item.pulse = declared.pulse;
  items.push_back(item);
  if (declared.pulse) return;
  ProbeGroup::SignalId reads = id;
  while (group->signals()[reads].together == 0) --reads;
  if (readings.empty() || readings.back().signal != reads) readings.push_back({reads, {}});
  readings.back().chosen.push_back(items.size() - 1);
  read_together_.resize(std::max(read_together_.size(), group->signals()[reads].together));
}

bool GroupBatch::by_time() const {
  return std::any_of(readings.begin(), readings.end(),
                     [this](const Reading& reading) { return group->signals()[reading.signal].by_time; });
}

void GroupBatch::read(const Reading& reading, std::uint64_t* values) {
  const ProbeSignal& declared = group->signals()[reading.signal];
  if (declared.together > 1) {
    declared.read(read_together_.data());
    for (const std::size_t i : reading.chosen) {
      const std::uint64_t now = read_together_[items[i].id - reading.signal];
      changed |= now != values[items[i].word];
      values[items[i].word] = now;
    }
    return;
  }
  const Item& item = items[reading.chosen.front()];
  std::uint64_t* const value = values + item.word;
  if (item.words == 1) {
    const std::uint64_t before = *value;
    declared.read(value);
    changed |= *value != before;
    return;
  }
  // Sets of contexts are often read, and short.
  constexpr std::size_t kMost = 8;
  if (item.words > kMost) {
    declared.read(value);
    changed = true;  // to be compared with what was written
    return;
  }
  std::uint64_t before[kMost];
  std::copy_n(value, item.words, before);
  declared.read(value);
  changed |= !std::equal(before, before + item.words, value);
}

void GroupBatch::read(std::uint64_t* values) {
  changed = false;
  for (const Reading& reading : readings) read(reading, values);
}

void GroupBatch::read_by_time(std::uint64_t* values) {
  changed = false;
  for (const Reading& reading : readings) {
    if (group->signals()[reading.signal].by_time) read(reading, values);
  }
}

EntryBatch::EntryBatch(const Structure& of, std::vector<Place> chosen) : structure(&of), places(std::move(chosen)) {
  for (const Place& place : places) {
    if (place.entry == places.front().entry) fields_.push_back(place.field);
  }
  bool same = places.size() == fields_.size() * of.entries();
  for (std::size_t i = 0; same && i < places.size(); ++i)
    same = places[i].entry == i / fields_.size() && places[i].field == fields_[i % fields_.size()];
  if (!same) fields_.clear();
}

void EntryBatch::read(std::uint64_t* values) {
  std::uint64_t* value = values + word;
  if (!fields_.empty()) {
    changed = structure->read_all(fields_, value);
    return;
  }
  changed = false;
  for (const Place& place : places) {
    const std::uint64_t now = structure->reader()(place.entry, place.field);
    changed |= now != *value;
    *value++ = now;
  }
}

}  // namespace heddle
