// SPDX-License-Identifier: Apache-2.0
// Hardware structures: a module's storage, declared with entries, fields and bits. Storage cost, the watchdog's state
// dump and waveforms are derived from these declarations.
//
// clang-format off
//   Structure scoreboard_{structures, "sm0.issue.scoreboard", "registers waiting for a result", 48,
//                         {{"register", 8, 2, 1}, {"valid", 1, 2, 1}}};
//   scoreboard_.read([this](std::size_t entry, std::size_t field) { ... });  // contents, for dumps and waveforms
//   scoreboard_.occupied([this](std::size_t entry) { return entries_[entry].valid; });
// clang-format on
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

class Structures;

/// One field of every entry.
struct StructureField {
  std::string name;
  unsigned bits = 1;         ///< width; 1 or more
  unsigned reads = 0;        ///< read ports: maximum reads per cycle
  unsigned writes = 0;       ///< write ports
  bool associative = false;  ///< compared against a key in every entry at once
  bool mask = false;         ///< one bit per member, shown as hexadecimal digits instead of a number
};

class Structure {
 public:
  /// name: dotted, unique in the machine, starting with the module's instance. entries >= 0.
  Structure(Structures& structures, std::string name, std::string sentence, std::size_t entries,
            std::vector<StructureField> fields);
  ~Structure();
  Structure(const Structure&) = delete;
  Structure& operator=(const Structure&) = delete;

  const std::string& name() const { return name_; }
  const std::string& sentence() const { return sentence_; }
  std::size_t entries() const { return entries_; }
  const std::vector<StructureField>& fields() const { return fields_; }
  std::uint64_t bits_per_entry() const;
  std::uint64_t bits() const { return bits_per_entry() * entries_; }

  /// Marks combinational logic (for example, one adder per entry), whose cost is counted apart from storage.
  void is_logic() { logic_ = true; }
  bool logic() const { return logic_; }
  /// Marks a view of other structures, which adds no storage.
  Structure& is_view() {
    view_ = true;
    return *this;
  }
  bool view() const { return view_; }
  /// Attributes the structure to a mechanism: a machine without the mechanism lacks it. `heddle cost` sums by
  /// mechanism.
  Structure& added_by(std::string mechanism) {
    mechanism_ = std::move(mechanism);
    return *this;
  }
  /// Empty: part of any machine.
  const std::string& mechanism() const { return mechanism_; }

  using ReadField = std::function<std::uint64_t(std::size_t entry, std::size_t field)>;
  using Occupied = std::function<bool(std::size_t entry)>;
  /// Values of fields, those of an entry next to each other.
  struct Values {
    std::span<const std::size_t> fields;  ///< of each entry
    std::uint64_t* values;
    std::uint64_t* changed;  ///< a bit for each value, to be set where it differs from what was there
    std::size_t entries;     ///< how many of the first ones to read
    bool all = true;         ///< read also entries that have not been touched
  };
  /// Sets the reader for dumps and waveforms, which is never called while the model computes a cycle.
  /// reader(entry, field): the value of a field of up to 64 bits.
  template <typename Read>
  Structure& read(Read reader) {
    read_all_ = [this, reader](const Values& to) {
      if (!to.all && touched_) {
        read_touched(reader, to);
        return;
      }
      for (std::size_t k = 0; k < to.fields.size(); ++k) read_column(reader, k, to);
    };
    read_ = std::move(reader);
    return *this;
  }
  /// Reads fields of the entries.
  void read_all(const Values& to) const { read_all_(to); }
  /// Sets the function that tells which entries may have changed since the module's last cycle began; entry 64 * w + i
  /// is bit i of word w. Then recorders, which read in every cycle in which the module was called, read no others.
  Structure& touched(std::function<std::uint64_t(std::size_t w)> word) {
    touched_ = std::move(word);
    return *this;
  }
  bool knows_touched() const { return touched_ != nullptr; }
  /// Sets the function that counts the entries in use. These are the first ones; the fields of the others are 0.
  void first_used(std::function<std::size_t()> count);
  /// Whether these entries are known, and how many they are.
  bool knows_used() const { return used_ != nullptr; }
  std::size_t used() const { return used_(); }
  /// Contents may change in a cycle in which no module of the SM was called; see ProbeGroup::changes_by_time(). While
  /// the SM sleeps they may only run down: once all have stayed 0 for a cycle they are not read until it works again.
  void change_by_time() { by_time_ = true; }
  bool by_time() const { return by_time_; }
  /// Sets the test for entries in use; default: all.
  void occupied(Occupied test) { occupied_ = std::move(test); }
  /// Shows each entry as a waveform scope (for small structures). domain: ClockDomain::name() of the clock whose cycles
  /// change it.
  void trace_entries(std::string domain) { domain_ = std::move(domain); }
  const ReadField& reader() const { return read_; }
  /// Whether occupancy is known.
  bool counts() const { return occupied_ != nullptr; }
  bool is_occupied(std::size_t entry) const { return !occupied_ || occupied_(entry); }
  bool traced() const { return !domain_.empty() && read_ != nullptr; }
  const std::string& domain() const { return domain_; }

 private:
  /// Reads the kth of the fields.
  template <typename Read>
  void read_column(const Read& reader, std::size_t k, const Values& to) const {
    // The reader is compiled for each of the first fields, of which it need not ask then.
    switch (to.fields[k]) {
      case 0:
        return read_field<0>(reader, k, to);
      case 1:
        return read_field<1>(reader, k, to);
      case 2:
        return read_field<2>(reader, k, to);
      default:
        return read_values([&reader, field = to.fields[k]](std::size_t entry) { return reader(entry, field); }, k, to);
    }
  }
  template <std::size_t kField, typename Read>
  void read_field(const Read& reader, std::size_t k, const Values& to) const {
    read_values([&reader](std::size_t entry) { return reader(entry, kField); }, k, to);
  }
  template <typename Read>
  void read_values(const Read& value_of, std::size_t k, const Values& to) const {
    const std::size_t stride = to.fields.size(), entries = to.entries;
    std::uint64_t* value = to.values + k;
    for (std::size_t entry = 0; entry < entries; ++entry, value += stride) {
      const std::uint64_t now = value_of(entry);
      if (now != *value) [[unlikely]]
        replace(to, entry * stride + k, now);
    }
  }
  template <typename Read>
  void read_touched(const Read& reader, const Values& to) const {
    const std::size_t stride = to.fields.size();
    for (std::size_t w = 0; 64 * w < entries_; ++w) {
      for (std::uint64_t rest = touched_(w); rest != 0; rest &= rest - 1) {
        const std::size_t entry = 64 * w + static_cast<std::size_t>(std::countr_zero(rest));
        if (entry >= entries_) break;
        for (std::size_t k = 0; k < stride; ++k) {
          const std::uint64_t now = reader(entry, to.fields[k]);
          if (now != to.values[entry * stride + k]) replace(to, entry * stride + k, now);
        }
      }
    }
  }
  static void replace(const Values& to, std::size_t place, std::uint64_t now) {
    to.values[place] = now;
    to.changed[place / 64] |= std::uint64_t{1} << (place % 64);
  }

  Structures& structures_;
  std::string name_, sentence_;
  std::size_t entries_;
  std::vector<StructureField> fields_;
  ReadField read_;
  std::function<void(const Values& to)> read_all_;
  std::function<std::uint64_t(std::size_t w)> touched_;
  std::function<std::size_t()> used_;
  Occupied occupied_;
  std::string domain_;  ///< empty: not in waveforms
  bool logic_ = false, view_ = false, by_time_ = false;
  std::string mechanism_;
};

/// The storage that a source states a mechanism adds to an SM.
struct PublishedCost {
  std::string mechanism, sentence, source;
  std::uint64_t bits = 0;
  std::string module = {};  ///< module containing the mechanism: "sm0.grouping"
};

/// Every structure of a machine.
class Structures {
 public:
  Structures() = default;
  Structures(const Structures&) = delete;
  Structures& operator=(const Structures&) = delete;

  /// In natural order of names.
  std::vector<const Structure*> all() const;
  /// Adds a published figure, to be compared with the sum of the mechanism's structures in the publishing module's SM.
  void publish(PublishedCost cost);
  const std::vector<PublishedCost>& published() const { return published_; }
  /// Total storage bits.
  std::uint64_t bits(const std::string& pattern = "*") const;
  std::uint64_t logic_bits(const std::string& pattern = "*") const;
  /// Contents of the occupied entries of every readable structure, as text; for the watchdog.
  std::string dump(const std::string& pattern = "*") const;
  /// Occupancy of the non-empty structures: one line per group whose names differ only in numbers, listing the first
  /// few. Every line begins with a line feed.
  std::string occupancy() const;

 private:
  friend class Structure;
  std::vector<const Structure*> list_;
  std::vector<PublishedCost> published_;
};

}  // namespace heddle
