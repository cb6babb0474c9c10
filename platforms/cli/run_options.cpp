// SPDX-License-Identifier: Apache-2.0
#include "cli/run_options.h"

namespace heddle::cli {

CommandLineOption MachineOptions::declare(CommandLine& app) {
  app.add_option("-m,--machine", machine, "machine to run on: a preset's name or a JSON file");
  app.add_option("--set", settings, "override of the machine description, path=value; may be repeated").repeated();
  app.add_option("--plugin", plugins, "shared library with mechanisms of your own; may be repeated").repeated();
  return app.add_option("-o,--output", output, "folder for run.json and the other results");
}

std::vector<CommandLineOption> RecordingOptions::declare(CommandLine& app, OptionRules& rules, bool of_instructions,
                                                         CommandLineOption output) {
  using Needs = std::vector<OptionRules::Need>;
  std::vector<CommandLineOption> recordings;
  // Only programs read variables.
  const auto recording = [&](CommandLineOption option, const char* variable) {
    recordings.push_back(option);
    return OptionRules::Need{option, of_instructions ? variable : nullptr};
  };
  const OptionRules::Need folder{output, of_instructions ? "HEDDLE_OUTPUT" : nullptr};
  const auto waveform =
      recording(app.add_option("--vcd", vcd,
                               "write a waveform to this file (.vcd, .vcd.gz, .fst), and a GTKWave view next to it"),
                "HEDDLE_VCD");
  rules.needs(app.add_option("--signals", signals, "signals of the waveform, as in 'sm0.*,mc*.bank*'; default: all"),
              {waveform});
  Needs files{waveform}, in_window{waveform};
  if (of_instructions) {
    const auto log = recording(
        app.add_option("--pipeline", pipeline, "write a pipeline log for Konata to this file (.kanata, .gz, .zst)"),
        "HEDDLE_PIPELINE");
    rules.needs(
        app.add_option("--pipeline-lines", pipeline_lines, "unit of its lines: instructions (the default) or packets")
            .one_of({"instructions", "packets"}),
        {log});
    const auto slices =
        recording(app.add_option("--timeline", timeline,
                                 "write a timeline for Perfetto or Chrome to this file (.json, .gz, .zst)"),
                  "HEDDLE_TIMELINE");
    rules.needs(
        app.add_option("--timeline-every", timeline_every, "core cycles between samples of its counters; default: 100")
            .positive(),
        {slices});
    const auto counts =
        recording(app.add_flag("--profile", profile, "record per-instruction counts in run.json, for heddle annotate"),
                  "HEDDLE_PROFILE");
    const auto residency = recording(
        app.add_flag("--spans", spans, "record the residency of blocks and warps in run.json"), "HEDDLE_SPANS");
    const auto reuse = recording(app.add_flag("--locality", locality,
                                              "record in run.json which loads lose their locality in the L1 data "
                                              "caches, and what limits of warps would give"),
                                 "HEDDLE_LOCALITY");
    const auto accesses = recording(
        app.add_option("--l1-trace", l1_trace,
                       "write the accesses to the L1 data caches to this file, for heddle replay-l1 (.l1, .gz, .zst)"),
        "HEDDLE_L1_TRACE");
    const auto all = recording(
        app.add_flag("--inspect", inspect,
                     "record everything heddle report shows in run.json: --profile, --spans, --locality, a series"),
        "HEDDLE_INSPECT");
    for (const auto& one : {counts, residency, reuse, all}) rules.needs(one.option, {folder});
    files.insert(files.end(), {log, slices, reuse, accesses});
    in_window.insert(in_window.end(), {log, slices, counts, all});
    const Needs by_kernel{log, slices, counts, residency, reuse, accesses, all};
    Needs by_place = by_kernel;
    by_place.insert(by_place.begin(), waveform);
    rules.needs(app.add_option("--sms", sms, "SMs to trace, as in 0,2-3"), by_place);
    rules.needs(app.add_option("--warps", warps, "warps of each SM to trace, as in 0-7"),
                {waveform, log, slices, counts, residency, all});
    rules.needs(app.add_option("--kernels", kernels,
                               "kernels to trace, as in 'expand*'; for waveforms use --window kernel=NAME"),
                by_kernel);
  }
  rules.needs(app.add_option("--window", window,
                             "part of the run to trace: cycles (1000:2000), kernel=NAME, pc=KERNEL:NUMBER+CYCLES, "
                             "line=FILE:NUMBER+CYCLES, separated by commas; or last=CYCLES before an error"),
              in_window);
  rules.needs(
      app.add_option("--trace-bytes", trace_bytes,
                     "maximum uncompressed size of a waveform, pipeline log, timeline or L1 trace; default: 1 GiB")
          .positive(),
      files);
  const auto columns = recording(
      app.add_option("--series", series, "statistics to record over time, as in 'sm*.issue.warp_instructions'"),
      "HEDDLE_SERIES");
  rules.needs(columns.option, {folder});
  rules.needs(app.add_option("--series-every", series_every,
                             "core cycles between two rows of the time series; default: 1000; 0: grows with the run"),
              {columns});
  recording(app.add_option("--command-trace", command_trace, "write every DRAM command to this file, as CSV"), nullptr);
  return recordings;
}

gpu::RecordingRequest RecordingOptions::request() const {
  gpu::RecordingRequest request;
  request.vcd = vcd;
  request.windows = window;
  request.series = series;
  if (!signals.empty()) request.signals = signals;
  if (trace_bytes != 0) request.most_bytes = trace_bytes;
  if (series_every != kNotGiven) request.series_every = series_every;
  request.commands = command_trace;
  return request;
}

}  // namespace heddle::cli
