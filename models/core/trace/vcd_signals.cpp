// SPDX-License-Identifier: Apache-2.0
#include "core/trace/vcd_signals.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "core/check_variable.h"
#include "core/error.h"
#include "core/names.h"

namespace heddle {
namespace {

/// Name of the signal that counts a domain's cycles: "core_cycle" for "gpu.core_clock".
std::string cycle_counter(std::string_view domain) {
  domain.remove_prefix(domain.rfind('.') + 1);  // npos + 1 is 0
  constexpr std::string_view kSuffix = "_clock";
  if (domain.size() > kSuffix.size() && domain.substr(domain.size() - kSuffix.size()) == kSuffix) {
    domain.remove_suffix(kSuffix.size());
  }
  return std::string(domain) + "_cycle";
}

/// The eight binary digits of every byte.
constexpr auto kBytes = [] {
  std::array<char, std::size_t{8} * 256> bytes{};
  for (unsigned value = 0; value < 256; ++value) {
    for (unsigned bit = 0; bit < 8; ++bit) bytes[8 * value + 7 - bit] = static_cast<char>('0' + ((value >> bit) & 1));
  }
  return bytes;
}();

/// Puts those of the lowest `count` bytes of a value.
char* put_bytes(std::uint64_t value, int count, char* to) {
  for (int byte = count - 1; byte >= 0; --byte, to += 8) std::memcpy(to, &kBytes[8 * (value >> (8 * byte) & 255)], 8);
  return to;
}

/// Puts the binary digits of a value without leading zeros; one of 0.
char* put_binary(std::uint64_t value, char* to) {
  const unsigned digits = static_cast<unsigned>(std::bit_width(value | 1));
  const unsigned whole = (digits - 1) / 8, first = digits - 8 * whole;  // bytes below the first, and its digits
  // Eight characters, as the length is known then; those behind the digits are overwritten. No byte of fewer than eight
  // digits is the last of the table.
  std::memcpy(to, &kBytes[8 * (value >> (8 * whole)) + 8 - first], 8);
  return put_bytes(value, static_cast<int>(whole), to + first);
}

}  // namespace

/// Base 94 from '!', the characters that can be printed.
VcdCode::VcdCode(std::size_t number) {
  do {
    text_[size_++] = static_cast<char>('!' + number % 94);
    number /= 94;
  } while (number != 0);
}

VcdSignals::VcdSignals(Probes& probes, const Structures& structures, std::string_view signals, std::string_view except,
                       const std::vector<WaveformPart>& parts)
    : check_(check_wanted("HEDDLE_CHECK_SIGNALS")) {
  choose(probes, structures, signals, except);
  if (signals_.empty()) {
    const auto groups = probes.groups();
    fail(ExitCode::usage, "no signal matches '{}'; {}", signals,
         groups.empty()
             ? std::string("this machine declares none")
             : fmt::format("modules with signals are '{}' and {} more", groups.front()->path(), groups.size() - 1));
  }
  lay_out();
  arrange();
  for (auto& [name, domain] : domains_) {
    find_runs(domain.groups, parts);
    find_runs(domain.entries, parts);
  }
}

void VcdSignals::choose(Probes& probes, const Structures& structures, std::string_view signals,
                        std::string_view except) {
  const bool everything = signals == "*" && except.empty();
  const auto wanted = [&](const auto& name_of) {
    if (everything) return true;
    const std::string name = name_of();
    return glob_match(signals, name) && (except.empty() || !glob_match(except, name));
  };
  for (ProbeGroup* group : probes.groups()) {
    std::vector<std::size_t> chosen;
    for (std::size_t id = 0; id < group->signals().size(); ++id) {
      if (wanted([&] { return group->path() + "." + group->signals()[id].name; })) chosen.push_back(id);
    }
    Probes::enable(*group, !chosen.empty());
    if (!chosen.empty()) add_group(*group, chosen);
  }
  for (const Structure* structure : structures.all()) {
    if (!structure->traced()) continue;
    std::vector<EntryBatch::Place> chosen;
    for (std::size_t entry = 0; entry < structure->entries(); ++entry) {
      for (std::size_t field = 0; field < structure->fields().size(); ++field) {
        const StructureField& declared = structure->fields()[field];
        const auto name = [&] { return fmt::format("{}.{}.{}", structure->name(), entry, declared.name); };
        if (declared.bits <= 64 && wanted(name))
          chosen.push_back({static_cast<std::uint32_t>(entry), static_cast<std::uint32_t>(field)});
      }
    }
    if (!chosen.empty()) add_entries(*structure, std::move(chosen));
  }
}

void VcdSignals::add_group(const ProbeGroup& group, const std::vector<std::size_t>& wanted) {
  GroupBatch batch(group);
  Domain& of = domain(group.domain());
  for (const std::size_t id : wanted) {
    const ProbeSignal& declared = group.signals()[id];
    batch.add(id, signals_.size());
    signals_.push_back(
        {{group.path(), declared.name, declared.width, declared.radix, kept(declared.text), declared.pulse}, {}, &of});
  }
  of.groups.all.push_back(std::move(batch));
}

void VcdSignals::add_entries(const Structure& structure, std::vector<EntryBatch::Place> wanted) {
  EntryBatch batch(structure, std::move(wanted));
  Domain& of = domain(structure.domain());
  std::string scope;
  for (std::size_t i = 0; i < batch.places.size(); ++i) {
    const EntryBatch::Place& place = batch.places[i];
    const StructureField& declared = structure.fields()[place.field];
    const Radix radix = declared.bits == 1 ? Radix::binary : declared.mask ? Radix::hexadecimal : Radix::decimal;
    batch.signals.push_back(signals_.size());
    if (i == 0 || place.entry != batch.places[i - 1].entry) scope = fmt::format("{}.{}", structure.name(), place.entry);
    signals_.push_back({{scope, declared.name, declared.bits, radix, nullptr, false, true}, {}, &of});
  }
  of.entries.all.push_back(std::move(batch));
}

VcdSignals::Domain& VcdSignals::domain(std::string_view name) {
  auto found = domains_.find(name);
  if (found == domains_.end()) found = domains_.emplace(std::string(name), Domain{}).first;
  return found->second;
}

const TextTable* VcdSignals::kept(const TextTable* text) {
  if (text == nullptr) return nullptr;
  auto& copy = texts_[text];
  if (copy == nullptr) copy = std::make_unique<const TextTable>(*text);
  return copy.get();
}

void VcdSignals::lay_out() {
  std::size_t words = 0;
  for (auto& [name, domain] : domains_) {
    for (GroupBatch& batch : domain.groups.all) {
      for (GroupBatch::Item& item : batch.items) {
        item.word = signals_[item.signal].word = words;
        words += item.words;
      }
      batch.laid_out();
    }
    for (EntryBatch& batch : domain.entries.all) {
      batch.word = words;
      for (const std::size_t index : batch.signals) signals_[index].word = words++;
    }
    Signal cycle;
    cycle.shown = {"clock", cycle_counter(name), 64, Radix::decimal};
    cycle.domain = &domain;
    cycle.word = words++;
    domain.cycle_signal = signals_.size();
    signals_.push_back(std::move(cycle));
  }
  values_.resize(words);
  last_.resize(words);
}

/// Each scope is opened once with all of its signals; scopes are in natural order of their paths.
void VcdSignals::arrange() {
  std::vector<std::size_t> order(signals_.size()), place(signals_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto before = [this](std::size_t a, std::size_t b) {
    return signals_[a].shown.scope != signals_[b].shown.scope &&
           natural_less(signals_[a].shown.scope, signals_[b].shown.scope);
  };
  // Modules come in this order, and so do structures, mostly; the clocks come first.
  std::rotate(order.begin(), order.end() - static_cast<std::ptrdiff_t>(domains_.size()), order.end());
  const auto middle = std::is_sorted_until(order.begin(), order.end(), before);
  if (std::is_sorted(middle, order.end(), before)) {
    std::inplace_merge(order.begin(), middle, order.end(), before);
  } else {
    std::stable_sort(order.begin(), order.end(), before);
  }
  std::vector<Signal> sorted;
  sorted.reserve(signals_.size());
  unsigned widest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(signals_[order[i]]));
    sorted.back().code = VcdCode(i);
    widest = std::max(widest, sorted.back().shown.width);
  }
  signals_ = std::move(sorted);
  most_line_ = (widest + 63) / 64 * 64 + 4 + VcdCode::kMost;
  for (auto& [name, domain] : domains_) {
    for (GroupBatch& batch : domain.groups.all) {
      for (GroupBatch::Item& item : batch.items) item.signal = place[item.signal];
    }
    for (EntryBatch& batch : domain.entries.all) {
      for (std::size_t& index : batch.signals) index = place[index];
    }
    domain.cycle_signal = place[domain.cycle_signal];
  }
}

template <typename Batch>
void VcdSignals::find_runs(Batches<Batch>& batches, const std::vector<WaveformPart>& parts) {
  std::map<std::string_view, const std::uint64_t*> worked_in;
  for (const WaveformPart& part : parts) worked_in[part.scope] = part.worked;
  const auto worked_of = [&worked_in](std::string_view path) -> const std::uint64_t* {
    while (true) {
      if (const auto found = worked_in.find(path); found != worked_in.end()) return found->second;
      const std::size_t last = path.rfind('.');
      if (last == std::string_view::npos) return nullptr;
      path = path.substr(0, last);
    }
  };
  for (std::size_t i = 0; i < batches.all.size(); ++i) {
    const std::uint64_t* const worked = worked_of(batches.all[i].path());
    if (batches.runs.empty() || batches.runs.back().worked != worked) {
      batches.runs.emplace_back().worked = worked;
      batches.runs.back().first = i;
    }
    Run& run = batches.runs.back();
    run.end = i + 1;
    if (batches.all[i].by_time()) run.by_time.push_back(i);
    const std::string_view path = batches.all[i].path();
    const std::uint64_t* const whole = worked_of(path.substr(0, path.find('.')));
    if (batches.parts.empty() || batches.parts.back().worked != whole) {
      batches.parts.emplace_back().worked = whole;
      batches.parts.back().first = batches.runs.size() - 1;
    }
    batches.parts.back().end = batches.runs.size();
    if (batches.all[i].by_time()) batches.parts.back().by_time.push_back(i);
  }
}

void VcdSignals::read(GroupBatch& batch, bool) {
  batch.read(values_.data());
  if (batch.group->any_fired() || batch.fired || batch.written) read_pulses(batch);
}

void VcdSignals::read_pulses(GroupBatch& batch) {
  const bool any = batch.group->any_fired();
  batch.fired = batch.written = false;
  for (const std::size_t place : batch.pulses) {
    const GroupBatch::Item& item = batch.items[place];
    const bool fired = any && Probes::fired(*batch.group, item.id, values_[item.word]);
    bool& shown = signals_[item.signal].fired;
    if (!fired && !shown && !item.written) continue;
    shown = fired;
    batch.fired |= fired;
    batch.written |= item.written;
    if (fired != item.written || (fired && values_[item.word] != last_[item.word])) batch.changed.add(place);
  }
}

void VcdSignals::read(EntryBatch& batch, bool all) {
  batch.read(values_.data(), all);
  if (check_ && !all) check_untouched(batch);
}

template <typename Batch>
void VcdSignals::read_by_time(Batches<Batch>& batches, const std::vector<std::size_t>& which) {
  for (const std::size_t i : which) {
    batches.all[i].read_by_time(values_.data());
    if (batches.all[i].changed.any()) batches.changed.push_back(i);
  }
}

template <typename Batch>
void VcdSignals::read_part(Batches<Batch>& batches, Part& part, bool all) {
  part.pulsed = false;
  for (std::size_t r = part.first; r < part.end; ++r) {
    Run& run = batches.runs[r];
    if (!all && !run.pulsed && run.worked != nullptr && *run.worked == run.seen) {
      read_by_time(batches, run.by_time);
      if (check_) check(batches, run);
      continue;
    }
    if (run.worked != nullptr) run.seen = *run.worked;
    run.pulsed = false;
    for (std::size_t i = run.first; i < run.end; ++i) {
      Batch& batch = batches.all[i];
      read(batch, all);
      if (batch.changed.any()) batches.changed.push_back(i);
      run.pulsed = run.pulsed || pulsed(batch);
    }
    part.pulsed = part.pulsed || run.pulsed;
  }
}

template <typename Batch>
void VcdSignals::read(Batches<Batch>& batches, bool all) {
  batches.changed.clear();
  for (Part& part : batches.parts) {
    if (!all && !part.pulsed && part.worked != nullptr && *part.worked == part.seen) {
      read_by_time(batches, part.by_time);
      for (std::size_t r = part.first; check_ && r < part.end; ++r) check(batches, batches.runs[r]);
      continue;
    }
    if (part.worked != nullptr) part.seen = *part.worked;
    read_part(batches, part, all);
  }
}

void VcdSignals::read(Domain& domain, std::uint64_t cycle) {
  const bool all = !domain.written;
  read(domain.groups, all);
  read(domain.entries, all);
  domain.pulsed =
      std::any_of(domain.groups.parts.begin(), domain.groups.parts.end(), [](const Part& part) { return part.pulsed; });
  values_[signals_[domain.cycle_signal].word] = cycle;
  domain.defined = true;
}

template <typename Batch>
void VcdSignals::check(Batches<Batch>& batches, const Run& run) {
  for (std::size_t i = run.first; i < run.end; ++i) check_batch(batches.all[i]);
}

void VcdSignals::all_written() {
  last_ = values_;
  for (auto& [name, domain] : domains_) {
    domain.written = domain.defined;
    for (GroupBatch& batch : domain.groups.all) {
      batch.written = true;
      for (GroupBatch::Item& item : batch.items) item.written = signals_[item.signal].fired;
    }
  }
}

void VcdSignals::forget() {
  for (auto& [name, domain] : domains_) {
    domain.pulsed = domain.defined = domain.written = false;
    end_pulses(domain, [](const Signal&) {});
  }
}

char* VcdSignals::put_value(const Signal& signal, char* to) const {
  if (!defined(signal)) return put_undefined(signal, to);
  const std::uint64_t* const words = &values_[signal.word];
  const unsigned width = signal.shown.width;
  if (width == 1) {
    *to++ = static_cast<char>('0' + (*words & 1));
  } else if (width <= 64) {
    *to++ = 'b';
    to = put_binary(*words & ~std::uint64_t{0} >> (64 - width), to);
    *to++ = ' ';
  } else {
    // Leading zeros may be omitted: readers zero-extend.
    *to++ = 'b';
    std::size_t top = words_of(signal) - 1;
    std::uint64_t value = words[top];
    if (width % 64 != 0) value &= (std::uint64_t{1} << (width % 64)) - 1;
    while (top > 0 && value == 0) value = words[--top];
    to = put_binary(value, to);
    while (top-- > 0) to = put_bytes(words[top], 8, to);
    *to++ = ' ';
  }
  to = signal.code.put(to);
  *to++ = '\n';
  return to;
}

char* VcdSignals::put_undefined(const Signal& signal, char* to) {
  if (signal.shown.width != 1) *to++ = 'b';
  *to++ = 'x';
  if (signal.shown.width != 1) *to++ = ' ';
  to = signal.code.put(to);
  *to++ = '\n';
  return to;
}

}  // namespace heddle
