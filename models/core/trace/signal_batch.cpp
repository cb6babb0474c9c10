// SPDX-License-Identifier: Apache-2.0
#include "core/trace/signal_batch.h"

#include <array>

namespace heddle {

void GroupBatch::add(ProbeGroup::SignalId id, std::size_t signal) {
  const ProbeSignal& declared = group->signals()[id];
  Item item;
  item.id = id;
  item.signal = signal;
  item.words = (declared.width + 63) / 64;
  item.pulse = declared.pulse;
  const std::size_t place = items.size();
  items.push_back(item);
  changed.resize(items.size());
  if (declared.pulse) {
    pulses.push_back(place);
    return;
  }
  ProbeGroup::SignalId reads = id;
  while (group->signals()[reads].together == 0) --reads;
  const ProbeSignal& reader = group->signals()[reads];
  if (readings.empty() || readings.back().declared != &reader) {
    if (reader.by_time) by_time_.push_back(readings.size());
    readings.push_back({&reader.read, place, 0, !reader.planes && reader.width <= 64, &reader, {}});
    if (reader.planes) {
      readings.back().items.assign(reader.together, kNone);
      readings.back().planes = readings.back().before = std::vector<std::uint64_t>(reader.words());
    }
  }
  readings.back().chosen.push_back(place);
  if (reader.planes) readings.back().items[id - reads] = place;
}

void GroupBatch::laid_out() {
  for (Reading& reading : readings) reading.word = items[reading.first].word;
}

void GroupBatch::read_planes(Reading& reading, std::uint64_t* values) {
  std::vector<std::uint64_t>&planes = reading.planes, &before = reading.before;
  reading.declared->read(planes.data());
  const std::size_t stride = reading.declared->plane_words();
  for (std::size_t w = 0; w < stride; ++w) {
    std::uint64_t differ = 0;
    for (std::size_t k = w; k < planes.size(); k += stride) {
      differ |= planes[k] ^ before[k];
      before[k] = planes[k];
    }
    for (; differ != 0; differ &= differ - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(differ));
      const std::size_t place = reading.items[64 * w + bit];
      if (place == kNone) continue;
      std::uint64_t value = 0;
      for (std::size_t k = w, at = 0; k < planes.size(); k += stride, ++at) value |= (planes[k] >> bit & 1) << at;
      values[items[place].word] = value;
      changed.add(place);
    }
  }
}

void GroupBatch::read_several(Reading& reading, std::uint64_t* values) {
  const ProbeSignal& declared = *reading.declared;
  if (declared.planes) {
    read_planes(reading, values);
    return;
  }
  const Item& item = items[reading.first];
  std::uint64_t* const value = values + item.word;
  // Sets of contexts are often read, and short.
  std::array<std::uint64_t, 8> few;
  std::vector<std::uint64_t> many(item.words > few.size() ? item.words : 0);
  std::uint64_t* const before = many.empty() ? few.data() : many.data();
  std::copy_n(value, item.words, before);
  declared.read(value);
  if (!std::equal(before, before + item.words, value)) changed.add(reading.first);
}

void GroupBatch::read(std::uint64_t* values) {
  changed.clear();
  for (Reading& reading : readings) read(reading, values);
}

void GroupBatch::read_by_time(std::uint64_t* values) {
  changed.clear();
  for (const std::size_t i : by_time_) {
    Reading& reading = readings[i];
    if (!reading.declared->may_change || reading.declared->may_change()) read(reading, values);
  }
}

EntryBatch::EntryBatch(const Structure& of, std::vector<Place> chosen) : structure(&of), places(std::move(chosen)) {
  changed.resize(places.size());
  for (const Place& place : places) {
    if (place.entry == places.front().entry) fields_.push_back(place.field);
  }
  bool same = places.size() == fields_.size() * of.entries();
  for (std::size_t i = 0; same && i < places.size(); ++i)
    same = places[i].entry == i / fields_.size() && places[i].field == fields_[i % fields_.size()];
  if (!same) fields_.clear();
}

void EntryBatch::read(std::uint64_t* values, bool all) {
  asleep_ = at_rest = false;
  changed.clear();
  std::uint64_t* const first = values + word;
  if (!fields_.empty()) {
    std::size_t entries = structure->entries();
    if (structure->knows_used()) {
      const std::size_t before = std::exchange(used_, std::min(structure->used(), entries));
      if (!all) entries = std::max(before, used_);
    }
    changed.fill([&](std::uint64_t* words) { structure->read_all({fields_, first, words, entries, all}); });
    return;
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::uint64_t now = structure->reader()(places[i].entry, places[i].field);
    if (now != first[i]) changed.add(i);
    first[i] = now;
  }
}

void EntryBatch::read_by_time(std::uint64_t* values) {
  changed.clear();
  if (at_rest) return;
  const bool again = asleep_;
  read(values, true);
  asleep_ = true;
  const auto first = values + word;
  at_rest = again && !changed.any() &&
            std::all_of(first, first + places.size(), [](std::uint64_t value) { return value == 0; });
}

}  // namespace heddle
