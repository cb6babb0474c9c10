// SPDX-License-Identifier: Apache-2.0
// Observable state of a module, or of a mechanism inside it: signals and storage under one name. Observers read the
// model and never write it.
//
//   ModuleState state_{services, "sm0.issue", domain.name()};
//   state_.signals.add("blocks", 4, "resident blocks", [this] { return blocks(); });
//   state_.structure("order", "state of the order policy", 1, {{"last", 6}}).read([this](auto, auto) { ... });
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/bits.h"
#include "core/kernel/services.h"

namespace heddle {

class ModuleState {
 public:
  /// path: dotted instance name; domain: ClockDomain::name() of the clock whose cycles change it.
  ModuleState(Services& services, std::string path, std::string domain)
      : signals(services.probes, path, std::move(domain)), structures_(services.structures), path_(std::move(path)) {}

  ProbeGroup signals;

  /// Attributes later declarations to a mechanism unless they say otherwise (Structure::added_by).
  void charge_to(std::string mechanism) { mechanism_ = std::move(mechanism); }
  /// Declares "<path>.<name>". The result lives as long as this object.
  Structure& structure(const std::string& name, std::string sentence, std::size_t entries,
                       std::vector<StructureField> fields) {
    declared_.push_back(
        std::make_unique<Structure>(structures_, path_ + "." + name, std::move(sentence), entries, std::move(fields)));
    return declared_.back()->added_by(mechanism_);
  }
  /// The same, with one waveform scope per entry. Use for up to a few hundred entries.
  Structure& traced_structure(const std::string& name, std::string sentence, std::size_t entries,
                              std::vector<StructureField> fields) {
    Structure& declared = structure(name, std::move(sentence), entries, std::move(fields));
    declared.trace_entries(signals.domain());
    return declared;
  }
  /// Declares the storage a source states for a mechanism; see PublishedCost.
  void publish(PublishedCost cost) {
    cost.module = path_;
    structures_.publish(std::move(cost));
  }
  /// A signal with one bit per member: the lowest `width` members of `set`. Large ones are shown as the number of their
  /// members, since their digits would not fit into a cycle.
  template <typename Set>
  void show_set(const std::string& name, unsigned width, const std::string& sentence, const Set& set) {
    const auto signal = signals.add_wide(name, width, sentence, [&set, width](std::uint64_t* words) {
      for (unsigned w = 0; w < (width + 63) / 64; ++w) words[w] = set.word(w);
      if (width % 64 != 0) words[width / 64] &= (std::uint64_t{1} << (width % 64)) - 1;
    });
    if (width > 16) signals.show(signal, Radix::count);
  }

 private:
  Structures& structures_;
  std::string path_, mechanism_;
  std::vector<std::unique_ptr<Structure>> declared_;
};

/// Bits needed for an index 0 .. count - 1; at least 1.
constexpr unsigned index_bits(std::uint64_t count) {
  return count <= 2 ? 1 : static_cast<unsigned>(std::bit_width(count - 1));
}

}  // namespace heddle
