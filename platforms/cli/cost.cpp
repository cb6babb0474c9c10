// SPDX-License-Identifier: Apache-2.0
// heddle cost: the storage that a machine's mechanisms add to an SM, in bits, field by field, from the structures the
// model declares.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "cli/commands.h"
#include "cli/output_options.h"
#include "cli/run_command.h"
#include "common/command_line.h"
#include "common/machine_statistics.h"
#include "core/file.h"

namespace heddle::cli {
namespace {

/// Structures whose names differ only in the module number, within one class of SMs: their declarations are equal.
struct Row {
  const Structure* one = nullptr;
  unsigned copies = 0;
};

/// Structures of a mechanism in the SMs of one class.
struct Section {
  std::string mechanism;
  std::string sm_class;  ///< empty: the machine has a single class, or the structures are outside SMs
  bool operator<(const Section& other) const {
    return std::tie(mechanism, sm_class) < std::tie(other.mechanism, other.sm_class);
  }
};
using Rows = std::map<std::string, Row>;

/// "sm12.packer.find_first" is "sm*.packer.find_first".
std::string family(const std::string& name) {
  const auto dot = name.find('.');
  std::string module = name.substr(0, dot);
  while (!module.empty() && module.back() >= '0' && module.back() <= '9') module.pop_back();
  return (module.size() == dot ? module : module + "*") + (dot == std::string::npos ? "" : name.substr(dot));
}

/// Class of the SM that contains "sm12.packer"; empty when there is a single class.
std::string class_of(const MachineStructures& machine, const std::string& module) {
  const std::vector<std::string>& classes = machine.class_of_sm;
  std::size_t number = 0;
  if (module.rfind("sm", 0) != 0) return "";
  const char* const first = module.data() + 2;
  const auto [end, error] = std::from_chars(first, module.data() + module.size(), number);
  if (error != std::errc() || *end != '.' || number >= classes.size()) return "";
  return classes.front() == classes.back() ? "" : classes[number];
}

/// Groups structures by mechanism, class and name.
std::map<Section, Rows> sections_of(const MachineStructures& machine, bool everything) {
  std::map<Section, Rows> sections;
  for (const Structure* structure : machine.structures.all()) {
    if (structure->view() || (structure->mechanism().empty() && !everything)) continue;
    const std::string mechanism = structure->mechanism().empty() ? "any machine" : structure->mechanism();
    Row& row = sections[{mechanism, class_of(machine, structure->name())}][family(structure->name())];
    if (row.one == nullptr) row.one = structure;
    ++row.copies;
  }
  return sections;
}

std::string fields_of(const Structure& structure) {
  std::string text;
  for (const StructureField& field : structure.fields())
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", field.name, field.bits);
  return text;
}

const PublishedCost* published_of(const MachineStructures& machine, const Section& section) {
  const auto& all = machine.structures.published();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& cost) {
    return cost.mechanism == section.mechanism && class_of(machine, cost.module) == section.sm_class;
  });
  return found == all.end() ? nullptr : &*found;
}

void print_table(const MachineStructures& machine, bool everything) {
  fmt::print("{:<44} {:>8}   {:<58} {:>10} {:>8}\n", "structure of one module", "entries", "bits of an entry", "bits",
             "modules");
  for (const auto& [section, rows] : sections_of(machine, everything)) {
    std::uint64_t storage = 0, logic = 0;
    fmt::print("\n{}{}\n", section.mechanism, section.sm_class.empty() ? "" : ", SMs of class " + section.sm_class);
    for (const auto& [name, row] : rows) {
      const Structure& one = *row.one;
      (one.logic() ? logic : storage) += one.bits();
      fmt::print("  {:<42} {:>8} x {:<58} {:>10} {:>8}{}\n", name, one.entries(), fields_of(one), one.bits(),
                 row.copies, one.logic() ? "  logic" : "");
    }
    if (storage != 0) fmt::print("  {:<42} {:>79} bits, {} bytes\n", "storage", storage, (storage + 7) / 8);
    if (logic != 0) fmt::print("  {:<42} {:>79} bits of logic\n", "logic", logic);
    if (const PublishedCost* published = published_of(machine, section)) {
      fmt::print("  {:<42} {:>79} bits, {} bytes: {}; {}; {}\n", "published", published->bits,
                 (published->bits + 7) / 8, published->sentence, published->source,
                 published->bits == storage
                     ? std::string("equal")
                     : fmt::format("{:+} bits", static_cast<std::int64_t>(storage - published->bits)));
    }
  }
}

nlohmann::ordered_json as_json(const MachineStructures& machine, bool everything, const std::string& name) {
  nlohmann::ordered_json all = {{"schema", 1}, {"machine", name}, {"mechanisms", nlohmann::ordered_json::array()}};
  for (const auto& [section, rows] : sections_of(machine, everything)) {
    std::uint64_t storage = 0, logic = 0;
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& [structure, row] : rows) {
      (row.one->logic() ? logic : storage) += row.one->bits();
      nlohmann::ordered_json fields = nlohmann::ordered_json::array();
      for (const StructureField& field : row.one->fields()) {
        fields.push_back({{"name", field.name},
                          {"bits", field.bits},
                          {"reads", field.reads},
                          {"writes", field.writes},
                          {"associative", field.associative}});
      }
      list.push_back({{"name", structure},
                      {"what", row.one->sentence()},
                      {"entries", row.one->entries()},
                      {"fields", fields},
                      {"bits", row.one->bits()},
                      {"logic", row.one->logic()},
                      {"modules", row.copies}});
    }
    nlohmann::ordered_json entry = {{"mechanism", section.mechanism}};
    if (!section.sm_class.empty()) entry["sm_class"] = section.sm_class;
    entry["storage_bits"] = storage;
    entry["logic_bits"] = logic;
    entry["structures"] = list;
    if (const PublishedCost* published = published_of(machine, section)) {
      entry["published"] = {{"bits", published->bits}, {"what", published->sentence}, {"source", published->source}};
    }
    all["mechanisms"].push_back(entry);
  }
  return all;
}

}  // namespace

int cost(int argc, char** argv) {
  CommandLine app{
      "Shows the cost of a machine's mechanisms: the storage each adds, in bits, field by field, next to what its "
      "source "
      "states. Bits are per module; the last column gives the number of modules. If SMs are of "
      "several classes, each mechanism is shown for each of them."};
  MachineChoice choice;
  bool everything = false;
  std::string json;
  OutputOptions files;
  app.add_option("--machine", choice.machine, "preset or file").show_default();
  app.add_option("--set", choice.settings, "path=value, as for a run; any number").no_extra_values();
  app.add_flag("--all", everything, "include what every machine has: register file, caches, queues");
  app.add_option("--json", json, "write the same as JSON to a file; - for standard output, in place of the table");
  files.declare(app);
  return run_command(app, argc, argv, [&] {
    if (json != "-") files.check(json);
    const auto machine = machine_structures(choice);
    if (json != "-") print_table(*machine, everything);
    if (json.empty()) return;
    const std::string text = as_json(*machine, everything, choice.machine).dump(1) + "\n";
    if (json == "-") {
      fmt::print("{}", text);
      return;
    }
    write_file_atomically(json, text);
    files.say_written("cost", {{json, "storage of the mechanisms"}});
  });
}

}  // namespace heddle::cli
