// SPDX-License-Identifier: Apache-2.0
// heddle config: a machine with every value resolved, or the difference between two. heddle schema: the JSON Schema.
#include <fmt/core.h>
#include <map>
#include <set>
#include <string>

#include "cli/commands.h"
#include "cli/run_command.h"
#include "common/command_line.h"
#include "common/machine_description.h"

namespace heddle::cli {
namespace {

void print_differences(const Configuration& a, const Configuration& b) {
  const auto of_a = a.values(), of_b = b.values();
  std::set<std::string> paths;
  for (const auto& [path, value] : of_a) paths.insert(path);
  for (const auto& [path, value] : of_b) paths.insert(path);
  fmt::print("{:<44} {:<24} {}\n", "", a.name(), b.name());
  const auto text = [](const std::map<std::string, std::string>& values, const std::string& path) {
    const auto found = values.find(path);
    return found == values.end() ? std::string("-") : found->second;
  };
  for (const auto& path : paths) {
    const std::string left = text(of_a, path), right = text(of_b, path);
    if (left != right) fmt::print("{:<44} {:<24} {}\n", short_path(path), left, right);
  }
}

}  // namespace

int config(int argc, char** argv) {
  CommandLine app{"Prints a machine with every value resolved; the output is a machine description itself."};
  MachineChoice choice;
  std::string against;
  app.add_option("--machine", choice.machine, "preset or file").show_default();
  app.add_option("--set", choice.settings, "path=value, in order; any number").no_extra_values();
  app.add_option("--plugin", choice.plugins, "shared library with mechanisms of your own; any number")
      .no_extra_values();
  app.add_option("--against", against, "print instead what differs from this machine");
  return run_command(app, argc, argv, [&] {
    const auto machine = load_machine(choice);
    if (against.empty()) {
      fmt::print("{}", machine->configuration.resolved());
    } else {
      print_differences(load_machine({against, {}})->configuration, machine->configuration);
    }
  });
}

int schema(int argc, char** argv) {
  CommandLine app{"Prints the JSON Schema of machine descriptions, for editors."};
  return run_command(app, argc, argv, [&] { fmt::print("{}", machine_schema()); });
}

}  // namespace heddle::cli
