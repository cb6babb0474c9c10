// SPDX-License-Identifier: Apache-2.0
// heddle cost: what the mechanisms of a machine add to an SM, in bits, field by field, from the structures that the
// model declares of itself.
#include <fmt/core.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/run_command.h"
#include "common/machine_statistics.h"
#include "core/file.h"

namespace heddle::cli {
namespace {

/// Structures of the same name but for the number of the module they belong to: they are declared alike.
struct Row {
  const Structure* one = nullptr;
  unsigned copies = 0;
};

/// "sm12.packer.find_first" is "sm*.packer.find_first".
std::string family(const std::string& name) {
  const auto dot = name.find('.');
  std::string module = name.substr(0, dot);
  while (!module.empty() && module.back() >= '0' && module.back() <= '9') module.pop_back();
  return (module.size() == dot ? module : module + "*") + (dot == std::string::npos ? "" : name.substr(dot));
}

/// By mechanism, then by name.
std::map<std::string, std::map<std::string, Row>> rows_of(const Structures& structures, bool everything) {
  std::map<std::string, std::map<std::string, Row>> mechanisms;
  for (const Structure* structure : structures.all()) {
    if (structure->view() || (structure->mechanism().empty() && !everything)) continue;
    const std::string mechanism = structure->mechanism().empty() ? "any machine" : structure->mechanism();
    Row& row = mechanisms[mechanism][family(structure->name())];
    if (row.one == nullptr) row.one = structure;
    ++row.copies;
  }
  return mechanisms;
}

std::string fields_of(const Structure& structure) {
  std::string text;
  for (const StructureField& field : structure.fields())
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", field.name, field.bits);
  return text;
}

const PublishedCost* published_of(const Structures& structures, const std::string& mechanism) {
  const auto& all = structures.published();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& cost) { return cost.mechanism == mechanism; });
  return found == all.end() ? nullptr : &*found;
}

void print_table(const Structures& structures, bool everything) {
  fmt::print("{:<44} {:>8}   {:<58} {:>10} {:>8}\n", "structure of one module", "entries", "bits of an entry", "bits",
             "modules");
  for (const auto& [mechanism, rows] : rows_of(structures, everything)) {
    std::uint64_t storage = 0, logic = 0;
    fmt::print("\n{}\n", mechanism);
    for (const auto& [name, row] : rows) {
      const Structure& one = *row.one;
      (one.logic() ? logic : storage) += one.bits();
      fmt::print("  {:<42} {:>8} x {:<58} {:>10} {:>8}{}\n", name, one.entries(), fields_of(one), one.bits(),
                 row.copies, one.logic() ? "  logic" : "");
    }
    if (storage != 0) fmt::print("  {:<42} {:>79} bits, {} bytes\n", "storage", storage, (storage + 7) / 8);
    if (logic != 0) fmt::print("  {:<42} {:>79} bits of logic\n", "logic", logic);
    if (const PublishedCost* published = published_of(structures, mechanism)) {
      fmt::print("  {:<42} {:>79} bits, {} bytes: {}; {}; {}\n", "published", published->bits,
                 (published->bits + 7) / 8, published->sentence, published->source,
                 published->bits == storage
                     ? std::string("equal")
                     : fmt::format("{:+} bits", static_cast<std::int64_t>(storage - published->bits)));
    }
  }
}

nlohmann::ordered_json as_json(const Structures& structures, bool everything, const std::string& machine) {
  nlohmann::ordered_json all = {{"schema", 1}, {"machine", machine}, {"mechanisms", nlohmann::ordered_json::array()}};
  for (const auto& [mechanism, rows] : rows_of(structures, everything)) {
    std::uint64_t storage = 0, logic = 0;
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& [name, row] : rows) {
      (row.one->logic() ? logic : storage) += row.one->bits();
      nlohmann::ordered_json fields = nlohmann::ordered_json::array();
      for (const StructureField& field : row.one->fields()) {
        fields.push_back({{"name", field.name},
                          {"bits", field.bits},
                          {"reads", field.reads},
                          {"writes", field.writes},
                          {"associative", field.associative}});
      }
      list.push_back({{"name", name},
                      {"what", row.one->sentence()},
                      {"entries", row.one->entries()},
                      {"fields", fields},
                      {"bits", row.one->bits()},
                      {"logic", row.one->logic()},
                      {"modules", row.copies}});
    }
    nlohmann::ordered_json entry = {
        {"mechanism", mechanism}, {"storage_bits", storage}, {"logic_bits", logic}, {"structures", list}};
    if (const PublishedCost* published = published_of(structures, mechanism)) {
      entry["published"] = {{"bits", published->bits}, {"what", published->sentence}, {"source", published->source}};
    }
    all["mechanisms"].push_back(entry);
  }
  return all;
}

}  // namespace

int cost(int argc, char** argv) {
  CLI::App app{
      "Says what the mechanisms of a machine cost: the storage each adds, in bits, field by field, beside what its "
      "source "
      "states. Bits are those of one module; there are as many modules as the last column says."};
  MachineChoice choice;
  bool everything = false;
  std::string json;
  app.add_option("--machine", choice.machine, "preset or file")->capture_default_str();
  app.add_option("--set", choice.settings, "path=value, as for a run; any number")->allow_extra_args(false);
  app.add_flag("--all", everything, "also what any machine has: register file, caches, queues");
  app.add_option("--json", json, "write the same as JSON to a file; - for standard output, in place of the table");
  return run_command(app, argc, argv, [&] {
    const auto structures = machine_structures(choice);
    if (json != "-") print_table(*structures, everything);
    if (json.empty()) return;
    const std::string text = as_json(*structures, everything, choice.machine).dump(1) + "\n";
    if (json == "-") {
      fmt::print("{}", text);
    } else {
      write_file_atomically(json, text);
    }
  });
}

}  // namespace heddle::cli
