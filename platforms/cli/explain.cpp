// SPDX-License-Identifier: Apache-2.0
// heddle explain, heddle reference: descriptions of parameters, mechanisms and statistics.
#include <fmt/core.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cc/report.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/run_command.h"
#include "common/command_line.h"
#include "common/machine_description.h"
#include "common/machine_statistics.h"
#include "core/error.h"
#include "isa/ptx/support.h"
#include "runtime/options.h"

namespace heddle::cli {
namespace {

/// Parameter groups and statistics classes, each with its size.
std::string overview(const std::vector<ParameterEntry>& parameters, const std::vector<StatisticEntry>& statistics) {
  std::map<std::string, unsigned> groups, classes;
  for (const auto& entry : parameters) {
    const std::string path = short_path(entry.path);
    const auto dot = path.rfind('.');
    ++groups[dot == std::string::npos ? path : path.substr(0, dot)];
  }
  for (const auto& entry : statistics) ++classes[entry.class_name];
  std::string text = "Parameters (heddle explain GROUP lists one group)\n";
  for (const auto& [name, count] : groups) text += fmt::format("  {:<40} {}\n", name, count);
  text += "Statistics by class (heddle explain 'CLASS.*' lists one class)\n";
  for (const auto& [name, count] : classes) text += fmt::format("  {:<40} {}\n", name, count);
  return text;
}

/// The variables `heddle run` sets for a program; a program started directly reads them too.
std::string variable_page() {
  std::string text =
      "# Environment variables\n\nGenerated from the declarations in the code by `heddle reference variables`.\n\n"
      "| variable | meaning |\n|---|---|\n";
  for (const runtime::OptionVariable& variable : runtime::option_variables())
    text += fmt::format("| `{}` | {} |\n", variable.name, variable.sentence);
  return text;
}

/// The --help of every subcommand, which the subcommand prints itself.
void print_command_page() {
  fmt::print("# Command line\n\nWritten by `heddle reference commands`, which asks every subcommand for its help.\n");
  for (const Subcommand& subcommand : subcommands()) {
    fmt::print("\n## `heddle {}`\n\n```text\n", subcommand.name);
    std::string name(subcommand.name), help = "--help";
    char* arguments[] = {name.data(), help.data(), nullptr};
    if (subcommand.run(2, arguments) != 0) fail(ExitCode::internal, "heddle {} --help failed", subcommand.name);
    fmt::print("```\n");
  }
}

}  // namespace

int explain(int argc, char** argv) {
  CommandLine app{"Describes a parameter, mechanism or statistic: meaning, unit, legal values, default and source."};
  std::vector<std::string> words;
  MachineChoice choice;
  app.add_option("NAME", words,
                 "a parameter (sm.order), a group (sm.fetch), a mechanism (gto), a statistic or a pattern of them");
  app.add_option("--machine", choice.machine, "also show the value in this machine (preset or file)");
  app.add_option("--set", choice.settings, "path=value, as for a run; any number").no_extra_values();
  return run_command(app, argc, argv, [&] {
    const auto parameters = list_machine_parameters();
    const auto machine = choice.machine.empty() && choice.settings.empty() ? nullptr : load_machine(choice);
    const auto statistics = list_statistics(*machine_statistics(choice));
    if (words.empty()) fmt::print("{}", overview(parameters, statistics));
    for (const auto& word : words)
      fmt::print("{}", explain_word(word, parameters, statistics, machine ? &machine->configuration : nullptr));
  });
}

int reference(int argc, char** argv) {
  CommandLine app{"Writes the reference pages (Markdown) from the declarations in the code."};
  std::string what;
  app.add_option("PAGE", what, "parameters, statistics, variables, compiler, commands or ptx")
      .required()
      .one_of({"parameters", "statistics", "variables", "compiler", "commands", "ptx"});
  return run_command(app, argc, argv, [&] {
    if (what == "parameters") fmt::print("{}", parameter_pages(list_machine_parameters()));
    if (what == "statistics") fmt::print("{}", statistic_pages(list_statistics(*machine_statistics({}))));
    if (what == "variables") fmt::print("{}", variable_page());
    if (what == "compiler") fmt::print("{}", cc::option_page());
    if (what == "commands") print_command_page();
    if (what == "ptx") fmt::print("{}", isa::support_page());
  });
}

}  // namespace heddle::cli
