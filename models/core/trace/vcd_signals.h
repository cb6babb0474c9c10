// SPDX-License-Identifier: Apache-2.0
// The signals of a waveform and their values. Where it is known which modules change the signals of a scope, these are
// read only in cycles in which one of the modules may have changed them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/probe.h"
#include "core/trace/signal_batch.h"
#include "core/trace/structure.h"
#include "core/trace/waveform_view.h"

namespace heddle {

/// Scopes whose signals only some modules change, but for those declared to change by time.
struct WaveformPart {
  std::string scope;            ///< "sm0": the signals of sm0.issue, of sm0.l1d, ... that are in no longer scope
  const std::uint64_t* worked;  ///< cycles in which a module may have changed them; lives as long as the recording
};

/// The identifier of a signal in a VCD file: few characters.
class VcdCode {
 public:
  VcdCode() = default;
  /// number: of the signal.
  explicit VcdCode(std::size_t number);
  std::string_view text() const { return {text_.data(), size_}; }
  /// Puts it at `to`, where there is room for kMost characters; returns its end.
  char* put(char* to) const {
    std::memcpy(to, text_.data(), kMost);
    return to + size_;
  }
  static constexpr std::size_t kMost = 7;

 private:
  std::array<char, kMost> text_{};
  std::uint8_t size_ = 0;
};

class VcdSignals {
 public:
  struct Domain;
  struct Signal {
    WaveformSignal shown;
    VcdCode code{};            ///< in the file
    Domain* domain = nullptr;  ///< whose cycles it is read in
    std::size_t word = 0;      ///< first of its value
    bool fired = false;        ///< a pulse: its value is defined
  };
  /// Batches in a row that the same modules change.
  struct Run {
    const std::uint64_t* worked = nullptr;  ///< WaveformPart::worked; null: not known
    std::uint64_t seen = ~std::uint64_t{0};
    std::size_t first = 0, end = 0;
    std::vector<std::size_t> by_time;  ///< batches of which a part changes even while the modules sleep
    bool pulsed = false;               ///< a pulse was defined when last read
  };
  /// Runs in a row of one part that contains the others: while it sleeps, all of them do.
  struct Part {
    const std::uint64_t* worked = nullptr;  ///< as of a run
    std::uint64_t seen = ~std::uint64_t{0};
    std::size_t first = 0, end = 0;  ///< runs
    std::vector<std::size_t> by_time;
    bool pulsed = false;
  };
  template <typename Batch>
  struct Batches {
    std::vector<Batch> all;
    std::vector<Run> runs;
    std::vector<Part> parts;
    std::vector<std::size_t> changed;  ///< those of which something did when last read, in order
  };
  struct Domain {
    Batches<GroupBatch> groups;
    Batches<EntryBatch> entries;
    std::size_t cycle_signal = 0;  ///< counts the domain's cycles
    std::uint64_t clear_at = 0;    ///< time at which its pulses end
    bool pulsed = false;
    bool defined = false;  ///< its signals but pulses have been read
    bool written = false;  ///< and their values written
  };

  /// signals, except: patterns of full names. Turns the probes of those on. Throws Error(kUsage) when there are none.
  VcdSignals(Probes& probes, const Structures& structures, std::string_view signals, std::string_view except,
             const std::vector<WaveformPart>& parts);
  VcdSignals(const VcdSignals&) = delete;
  VcdSignals& operator=(const VcdSignals&) = delete;

  /// In natural order of scopes.
  const std::vector<Signal>& all() const { return signals_; }
  std::map<std::string, Domain, std::less<>>& domains() { return domains_; }
  static bool defined(const Signal& signal) { return signal.shown.pulse ? signal.fired : signal.domain->defined; }
  /// Puts the line with its value at `to`, where there is room for most_line() characters; returns its end.
  char* put_value(const Signal& signal, char* to) const;
  static char* put_undefined(const Signal& signal, char* to);
  std::size_t most_line() const { return most_line_; }

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
  void choose(Probes& probes, const Structures& structures, std::string_view signals, std::string_view except);
  void add_group(const ProbeGroup& group, const std::vector<std::size_t>& wanted);
  void add_entries(const Structure& structure, std::vector<EntryBatch::Place> wanted);
  Domain& domain(std::string_view name);
  /// Sorts the signals by scope and lays out their values.
  void arrange();
  void lay_out();
  template <typename Batch>
  void find_runs(Batches<Batch>& batches, const std::vector<WaveformPart>& parts);
  const TextTable* kept(const TextTable* text);
  static std::size_t words_of(const Signal& signal) { return (signal.shown.width + 63) / 64; }
  template <typename Batch>
  void read(Batches<Batch>& batches, bool all);
  template <typename Batch>
  void read_part(Batches<Batch>& batches, Part& part, bool all);
  template <typename Batch>
  void read_by_time(Batches<Batch>& batches, const std::vector<std::size_t>& which);
  void read(GroupBatch& batch, bool all);
  void read_pulses(GroupBatch& batch);
  void read(EntryBatch& batch, bool all);
  static bool pulsed(const GroupBatch& batch) { return batch.fired; }
  static bool pulsed(const EntryBatch&) { return false; }
  /// HEDDLE_CHECK_SIGNALS: fails if a signal of modules that slept has changed.
  template <typename Batch>
  void check(Batches<Batch>& batches, const Run& run);
  void check_batch(GroupBatch& batch);
  void check_batch(EntryBatch& batch);
  void check_untouched(EntryBatch& batch);
  template <typename Write>
  void write_group(GroupBatch& batch, bool all, Write&& write);
  template <typename Write>
  void write_entries(EntryBatch& batch, bool all, Write&& write);

  std::vector<Signal> signals_;
  std::map<std::string, Domain, std::less<>> domains_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint64_t> last_;  ///< of pulses: as written
  std::size_t most_line_ = 0;
  bool check_;
  /// Copies by original, since the file may be completed during process exit, after static tables are destroyed.
  std::map<const TextTable*, std::unique_ptr<const TextTable>> texts_;
};

template <typename Write>
void VcdSignals::write_changes(Domain& domain, Write&& write) {
  const bool all = !domain.written;
  if (all) {
    for (GroupBatch& batch : domain.groups.all) write_group(batch, all, write);
    for (EntryBatch& batch : domain.entries.all) write_entries(batch, all, write);
  } else {
    for (const std::size_t i : domain.groups.changed) write_group(domain.groups.all[i], all, write);
    for (const std::size_t i : domain.entries.changed) write_entries(domain.entries.all[i], all, write);
  }
  domain.written = true;
}

template <typename Write>
void VcdSignals::write_group(GroupBatch& batch, bool all, Write&& write) {
  const auto write_item = [&](std::size_t place) {
    GroupBatch::Item& item = batch.items[place];
    const Signal& signal = signals_[item.signal];
    if (item.pulse) {
      item.written = signal.fired;
      last_[item.word] = values_[item.word];
    }
    write(signal);
  };
  batch.written = batch.fired;
  if (!all) {
    batch.changed.for_each(write_item);
    return;
  }
  for (std::size_t place = 0; place < batch.items.size(); ++place) {
    if (!batch.items[place].pulse || batch.changed.contains(place)) write_item(place);
  }
}

template <typename Write>
void VcdSignals::write_entries(EntryBatch& batch, bool all, Write&& write) {
  if (!all) {
    batch.changed.for_each([&](std::size_t place) { write(signals_[batch.signals[place]]); });
    return;
  }
  for (const std::size_t signal : batch.signals) write(signals_[signal]);
}

template <typename Write>
void VcdSignals::end_pulses(Domain& domain, Write&& write) {
  for (GroupBatch& batch : domain.groups.all) {
    if (!batch.fired && !batch.written) continue;
    for (const std::size_t place : batch.pulses) {
      GroupBatch::Item& item = batch.items[place];
      signals_[item.signal].fired = false;
      if (std::exchange(item.written, false)) write(signals_[item.signal]);
    }
    batch.fired = batch.written = false;
  }
}

}  // namespace heddle
