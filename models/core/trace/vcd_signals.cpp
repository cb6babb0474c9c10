// SPDX-License-Identifier: Apache-2.0
#include "core/trace/vcd_signals.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/names.h"

namespace heddle {
namespace {

/// Short printable identifiers: base 94 from '!'.
std::string identifier(std::size_t number) {
  std::string code;
  do {
    code += static_cast<char>('!' + number % 94);
    number /= 94;
  } while (number != 0);
  return code;
}

/// Name of the signal that counts a domain's cycles: "core_cycle" for "gpu.core_clock".
std::string cycle_counter(std::string_view domain) {
  domain.remove_prefix(domain.rfind('.') + 1);  // npos + 1 is 0
  constexpr std::string_view kSuffix = "_clock";
  if (domain.size() > kSuffix.size() && domain.substr(domain.size() - kSuffix.size()) == kSuffix) {
    domain.remove_suffix(kSuffix.size());
  }
  return std::string(domain) + "_cycle";
}

/// The binary digits of every byte.
constexpr auto kBytes = [] {
  std::array<std::array<char, 8>, 256> bytes{};
  for (unsigned value = 0; value < 256; ++value) {
    for (unsigned bit = 0; bit < 8; ++bit) bytes[value][7 - bit] = static_cast<char>('0' + ((value >> bit) & 1));
  }
  return bytes;
}();

bool wants_check() {
  const char* const value = std::getenv("HEDDLE_CHECK_SIGNALS");
  return value != nullptr && std::string_view(value) == "1";
}

[[noreturn]] void fail_sleeping(const std::string& scope, const std::string& name) {
  fail(ExitCode::internal,
       "waveform: '{}.{}' changed although no module of its part of the machine was called; declare that it changes by "
       "time",
       scope, name);
}

}  // namespace

VcdSignals::VcdSignals(Probes& probes, const Structures& structures, std::string_view signals, std::string_view except,
                       const std::vector<WaveformPart>& parts)
    : check_(wants_check()) {
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
    sorted.back().code = identifier(i);
    widest = std::max(widest, sorted.back().shown.width);
  }
  signals_ = std::move(sorted);
  digits_.resize((widest + 63) / 64 * 64);
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
  const auto worked_of = [&parts](const std::string& path) -> const std::uint64_t* {
    for (const WaveformPart& part : parts) {
      const std::size_t size = part.scope.size();
      if (path.size() > size && path[size] == '.' && path.compare(0, size, part.scope) == 0) return part.worked;
    }
    return nullptr;
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
  }
}

void VcdSignals::read(GroupBatch& batch) {
  batch.read(values_.data());
  if (!batch.group->any_fired() && !batch.fired && !batch.written) return;
  batch.fired = false;
  for (const GroupBatch::Item& item : batch.items) {
    if (!item.pulse) continue;
    const bool fired = Probes::fired(*batch.group, item.id, values_[item.word]);
    signals_[item.signal].fired = fired;
    batch.fired |= fired;
  }
}

template <typename Batch>
void VcdSignals::read(Batches<Batch>& batches, bool all) {
  for (Run& run : batches.runs) {
    run.awake = all || run.pulsed || run.worked == nullptr || *run.worked != run.seen;
    if (run.awake) {
      if (run.worked != nullptr) run.seen = *run.worked;
      for (std::size_t i = run.first; i < run.end; ++i) read(batches.all[i]);
    } else {
      for (const std::size_t i : run.by_time) read_by_time(batches.all[i]);
      if (check_) check(batches, run);
    }
  }
}

void VcdSignals::read(Domain& domain, std::uint64_t cycle) {
  const bool all = !domain.written;
  read(domain.groups, all);
  read(domain.entries, all);
  domain.pulsed = false;
  for (Run& run : domain.groups.runs) {
    if (!run.awake) continue;
    const auto first = domain.groups.all.begin();
    run.pulsed =
        std::any_of(first + static_cast<std::ptrdiff_t>(run.first), first + static_cast<std::ptrdiff_t>(run.end),
                    [](const GroupBatch& batch) { return batch.fired; });
    domain.pulsed = domain.pulsed || run.pulsed;
  }
  values_[signals_[domain.cycle_signal].word] = cycle;
  domain.defined = true;
}

template <typename Batch>
void VcdSignals::check(Batches<Batch>& batches, const Run& run) {
  for (std::size_t i = run.first; i < run.end; ++i) check_batch(batches.all[i]);
}

void VcdSignals::check_batch(GroupBatch& batch) {
  if (batch.group->any_fired()) fail_sleeping(batch.path(), "a pulse");
  batch.read(values_.data());
  for (const GroupBatch::Reading& reading : batch.readings) {
    for (const std::size_t i : reading.chosen) {
      if (!reading.declared->by_time && changed(batch.items[i]))
        fail_sleeping(batch.path(), batch.group->signals()[batch.items[i].id].name);
    }
  }
  batch.changed = true;
}

void VcdSignals::check_batch(EntryBatch& batch) {
  if (batch.by_time() && !batch.at_rest) return;
  batch.read(values_.data());
  if (batch.changed) fail_sleeping(batch.path(), "an entry");
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

std::string_view VcdSignals::digits(const Signal& signal) {
  const std::uint64_t* const words = &values_[signal.word];
  const unsigned width = signal.shown.width;
  const auto value_of = [&](std::size_t w) {
    const std::size_t above = 64 * (w + 1);
    return above <= width ? words[w] : words[w] & ((std::uint64_t{1} << (width % 64)) - 1);
  };
  std::size_t top = words_of(signal) - 1;
  while (top > 0 && value_of(top) == 0) --top;
  char* const end = digits_.data() + digits_.size();
  char* to = end;
  for (std::size_t w = 0; w <= top; ++w) {
    std::uint64_t value = value_of(w);
    for (unsigned byte = 0; byte < 8 && (w < top || value != 0 || byte == 0); ++byte, value >>= 8) {
      to -= 8;
      std::memcpy(to, kBytes[value & 255].data(), 8);
    }
  }
  const std::size_t count =
      64 * top + std::max<std::size_t>(1, static_cast<std::size_t>(std::bit_width(value_of(top))));
  return {end - count, count};
}

}  // namespace heddle
