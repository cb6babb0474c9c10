// SPDX-License-Identifier: Apache-2.0
#include "cli/run_options.h"

namespace heddle::cli {

void MachineOptions::declare(CommandLine& app) {
  app.add_option("-m,--machine", machine, "machine to run on: a preset's name or a JSON file");
  app.add_option("--set", settings, "override of the machine description, path=value; may be repeated").repeated();
  app.add_option("--plugin", plugins, "shared library with mechanisms of your own; may be repeated").repeated();
  app.add_option("-o,--output", output, "folder for run.json and the other results");
}

void RecordingOptions::declare(CommandLine& app, bool of_instructions) {
  app.add_option("--vcd", vcd, "write a waveform to this file (.vcd, .vcd.gz, .fst), and a GTKWave view next to it");
  app.add_option("--signals", signals, "signals of the waveform, as in 'sm0.*,mc*.bank*'; default: all");
  if (of_instructions) {
    app.add_option("--pipeline", pipeline, "write a pipeline log for Konata to this file (.kanata, .gz, .zst)");
    app.add_option("--pipeline-lines", pipeline_lines, "unit of its lines: instructions (the default) or packets")
        .one_of({"instructions", "packets"});
    app.add_option("--timeline", timeline, "write a timeline for Perfetto or Chrome to this file (.json, .gz, .zst)");
    app.add_option("--timeline-every", timeline_every, "core cycles between samples of its counters; default: 100");
    app.add_flag("--profile", profile, "record per-instruction counts in run.json, for heddle annotate");
    app.add_flag("--spans", spans, "record the residency of blocks and warps in run.json");
    app.add_flag("--inspect", inspect,
                 "record everything heddle report shows in run.json: --profile, --spans, a series");
    app.add_option("--sms", sms, "SMs to trace, as in 0,2-3");
    app.add_option("--warps", warps, "warps of each SM to trace, as in 0-7");
    app.add_option("--kernels", kernels, "kernels to trace, as in 'expand*'; for waveforms use --window kernel=NAME");
  }
  app.add_option("--window", window,
                 "part of the run to trace: cycles (1000:2000), kernel=NAME, pc=KERNEL:NUMBER+CYCLES, "
                 "line=FILE:NUMBER+CYCLES, separated by commas; or last=CYCLES before an error");
  app.add_option("--trace-bytes", trace_bytes,
                 "maximum uncompressed size of a waveform, pipeline log or timeline; default: 1 GiB");
  app.add_option("--series", series, "statistics to record over time, as in 'sm*.issue.warp_instructions'");
  app.add_option("--series-every", series_every, "core cycles between two rows of the time series; default: 1000");
  app.add_option("--command-trace", command_trace, "write every DRAM command to this file, as CSV");
}

gpu::RecordingRequest RecordingOptions::request() const {
  gpu::RecordingRequest request;
  request.vcd = vcd;
  request.windows = window;
  request.series = series;
  if (!signals.empty()) request.signals = signals;
  if (trace_bytes != 0) request.most_bytes = trace_bytes;
  if (series_every != 0) request.series_every = series_every;
  request.commands = command_trace;
  return request;
}

}  // namespace heddle::cli
