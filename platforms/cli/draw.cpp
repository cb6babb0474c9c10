// SPDX-License-Identifier: Apache-2.0
// heddle draw: the modules of a machine and their connections, as Graphviz source.
#include <fmt/core.h>

#include <string>

#include "cli/commands.h"
#include "cli/output_options.h"
#include "cli/run_command.h"
#include "common/command_line.h"
#include "common/machine_drawing.h"
#include "core/file.h"

namespace heddle::cli {

int draw(int argc, char** argv) {
  CommandLine app{
      "Draws a machine's modules and connections as Graphviz source, read from the elaborated model: solid edges are "
      "TLM-2.0 connections, dashed ones links between pipeline stages, dotted ones calls. Equal modules are one node. "
      "`heddle draw | dot -Tsvg > machine.svg` makes a picture."};
  MachineChoice choice;
  bool sm = false;
  std::string output = "-";
  OutputOptions files;
  app.add_option("--machine", choice.machine, "preset or file").show_default();
  app.add_option("--set", choice.settings, "path=value, as for a run; any number").no_extra_values();
  app.add_flag("--sm", sm, "the stages of SM 0 and what they are connected to, in place of the whole machine");
  app.add_option("-o,--output", output, "file; - for standard output").show_default();
  files.declare(app);
  return run_command(app, argc, argv, [&] {
    if (output != "-") files.check(output);
    const std::string text = machine_drawing(choice, sm ? DrawingScope::sm : DrawingScope::machine);
    if (output == "-") {
      fmt::print("{}", text);
      return;
    }
    write_file_atomically(output, text);
    files.say_written("draw", {{output, "drawing, as Graphviz source"}});
  });
}

}  // namespace heddle::cli
