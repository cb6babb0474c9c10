// SPDX-License-Identifier: Apache-2.0
// Signals of a waveform that are read and compared together, because a machine has thousands of them and few change in
// a cycle: those of a module, and those of the entries of a structure. Their values are in consecutive words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/probe.h"
#include "core/trace/structure.h"

namespace heddle {

/// The chosen signals of a module.
struct GroupBatch {
  /// A signal. Where it is among all: those of the batch follow each other.
  struct Item {
    ProbeGroup::SignalId id = 0;
    std::size_t signal = 0;
    std::size_t word = 0, words = 0;  ///< of its value
    bool pulse = false;
    bool written = false;  ///< a pulse: it was defined when last written
  };
  /// A call that reads some of them.
  struct Reading {
    const ProbeSignal* declared;                      ///< the first that it reads
    std::vector<std::size_t> chosen;                  ///< items, of those that it reads
    std::vector<std::uint64_t> together{}, before{};  ///< values, where it reads several
  };

  explicit GroupBatch(const ProbeGroup& of) : group(&of) {}
  /// Signals in order of declaration.
  void add(ProbeGroup::SignalId id, std::size_t signal);

  /// Reads the values of all but pulses at the end of a cycle.
  void read(std::uint64_t* values);
  /// The same for those alone that change by time.
  void read_by_time(std::uint64_t* values);
  bool by_time() const { return !by_time_.empty(); }
  const std::string& path() const { return group->path(); }

  const ProbeGroup* group;
  std::vector<Item> items;
  std::vector<Reading> readings;
  bool changed = false;  ///< a value did when it was last read
  bool fired = false;    ///< a pulse was when last read
  bool written = false;  ///< a pulse was defined when last written

 private:
  void read(Reading& reading, std::uint64_t* values);

  void read_together(Reading& reading, std::uint64_t* values);

  std::vector<std::size_t> by_time_;  ///< readings
};

/// The chosen fields of the entries of a structure.
struct EntryBatch {
  struct Place {
    std::uint32_t entry, field;
  };

  EntryBatch(const Structure& of, std::vector<Place> chosen);
  void read(std::uint64_t* values);
  /// In a cycle in which the modules sleep: once, and then until all is 0, which then lasts until they work.
  void read_by_time(std::uint64_t* values);
  bool by_time() const { return structure->by_time(); }
  const std::string& path() const { return structure->name(); }

  const Structure* structure;
  std::vector<Place> places;
  std::vector<std::size_t> signals;  ///< by place
  std::size_t word = 0;              ///< of the first value
  bool changed = false;              ///< a value did when it was last read
  bool at_rest = false;              ///< not read, as all is 0

 private:
  std::vector<std::size_t> fields_;  ///< of every entry; empty: not all entries have the same
  bool asleep_ = false;              ///< read in a cycle in which the modules slept
};

}  // namespace heddle
