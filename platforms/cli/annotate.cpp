// SPDX-License-Identifier: Apache-2.0
// heddle annotate: statistics of every line and instruction of a run's kernels.
#include <fmt/core.h>

#include "cli/annotation.h"
#include "cli/commands.h"
#include "cli/locality_text.h"
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
  LocalityListing locality;
  bool ptx = false, source_only = false, of_locality = false;
  app.add_option("RUN", file, "folder of a run with --profile, --locality or --inspect, or its run.json").required();
  app.add_option("--kernel", request.kernels, "only kernels that match these patterns; default: all");
  app.add_option(
      "--hottest", request.hottest,
      "only this many lines, those with the most cycles waited; with --locality, loads with the most misses");
  const CommandLineOption by_ptx = app.add_flag("--ptx", ptx, "instructions in the order of the PTX file");
  const CommandLineOption by_source =
      app.add_flag("--source-only", source_only, "lines of the CUDA source without their instructions")
          .excludes(by_ptx);
  app.add_flag("--locality", of_locality,
               "which loads lost their locality in the L1 data caches, of a run with --locality or --inspect")
      .excludes(by_ptx)
      .excludes(by_source);
  return run_command(app, argc, argv, [&] {
    if (of_locality) {
      locality.kernels = request.kernels;
      if (request.hottest != 0) locality.loads = request.hottest;
      fmt::print("{}", run_locality_text(read_run(file), locality));
      return;
    }
    request.source = !ptx;
    request.instructions = !source_only;
    fmt::print("{}", annotate(read_run(file), request));
  });
}

}  // namespace heddle::cli
