// SPDX-License-Identifier: Apache-2.0
// heddle explain: descriptions of parameters, mechanisms and statistics, found by name, by words or by size.
#include <fmt/ranges.h>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/explanation.h"
#include "cli/run_command.h"
#include "common/command_line.h"
#include "common/machine_description.h"
#include "common/machine_statistics.h"
#include "core/error.h"
#include "core/quantity_text.h"
#include "gpu/machine_selection.h"

namespace heddle::cli {
namespace {

std::vector<std::vector<std::string>> rows_of(const std::map<std::string, unsigned>& counts) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, count] : counts) rows.push_back({name, std::to_string(count)});
  return rows;
}

/// Parameter groups and statistics classes, each with its size.
std::string overview(const Catalogue& catalogue) {
  std::map<std::string, unsigned> groups, classes;
  for (const auto& entry : catalogue.parameters) {
    const std::string path = short_path(entry.path);
    const auto dot = path.rfind('.');
    ++groups[dot == std::string::npos ? path : path.substr(0, dot)];
  }
  for (const auto& entry : catalogue.statistics) ++classes[entry.class_name];
  std::string text =
      "Words find keys: heddle explain warp scheduler; heddle explain 48KB\n"
      "Parameters (heddle explain GROUP lists one group)\n";
  text += in_columns(rows_of(groups));
  text += "Statistics by class (heddle explain 'CLASS.*' lists one class)\n";
  text += in_columns(rows_of(classes));
  return text;
}

/// The size a query is, "48KB" or "16 KB"; empty when it is none.
std::optional<std::uint64_t> size_of(const std::vector<std::string>& words) {
  return parse_size(fmt::format("{}", fmt::join(words, " ")));
}

/// The values of all presets.
std::vector<MachineValues> preset_values() {
  std::vector<MachineValues> presets;
  for (const auto& preset : list_presets(preset_directories())) {
    try {
      presets.push_back({preset.name, load_machine({preset.name, {}})->configuration.values()});
    } catch (const Error&) {  // no machine can be built from it; who runs it is told
    }
  }
  return presets;
}

/// The machine asked for, or else all presets, the default one first.
std::vector<MachineValues> machines_for_sizes(const MachineChoice& choice) {
  std::vector<MachineValues> machines;
  const auto add = [&](const MachineChoice& one) {
    const auto machine = load_machine(one);
    machines.push_back({machine->configuration.name(), machine->configuration.values()});
  };
  if (!choice.machine.empty() || !choice.settings.empty()) {
    add(choice);
    return machines;
  }
  add({gpu::kDefaultMachine, {}});
  for (const auto& preset : list_presets(preset_directories())) {
    if (preset.name != gpu::kDefaultMachine) add({preset.name, {}});
  }
  return machines;
}

}  // namespace

int explain(int argc, char** argv) {
  CommandLine app{
      "Describes a parameter, mechanism or statistic: meaning, unit, legal values, default and source. Words find what "
      "they occur in."};
  std::vector<std::string> words;
  MachineChoice choice;
  bool all = false;
  app.add_option("NAME", words,
                 "a parameter (sm.order), a group (sm.fetch), a mechanism (gto), a statistic or a pattern of them; or "
                 "words to search for (warp scheduler), or a size (48KB)");
  app.add_option("--machine", choice.machine, "also show the value in this machine (preset or file)");
  app.add_option("--set", choice.settings, "path=value, as for a run; any number").no_extra_values();
  app.add_flag("--all", all, "the whole of a list that is otherwise cut");
  return run_command(app, argc, argv, [&] {
    const Catalogue catalogue{list_machine_parameters(), list_machine_groups(),
                              list_statistics(*machine_statistics(choice)), preset_values()};
    const ListLimits limits = all ? ListLimits::none() : ListLimits{};
    if (words.empty()) {
      fmt::print("{}", overview(catalogue));
    } else if (const auto bytes = size_of(words)) {
      fmt::print("{}", explain_size(*bytes, catalogue, machines_for_sizes(choice), limits));
    } else {
      const auto machine = choice.machine.empty() && choice.settings.empty() ? nullptr : load_machine(choice);
      fmt::print("{}", explain_query(words, catalogue, machine ? &machine->configuration : nullptr, limits));
    }
  });
}

}  // namespace heddle::cli
