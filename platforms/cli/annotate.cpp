// SPDX-License-Identifier: Apache-2.0
// heddle annotate: statistics of every line and instruction of a run's kernels.
#include <fmt/core.h>

#include "cli/annotation.h"
#include "cli/commands.h"
#include "cli/run_command.h"
#include "common/command_line.h"
#include "core/statistics/run_json.h"

namespace heddle::cli {

int annotate(int argc, char** argv) {
  CommandLine app{
      "Lists the kernels of a run with statistics of every source line and PTX instruction: issues, threads, lanes, "
      "cycles "
      "that warps waited to issue it, requests, hits."};
  std::string file;
  AnnotationRequest request;
  bool ptx = false, source_only = false;
  app.add_option("RUN", file, "folder of a run with --profile or --inspect, or its run.json").required();
  app.add_option("--kernel", request.kernels, "only kernels that match these patterns; default: all");
  app.add_option("--hottest", request.hottest, "only this many lines, those with the most cycles waited");
  const CommandLineOption by_ptx = app.add_flag("--ptx", ptx, "instructions in the order of the PTX file");
  app.add_flag("--source-only", source_only, "lines of the CUDA source without their instructions").excludes(by_ptx);
  return run_command(app, argc, argv, [&] {
    request.source = !ptx;
    request.instructions = !source_only;
    fmt::print("{}", annotate(read_run(file), request));
  });
}

}  // namespace heddle::cli
