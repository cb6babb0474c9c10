// SPDX-License-Identifier: Apache-2.0
// Hardware structures: what a module keeps in storage, declared with entries, fields and bits. The storage cost, the
// watchdog's state dump and the waveforms come from these declarations.
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
#include <string>
#include <utility>
#include <vector>

namespace heddle {

class Structures;

/// One field of every entry.
struct StructureField {
  std::string name;
  unsigned bits = 1;         ///< width; 1 or more
  unsigned reads = 0;        ///< read ports: most reads in one cycle
  unsigned writes = 0;       ///< write ports
  bool associative = false;  ///< compared against a key in every entry at once
};

class Structure {
 public:
  /// name: dotted, unique in the machine, the module's instance first. entries >= 0.
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

  /// Says that this is combinational logic (an entry an adder, say), not storage: it has a cost of its own.
  void is_logic() { logic_ = true; }
  bool logic() const { return logic_; }
  /// Says that this shows what other structures hold, in another form: it is no storage of its own.
  Structure& is_view() {
    view_ = true;
    return *this;
  }
  bool view() const { return view_; }
  /// Says that a machine has this because of a mechanism, and would not without: `heddle cost` adds it up by mechanism.
  Structure& added_by(std::string mechanism) {
    mechanism_ = std::move(mechanism);
    return *this;
  }
  /// Empty: part of any machine.
  const std::string& mechanism() const { return mechanism_; }

  using ReadField = std::function<std::uint64_t(std::size_t entry, std::size_t field)>;
  using Occupied = std::function<bool(std::size_t entry)>;
  /// Gives contents to dumps and waveforms; never called while the model computes a cycle.
  void read(ReadField reader) { read_ = std::move(reader); }
  /// Which entries are in use; all, when not given.
  void occupied(Occupied test) { occupied_ = std::move(test); }
  /// Makes each entry a scope in waveforms (for small structures). domain: ClockDomain::name() of the clock whose
  /// cycles change it.
  void trace_entries(std::string domain) { domain_ = std::move(domain); }
  const ReadField& reader() const { return read_; }
  /// Whether it is known which of its entries are in use.
  bool counts() const { return occupied_ != nullptr; }
  bool is_occupied(std::size_t entry) const { return !occupied_ || occupied_(entry); }
  bool traced() const { return !domain_.empty() && read_ != nullptr; }
  const std::string& domain() const { return domain_; }

 private:
  Structures& structures_;
  std::string name_, sentence_;
  std::size_t entries_;
  std::vector<StructureField> fields_;
  ReadField read_;
  Occupied occupied_;
  std::string domain_;  ///< empty: not in waveforms
  bool logic_ = false, view_ = false;
  std::string mechanism_;
};

/// What a source states of the storage that a mechanism adds to an SM.
struct PublishedCost {
  std::string mechanism, sentence, source;
  std::uint64_t bits = 0;
  std::string module = {};  ///< that has the mechanism: "sm0.grouping"
};

/// Every structure of a machine.
class Structures {
 public:
  Structures() = default;
  Structures(const Structures&) = delete;
  Structures& operator=(const Structures&) = delete;

  /// In natural order of names.
  std::vector<const Structure*> all() const;
  /// A figure to compare with what the structures of a mechanism add up to, in the SM whose module publishes it.
  void publish(PublishedCost cost);
  const std::vector<PublishedCost>& published() const { return published_; }
  /// Of storage.
  std::uint64_t bits(const std::string& pattern = "*") const;
  std::uint64_t logic_bits(const std::string& pattern = "*") const;
  /// Contents of the occupied entries of every structure that can be read, as text; for the watchdog.
  std::string dump(const std::string& pattern = "*") const;
  /// How full those are that are not empty: a line for each group of the same name but for its numbers, with what it
  /// holds; the first few by name. Every line begins with a line feed.
  std::string occupancy() const;

 private:
  friend class Structure;
  std::vector<const Structure*> list_;
  std::vector<PublishedCost> published_;
};

}  // namespace heddle
