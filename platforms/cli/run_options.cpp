// SPDX-License-Identifier: Apache-2.0
#include "cli/run_options.h"

#include <CLI/CLI.hpp>

namespace heddle::cli {

void MachineOptions::declare(CLI::App& app) {
  app.add_option("-m,--machine", machine, "machine to run on: a preset's name or a JSON file");
  app.add_option("--set", settings, "override of the machine's description, path=value; may be repeated")
      ->allow_extra_args(false)
      ->take_all()
      ->expected(1);
  app.add_option("-o,--output", output, "folder for run.json and what else the run leaves");
}

void RecordingOptions::declare(CLI::App& app) {
  app.add_option("--vcd", vcd, "write a waveform to this file, and a GTKWave view beside it");
  app.add_option("--signals", signals, "signals of the waveform, as in 'sm0.*,mc*.bank*'; all when absent");
  app.add_option("--window", window, "core cycles of the waveform, as in 1000:2000; several with commas");
  app.add_option("--vcd-bytes", vcd_bytes, "size at which the waveform stops; 1 GiB when absent");
  app.add_option("--series", series, "statistics to record over time, as in 'sm*.issue.warp_instructions'");
  app.add_option("--series-every", series_every, "core cycles between two rows of the time series; 1000 when absent");
  app.add_option("--command-trace", command_trace, "write every command to DRAM to this file, as CSV");
}

gpu::RecordingRequest RecordingOptions::request() const {
  gpu::RecordingRequest request;
  request.vcd = vcd;
  request.windows = window;
  request.series = series;
  if (!signals.empty()) request.signals = signals;
  if (vcd_bytes != 0) request.vcd_bytes = vcd_bytes;
  if (series_every != 0) request.series_every = series_every;
  request.commands = command_trace;
  return request;
}

}  // namespace heddle::cli
