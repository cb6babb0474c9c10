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
  /// Sets the reader for dumps and waveforms, which is never called while the model computes a cycle.
  /// reader(entry, field): the value of a field of up to 64 bits.
  template <typename Read>
  Structure& read(Read reader) {
    read_all_ = [this, reader](std::span<const std::size_t> fields, std::uint64_t* values) {
      std::uint64_t differ = 0;
      for (std::size_t k = 0; k < fields.size(); ++k) {
        const Column to{entries_, fields.size(), values + k};
        differ |= read_column(reader, fields[k], to);
      }
      return differ != 0;
    };
    read_ = std::move(reader);
    return *this;
  }
  /// Reads these fields of every entry, those of an entry next to each other. Returns whether a value differs from
  /// what was there.
  bool read_all(std::span<const std::size_t> fields, std::uint64_t* values) const { return read_all_(fields, values); }
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
  /// Where the values of a field go.
  struct Column {
    std::size_t entries, stride;
    std::uint64_t* values;
  };
  /// Returns the bits in which values differ from those that were there.
  template <typename Read>
  static std::uint64_t read_column(const Read& reader, std::size_t field, const Column& to) {
    // The reader is compiled for each of the first fields, of which it need not ask then.
    switch (field) {
      case 0:
        return read_field<0>(reader, to);
      case 1:
        return read_field<1>(reader, to);
      case 2:
        return read_field<2>(reader, to);
      default:
        return read_values([&reader, field](std::size_t entry) { return reader(entry, field); }, to);
    }
  }
  template <std::size_t kField, typename Read>
  static std::uint64_t read_field(const Read& reader, const Column& to) {
    return read_values([&reader](std::size_t entry) { return reader(entry, kField); }, to);
  }
  template <typename Read>
  static std::uint64_t read_values(const Read& value_of, const Column& to) {
    std::uint64_t differ = 0;
    std::uint64_t* value = to.values;
    for (std::size_t entry = 0; entry < to.entries; ++entry, value += to.stride) {
      const std::uint64_t now = value_of(entry);
      differ |= now ^ *value;
      *value = now;
    }
    return differ;
  }

  Structures& structures_;
  std::string name_, sentence_;
  std::size_t entries_;
  std::vector<StructureField> fields_;
  ReadField read_;
  std::function<bool(std::span<const std::size_t> fields, std::uint64_t* values)> read_all_;
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
