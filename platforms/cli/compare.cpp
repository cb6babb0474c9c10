// SPDX-License-Identifier: Apache-2.0
// heddle compare: what limits a run; differences between runs and the causes of the difference in cycles.
#include <fmt/core.h>
#include <string>
#include <vector>

#include "cli/annotation.h"
#include "cli/commands.h"
#include "cli/run_command.h"
#include "common/command_line.h"
#include "compare/comparison.h"
#include "core/statistics/run_json.h"
#include "gpu/machine_selection.h"

namespace heddle::cli {
namespace {

/// Source lines listed for a single run.
constexpr unsigned kLines = 8;

}  // namespace

int compare(int argc, char** argv) {
  CommandLine app{
      "Shows what limits a run: its cycles, what its issue slots did, its caches and its busiest lines. With several "
      "runs, "
      "shows how they differ: configuration, totals, and the causes of the difference in cycles."};
  std::vector<std::string> files;
  bool json = false;
  app.add_option("RUN", files, "folder of a run, or its run.json; with several, the first is the baseline")
      .required()
      .expected(1, -1);
  app.add_flag("--json", json, "write JSON");
  return run_command(app, argc, argv, [&] {
    std::vector<compare::RunFacts> runs;
    runs.reserve(files.size());
    for (const std::string& file : files) runs.push_back(compare::read_run_facts(file));
    const compare::Comparison comparison = compare::compare_runs(std::move(runs), gpu::parameter_aliases());
    fmt::print("{}", json ? compare::comparison_json(comparison) : compare::comparison_text(comparison));
    if (!json && files.size() == 1) fmt::print("{}", busiest_lines(read_run(files[0]), kLines));
  });
}

}  // namespace heddle::cli
