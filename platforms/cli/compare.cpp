// SPDX-License-Identifier: Apache-2.0
// heddle compare: differences between runs and the causes of the difference in cycles.
#include <fmt/core.h>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/run_command.h"
#include "common/command_line.h"
#include "compare/comparison.h"
#include "gpu/machine_selection.h"

namespace heddle::cli {

int compare(int argc, char** argv) {
  CommandLine app{"Shows how runs differ: configuration, totals, and the causes of the difference in cycles."};
  std::vector<std::string> files;
  bool json = false;
  app.add_option("RUN", files, "run.json of two or more runs; the first is the baseline").required().expected(2, -1);
  app.add_flag("--json", json, "write JSON");
  return run_command(app, argc, argv, [&] {
    std::vector<compare::RunFacts> runs;
    runs.reserve(files.size());
    for (const std::string& file : files) runs.push_back(compare::read_run_facts(file));
    const compare::Comparison comparison = compare::compare_runs(std::move(runs), gpu::parameter_aliases());
    fmt::print("{}", json ? compare::comparison_json(comparison) : compare::comparison_text(comparison));
  });
}

}  // namespace heddle::cli
