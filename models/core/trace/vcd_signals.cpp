// SPDX-License-Identifier: Apache-2.0
#include "core/trace/vcd_signals.h"

#include <fmt/format.h>

#include <array>
#include <bit>
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

}  // namespace

VcdSignals::VcdSignals(Probes& probes, const Structures& structures, std::string_view signals,
                       std::string_view except) {
  choose(probes, structures, signals, except);
  if (signals_.empty()) {
    const auto groups = probes.groups();
    fail(ExitCode::usage, "no signal matches '{}'; {}", signals,
         groups.empty()
             ? std::string("this machine declares none")
             : fmt::format("modules with signals are '{}' and {} more", groups.front()->path(), groups.size() - 1));
  }
  arrange();
}

void VcdSignals::choose(Probes& probes, const Structures& structures, std::string_view signals,
                        std::string_view except) {
  const auto wanted = [&](const std::string& name) {
    return glob_match(signals, name) && (except.empty() || !glob_match(except, name));
  };
  for (ProbeGroup* group : probes.groups()) {
    std::vector<std::size_t> chosen;
    for (std::size_t id = 0; id < group->signals().size(); ++id) {
      if (wanted(group->path() + "." + group->signals()[id].name)) chosen.push_back(id);
    }
    Probes::enable(*group, !chosen.empty());
    if (!chosen.empty()) add_group(*group, chosen);
  }
  for (const Structure* structure : structures.all()) {
    if (!structure->traced()) continue;
    std::vector<Place> chosen;
    for (std::size_t entry = 0; entry < structure->entries(); ++entry) {
      for (std::size_t field = 0; field < structure->fields().size(); ++field) {
        const StructureField& declared = structure->fields()[field];
        if (declared.bits <= 64 && wanted(fmt::format("{}.{}.{}", structure->name(), entry, declared.name)))
          chosen.push_back({static_cast<std::uint32_t>(entry), static_cast<std::uint32_t>(field)});
      }
    }
    if (!chosen.empty()) add_entries(*structure, chosen);
  }
}

void VcdSignals::add_group(const ProbeGroup& group, const std::vector<std::size_t>& wanted) {
  Batch batch;
  batch.group = &group;
  Domain& of = domain(group.domain());
  for (const std::size_t id : wanted) {
    const ProbeSignal& declared = group.signals()[id];
    const bool pulse = declared.read == nullptr;
    batch.items.push_back({signals_.size(), 0, 0, id, declared.read});
    signals_.push_back(
        {{group.path(), declared.name, declared.width, declared.radix, kept(declared.text), pulse}, {}, &of});
  }
  of.batches.push_back(std::move(batch));
}

void VcdSignals::add_entries(const Structure& structure, const std::vector<Place>& wanted) {
  Batch batch;
  batch.structure = &structure;
  batch.places = wanted;
  Domain& of = domain(structure.domain());
  for (const Place& place : wanted) {
    const StructureField& declared = structure.fields()[place.field];
    const Radix radix = declared.bits == 1 ? Radix::binary : declared.mask ? Radix::hexadecimal : Radix::decimal;
    batch.entries.push_back(signals_.size());
    const std::string scope = fmt::format("{}.{}", structure.name(), place.entry);
    signals_.push_back({{scope, declared.name, declared.bits, radix, nullptr, false, true}, {}, &of});
  }
  of.batches.push_back(std::move(batch));
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

void VcdSignals::arrange() {
  for (auto& [name, domain] : domains_) {
    Signal cycle;
    cycle.shown = {"clock", cycle_counter(name), 64, Radix::decimal};
    cycle.domain = &domain;
    domain.cycle_signal = signals_.size();
    signals_.push_back(std::move(cycle));
  }
  // 1. The values: those of a batch are next to each other.
  std::size_t words = 0;
  for (auto& [name, domain] : domains_) {
    for (Batch& batch : domain.batches) {
      batch.first = words;
      for (Item& item : batch.items) {
        item.words = words_of(signals_[item.signal]);
        item.word = signals_[item.signal].word = words;
        words += item.words;
      }
      for (const std::size_t index : batch.entries) signals_[index].word = words++;
      batch.words = words - batch.first;
    }
    signals_[domain.cycle_signal].word = words++;
  }
  values_.resize(words);
  last_.resize(words);
  // 2. The signals: each scope is opened once with all of its; scopes are in natural order of their paths.
  std::vector<std::size_t> order(signals_.size()), place(signals_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return natural_less(signals_[a].shown.scope, signals_[b].shown.scope);
  });
  std::vector<Signal> sorted;
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
    for (Batch& batch : domain.batches) {
      for (Item& item : batch.items) item.signal = place[item.signal];
      for (std::size_t& index : batch.entries) index = place[index];
    }
    domain.cycle_signal = place[domain.cycle_signal];
  }
}

void VcdSignals::read(Domain& domain, std::uint64_t cycle) {
  domain.pulsed = false;
  for (Batch& batch : domain.batches) {
    if (batch.structure != nullptr) {
      const Structure::ReadField& reader = batch.structure->reader();
      std::uint64_t* value = &values_[batch.first];
      for (const Place& place : batch.places) *value++ = reader(place.entry, place.field);
      continue;
    }
    batch.fired = false;
    for (const Item& item : batch.items) {
      if (item.read) {
        item.read(&values_[item.word]);
      } else if (const bool fired = Probes::fired(*batch.group, item.id, values_[item.word]); fired || batch.written) {
        signals_[item.signal].fired = fired;
        batch.fired = batch.fired || fired;
      }
    }
    domain.pulsed = domain.pulsed || batch.fired;
  }
  values_[signals_[domain.cycle_signal].word] = cycle;
  domain.defined = true;
}

void VcdSignals::all_written() {
  last_ = values_;
  for (auto& [name, domain] : domains_) {
    domain.written = domain.defined;
    for (Batch& batch : domain.batches) {
      batch.written = true;
      for (Item& item : batch.items) item.written = signals_[item.signal].fired;
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
