// SPDX-License-Identifier: Apache-2.0
// The signals of a waveform and their values. Where it is known which modules change the signals of a scope, these are
// read only in cycles in which one of the modules was called.
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
#include "core/trace/signal_batch.h"
#include "core/trace/structure.h"
#include "core/trace/waveform_view.h"

namespace heddle {

/// Scopes whose signals only some modules change, but for those declared to change by time.
struct WaveformPart {
  std::string scope;            ///< "sm0": the signals of sm0.issue, of sm0.l1d, ...
  const std::uint64_t* worked;  ///< cycles in which one of the modules was called; lives as long as the recording
};

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
  /// Batches in a row that the same modules change.
  struct Run {
    const std::uint64_t* worked = nullptr;  ///< cycles in which one of the modules was called; null: not known
    std::uint64_t seen = ~std::uint64_t{0};
    std::size_t first = 0, end = 0;
    std::vector<std::size_t> by_time;  ///< batches of which a part changes even while the modules sleep
    bool awake = true;                 ///< all were read in this cycle
    bool pulsed = false;               ///< a pulse was defined when last read
  };
  template <typename Batch>
  struct Batches {
    std::vector<Batch> all;
    std::vector<Run> runs;
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
  static constexpr std::size_t kBlock = 16;  ///< words compared at a time

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
  std::size_t words_of(const Signal& signal) const { return (signal.shown.width + 63) / 64; }
  bool changed(const GroupBatch::Item& item) const {
    const std::uint64_t *const now = &values_[item.word], *const before = &last_[item.word];
    return item.words == 1 ? *now != *before : !std::equal(now, now + item.words, before);
  }
  template <typename Batch>
  void read(Batches<Batch>& batches, bool all);
  void read(GroupBatch& batch);
  void read(EntryBatch& batch) { batch.read(values_.data()); }
  void read_by_time(GroupBatch& batch) { batch.read_by_time(values_.data()); }
  void read_by_time(EntryBatch& batch) { batch.read_by_time(values_.data()); }
  /// HEDDLE_CHECK_SIGNALS: fails if a signal of modules that slept has changed.
  template <typename Batch>
  void check(Batches<Batch>& batches, const Run& run);
  void check_batch(GroupBatch& batch);
  void check_batch(EntryBatch& batch);
  /// Calls visit(batch) for the batches that were read, in order.
  template <typename Batch, typename Visit>
  static void for_each_read(Batches<Batch>& batches, Visit&& visit) {
    for (const Run& run : batches.runs) {
      if (run.awake) {
        for (std::size_t i = run.first; i < run.end; ++i) visit(batches.all[i]);
      } else {
        for (const std::size_t i : run.by_time) visit(batches.all[i]);
      }
    }
  }
  template <typename Write>
  void write_group(GroupBatch& batch, bool all, Write&& write);
  template <typename Write>
  void write_entries(EntryBatch& batch, bool all, Write&& write);

  std::vector<Signal> signals_;
  std::map<std::string, Domain, std::less<>> domains_;
  std::vector<std::uint64_t> values_, last_;  ///< last: as written
  std::vector<char> digits_;
  bool check_;
  /// Copies by original, since the file may be completed during process exit, after static tables are destroyed.
  std::map<const TextTable*, std::unique_ptr<const TextTable>> texts_;
};

template <typename Write>
void VcdSignals::write_changes(Domain& domain, Write&& write) {
  const bool all = !domain.written;
  for_each_read(domain.groups, [&](GroupBatch& batch) { write_group(batch, all, write); });
  for_each_read(domain.entries, [&](EntryBatch& batch) { write_entries(batch, all, write); });
  domain.written = true;
}

template <typename Write>
void VcdSignals::write_group(GroupBatch& batch, bool all, Write&& write) {
  if (!all && !batch.changed && !batch.fired && !batch.written) return;
  const bool pulses = all || batch.fired || batch.written;
  batch.written = batch.fired;
  for (GroupBatch::Item& item : batch.items) {
    if (item.pulse) {
      if (!pulses) continue;
      const bool fired = signals_[item.signal].fired, before = std::exchange(item.written, fired);
      if (fired == before && (!fired || !changed(item))) continue;
    } else if (!all && !changed(item)) {
      continue;
    }
    const Signal& signal = signals_[item.signal];
    for (std::size_t w = item.word; w < item.word + item.words; ++w) last_[w] = values_[w];
    write(signal);
  }
}

template <typename Write>
void VcdSignals::write_entries(EntryBatch& batch, bool all, Write&& write) {
  if (!all && !batch.changed) return;
  const std::uint64_t* const values = &values_[batch.word];
  std::uint64_t* const last = &last_[batch.word];
  for (std::size_t i = 0; i < batch.signals.size();) {
    const std::size_t end = std::min(i + kBlock, batch.signals.size());
    if (!all && std::equal(values + i, values + end, last + i)) {
      i = end;
      continue;
    }
    for (; i < end; ++i) {
      if (!all && values[i] == last[i]) continue;
      last[i] = values[i];
      write(signals_[batch.signals[i]]);
    }
  }
}

template <typename Write>
void VcdSignals::end_pulses(Domain& domain, Write&& write) {
  for (GroupBatch& batch : domain.groups.all) {
    if (!batch.fired && !batch.written) continue;
    for (GroupBatch::Item& item : batch.items) {
      if (!item.pulse) continue;
      signals_[item.signal].fired = false;
      if (std::exchange(item.written, false)) write(signals_[item.signal]);
    }
    batch.fired = batch.written = false;
  }
}

}  // namespace heddle
