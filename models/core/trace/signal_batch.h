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
    std::size_t signal;               ///< declares it
    std::vector<std::size_t> chosen;  ///< items, of those that it reads; the first one alone where it reads one
  };

  explicit GroupBatch(const ProbeGroup& of) : group(&of) {}
  /// Signals in order of declaration.
  void add(ProbeGroup::SignalId id, std::size_t signal);

  /// Reads the values of all but pulses at the end of a cycle.
  void read(std::uint64_t* values);
  /// The same for those alone that change by time.
  void read_by_time(std::uint64_t* values);
  bool by_time() const;
  const std::string& path() const { return group->path(); }

  const ProbeGroup* group;
  std::vector<Item> items;
  std::vector<Reading> readings;
  bool changed = false;  ///< a value did when it was last read
  bool fired = false;    ///< a pulse was when last read
  bool written = false;  ///< a pulse was defined when last written

 private:
  void read(const Reading& reading, std::uint64_t* values);

  std::vector<std::uint64_t> read_together_;
};

/// The chosen fields of the entries of a structure.
struct EntryBatch {
  struct Place {
    std::uint32_t entry, field;
  };

  EntryBatch(const Structure& of, std::vector<Place> chosen);
  void read(std::uint64_t* values);
  bool by_time() const { return structure->by_time(); }
  const std::string& path() const { return structure->name(); }

  const Structure* structure;
  std::vector<Place> places;
  std::vector<std::size_t> signals;  ///< by place
  std::size_t word = 0;              ///< of the first value
  bool changed = false;              ///< a value did when it was last read

 private:
  std::vector<std::size_t> fields_;  ///< of every entry; empty: not all entries have the same
};

}  // namespace heddle
