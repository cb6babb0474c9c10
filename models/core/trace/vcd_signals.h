// SPDX-License-Identifier: Apache-2.0
// The signals of a waveform and their values. Signals of a module, and entries of a structure, are read and compared
// together, because a machine has thousands of them and few change in a cycle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/probe.h"
#include "core/trace/structure.h"
#include "core/trace/waveform_view.h"

namespace heddle {

class VcdSignals {
 public:
  struct Domain;
  struct Signal {
    WaveformSignal shown;
    std::string code;          ///< in the file
    Domain* domain = nullptr;  ///< whose cycles it is read in
    std::size_t word = 0;      ///< first of its value
    bool fired = false;        ///< a pulse: its value is defined
  };
  /// A signal of a module.
  struct Item {
    std::size_t signal = 0, word = 0, words = 0;  ///< as Signal
    ProbeGroup::SignalId id = 0;
    std::function<void(std::uint64_t*)> read{};  ///< empty: a pulse
    bool written = false;                        ///< a pulse: it was defined when last written
  };
  /// A field of an entry of a structure.
  struct Place {
    std::uint32_t entry, field;
  };
  /// The signals of a module, or those of the entries of a structure, whose values are in consecutive words.
  struct Batch {
    const ProbeGroup* group = nullptr;
    std::vector<Item> items;
    bool fired = false;    ///< a pulse did
    bool written = false;  ///< a pulse was defined when last written
    const Structure* structure = nullptr;
    std::vector<Place> places;
    std::vector<std::size_t> entries;  ///< signals, by place
    std::size_t first = 0, words = 0;
  };
  struct Domain {
    std::vector<Batch> batches;
    std::size_t cycle_signal = 0;  ///< counts the domain's cycles
    std::uint64_t clear_at = 0;    ///< time at which its pulses end
    bool pulsed = false;
    bool defined = false;  ///< its signals but pulses have been read
    bool written = false;  ///< and their values written
  };

  /// signals, except: patterns of full names. Turns the probes of those on. Throws Error(kUsage) when there are none.
  VcdSignals(Probes& probes, const Structures& structures, std::string_view signals, std::string_view except);
  VcdSignals(const VcdSignals&) = delete;
  VcdSignals& operator=(const VcdSignals&) = delete;

  /// In natural order of scopes.
  const std::vector<Signal>& all() const { return signals_; }
  std::map<std::string, Domain, std::less<>>& domains() { return domains_; }
  static bool defined(const Signal& signal) { return signal.shown.pulse ? signal.fired : signal.domain->defined; }
  /// Binary digits of its value, without leading zeros; valid until the next call.
  std::string_view digits(const Signal& signal);

  /// Reads the signals of a domain at the end of its cycle.
  void read(Domain& domain, std::uint64_t cycle);
  /// Calls write(signal) for the domain's signals whose values differ from those last written, which they then are.
  template <typename Write>
  void write_changes(Domain& domain, Write&& write);
  /// The same for pulses, which have ended.
  template <typename Write>
  void end_pulses(Domain& domain, Write&& write);
  /// Every signal has been written with its value.
  void all_written();
  /// No signal has a value until its domain is read.
  void forget();

 private:
  static constexpr std::size_t kBlock = 8;  ///< words compared at a time

  void choose(Probes& probes, const Structures& structures, std::string_view signals, std::string_view except);
  void add_group(const ProbeGroup& group, const std::vector<std::size_t>& wanted);
  void add_entries(const Structure& structure, const std::vector<Place>& wanted);
  Domain& domain(std::string_view name);
  /// Sorts the signals by scope and lays out their values.
  void arrange();
  const TextTable* kept(const TextTable* text);
  std::size_t words_of(const Signal& signal) const { return (signal.shown.width + 63) / 64; }
  bool changed(const Item& item) const {
    return !std::equal(&values_[item.word], &values_[item.word] + item.words, &last_[item.word]);
  }
  template <typename Write>
  void write_group(Batch& batch, bool all, Write&& write);
  template <typename Write>
  void write_entries(Batch& batch, bool all, Write&& write);

  std::vector<Signal> signals_;
  std::map<std::string, Domain, std::less<>> domains_;
  std::vector<std::uint64_t> values_, last_;  ///< last: as written
  std::vector<char> digits_;
  /// Copies by original, since the file may be completed during process exit, after static tables are destroyed.
  std::map<const TextTable*, std::unique_ptr<const TextTable>> texts_;
};

template <typename Write>
void VcdSignals::write_changes(Domain& domain, Write&& write) {
  for (Batch& batch : domain.batches) {
    if (batch.structure != nullptr) {
      write_entries(batch, !domain.written, write);
    } else {
      write_group(batch, !domain.written, write);
    }
  }
  domain.written = true;
}

template <typename Write>
void VcdSignals::write_group(Batch& batch, bool all, Write&& write) {
  const auto first = values_.begin() + static_cast<std::ptrdiff_t>(batch.first);
  if (!all && !batch.fired && !batch.written &&
      std::equal(first, first + static_cast<std::ptrdiff_t>(batch.words),
                 last_.begin() + static_cast<std::ptrdiff_t>(batch.first)))
    return;
  batch.written = batch.fired;
  for (Item& item : batch.items) {
    const Signal& signal = signals_[item.signal];
    if (!item.read) {
      const bool before = std::exchange(item.written, signal.fired);
      if (signal.fired == before && (!signal.fired || !changed(item))) continue;
    } else if (!all && !changed(item)) {
      continue;
    }
    std::copy_n(&values_[item.word], item.words, &last_[item.word]);
    write(signal);
  }
}

template <typename Write>
void VcdSignals::write_entries(Batch& batch, bool all, Write&& write) {
  const std::uint64_t* const values = &values_[batch.first];
  std::uint64_t* const last = &last_[batch.first];
  for (std::size_t i = 0; i < batch.words;) {
    const std::size_t end = std::min(i + kBlock, batch.words);
    if (!all) {
      std::uint64_t differ = 0;
      for (std::size_t k = i; k < end; ++k) differ |= values[k] ^ last[k];
      if (differ == 0) {
        i = end;
        continue;
      }
    }
    for (; i < end; ++i) {
      if (!all && values[i] == last[i]) continue;
      last[i] = values[i];
      write(signals_[batch.entries[i]]);
    }
  }
}

template <typename Write>
void VcdSignals::end_pulses(Domain& domain, Write&& write) {
  for (Batch& batch : domain.batches) {
    for (Item& item : batch.items) {
      if (item.read) continue;
      signals_[item.signal].fired = false;
      if (std::exchange(item.written, false)) write(signals_[item.signal]);
    }
    batch.fired = batch.written = false;
  }
}

}  // namespace heddle
