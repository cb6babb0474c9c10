// SPDX-License-Identifier: Apache-2.0
// heddle reference: the reference pages, from the declarations in the code.
#include <fmt/core.h>
#include <string>

#include "cc/report.h"
#include "cli/commands.h"
#include "cli/man_pages.h"
#include "cli/reference_pages.h"
#include "cli/run_command.h"
#include "common/command_line.h"
#include "common/machine_description.h"
#include "common/machine_statistics.h"
#include "core/error.h"
#include "isa/ptx/support.h"
#include "runtime/options.h"

namespace heddle::cli {
namespace {

/// The variables `heddle run` sets for a program; a program started directly reads them too.
std::string variable_page() {
  std::string text =
      "# Environment variables\n\nWritten from the declarations in the code by `heddle reference variables`.\n\n"
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

int reference(int argc, char** argv) {
  CommandLine app{
      "Writes the reference pages (Markdown) from the declarations in the code; or the manual pages, one of each "
      "command."};
  std::string what, folder;
  app.add_option("PAGE", what, "parameters, statistics, variables, compiler, commands, ptx or man")
      .required()
      .one_of({"parameters", "statistics", "variables", "compiler", "commands", "ptx", "man"});
  app.add_option("-o,--output", folder, "man: the folder of the pages");
  return run_command(app, argc, argv, [&] {
    if (what == "man" && folder.empty()) fail(ExitCode::usage, "man is several pages: name their folder with -o");
    if (what != "man" && !folder.empty()) fail(ExitCode::usage, "-o is for man; other pages go to standard output");
    if (what == "man") write_man_pages(folder);
    if (what == "parameters") fmt::print("{}", parameter_pages(list_machine_parameters()));
    if (what == "statistics") fmt::print("{}", statistic_pages(list_statistics(*machine_statistics({}))));
    if (what == "variables") fmt::print("{}", variable_page());
    if (what == "compiler") fmt::print("{}", cc::option_page());
    if (what == "commands") print_command_page();
    if (what == "ptx") fmt::print("{}", isa::support_page());
  });
}

}  // namespace heddle::cli
