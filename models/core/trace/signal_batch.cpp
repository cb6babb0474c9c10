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
  const ProbeSignal& reader = group->signals()[reads];
  if (readings.empty() || readings.back().declared != &reader) {
    if (reader.by_time) by_time_.push_back(readings.size());
    readings.push_back({&reader, {}});
    if (reader.together > 1)
      readings.back().together = readings.back().before = std::vector<std::uint64_t>(reader.together);
  }
  readings.back().chosen.push_back(items.size() - 1);
}

void GroupBatch::read_together(Reading& reading, std::uint64_t* values) {
  reading.declared->read(reading.together.data());
  if (reading.together == reading.before) return;
  reading.before = reading.together;
  const auto first = static_cast<ProbeGroup::SignalId>(reading.declared - group->signals().data());
  for (const std::size_t i : reading.chosen) {
    const std::uint64_t now = reading.together[items[i].id - first];
    changed |= now != values[items[i].word];
    values[items[i].word] = now;
  }
}

void GroupBatch::read(Reading& reading, std::uint64_t* values) {
  const ProbeSignal& declared = *reading.declared;
  if (declared.together > 1) {
    read_together(reading, values);
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
  for (Reading& reading : readings) read(reading, values);
}

void GroupBatch::read_by_time(std::uint64_t* values) {
  changed = false;
  for (const std::size_t i : by_time_) read(readings[i], values);
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
  asleep_ = at_rest = false;
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

void EntryBatch::read_by_time(std::uint64_t* values) {
  if (at_rest) return;
  const bool again = asleep_;
  read(values);
  asleep_ = true;
  const auto first = values + word;
  at_rest =
      again && !changed && std::all_of(first, first + places.size(), [](std::uint64_t value) { return value == 0; });
}

}  // namespace heddle
