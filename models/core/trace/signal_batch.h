// SPDX-License-Identifier: Apache-2.0
// Signals of a waveform that are read and compared together, because a machine has thousands of them and few change in
// a cycle: those of a module, and those of the entries of a structure. Their values are in consecutive words, and a set
// tells which of them changed when they were last read.
#pragma once

#include <algorithm>
#include <bit>
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

/// The members of a batch whose values changed.
class ChangedSet {
 public:
  void resize(std::size_t members) { words_.resize((members + 63) / 64); }
  void clear() {
    if (!any_) return;
    std::fill(words_.begin(), words_.end(), 0);
    any_ = false;
  }
  void add(std::size_t member) {
    words_[member / 64] |= std::uint64_t{1} << (member % 64);
    any_ = true;
  }
  bool contains(std::size_t member) const { return (words_[member / 64] >> (member % 64) & 1) != 0; }
  bool any() const { return any_; }
  /// Calls fill(words), which may add members as bits.
  template <typename Fill>
  void fill(Fill&& fill) {
    fill(words_.data());
    for (const std::uint64_t word : words_) any_ = any_ || word != 0;
  }
  /// Calls visit(member), lowest first.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
        visit(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }

 private:
  std::vector<std::uint64_t> words_;
  bool any_ = false;
};

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
    const std::function<void(std::uint64_t*)>* read;
    std::size_t first, word;           ///< its first item, and where the value of that is
    bool simple;                       ///< it reads one word
    const ProbeSignal* declared;       ///< the first that it reads
    std::vector<std::size_t> chosen;   ///< items, of those that it reads
    std::vector<std::size_t> items{};  ///< of planes: by signal, kNone for those not chosen
    std::vector<std::uint64_t> planes{}, before{};
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
  std::vector<std::size_t> pulses;  ///< items
  std::vector<Reading> readings;
  ChangedSet changed;    ///< items
  bool fired = false;    ///< a pulse was when last read
  bool written = false;  ///< a pulse was defined when last written

  /// Call once the items have their words.
  void laid_out();

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  void read(Reading& reading, std::uint64_t* values) {
    if (!reading.simple) {
      read_several(reading, values);
      return;
    }
    std::uint64_t* const value = values + reading.word;
    const std::uint64_t before = *value;
    (*reading.read)(value);
    if (*value != before) changed.add(reading.first);
  }
  void read_several(Reading& reading, std::uint64_t* values);
  void read_planes(Reading& reading, std::uint64_t* values);

  std::vector<std::size_t> by_time_;  ///< readings
};

/// The chosen fields of the entries of a structure.
struct EntryBatch {
  struct Place {
    std::uint32_t entry, field;
  };

  EntryBatch(const Structure& of, std::vector<Place> chosen);
  /// all: also entries that have not been touched.
  void read(std::uint64_t* values, bool all);
  /// In a cycle in which the modules sleep: once, and then until all is 0, which then lasts until they work.
  void read_by_time(std::uint64_t* values);
  bool by_time() const { return structure->by_time(); }
  const std::string& path() const { return structure->name(); }

  const Structure* structure;
  std::vector<Place> places;
  std::vector<std::size_t> signals;  ///< by place
  std::size_t word = 0;              ///< of the first value
  ChangedSet changed;                ///< places
  bool at_rest = false;              ///< not read, as all is 0

 private:
  std::vector<std::size_t> fields_;  ///< of every entry; empty: not all entries have the same
  std::size_t used_ = 0;             ///< entries in use when last read, where that is known
  bool asleep_ = false;              ///< read in a cycle in which the modules slept
};

}  // namespace heddle
