// SPDX-License-Identifier: Apache-2.0
// heddle machines: the available presets with their descriptions.
#include <fmt/core.h>
#include <algorithm>

#include "cli/commands.h"
#include "cli/run_command.h"
#include "common/command_line.h"
#include "common/machine_description.h"
#include "gpu/machine_selection.h"

namespace heddle::cli {

int machines(int argc, char** argv) {
  CommandLine app{"Lists the available machines: the names that --machine accepts."};
  bool files = false;
  app.add_flag("--files", files, "also print the path of each description");
  return run_command(app, argc, argv, [&] {
    const auto presets = list_presets(preset_directories());
    std::size_t width = 0;
    for (const auto& preset : presets) width = std::max(width, preset.name.size());
    for (const auto& preset : presets) {
      fmt::print("{:<{}}  {}{}\n", preset.name, width, preset.description,
                 preset.name == gpu::kDefaultMachine ? " (default)" : "");
      if (files) fmt::print("{:<{}}  {}\n", "", width, preset.file.string());
    }
  });
}

}  // namespace heddle::cli
