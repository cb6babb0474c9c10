// SPDX-License-Identifier: Apache-2.0
// Options shared by the subcommands that run something on a machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "gpu/recording/recording_request.h"

namespace heddle::cli {

/// The machine and the results folder.
struct MachineOptions {
  std::string machine, output;
  std::vector<std::string> settings, plugins;

  void declare(CommandLine& app);
};

/// What to record. Empty or 0: not given.
struct RecordingOptions {
  std::string vcd, signals, window, sms, warps, kernels, pipeline, pipeline_lines, timeline, series, command_trace;
  std::uint64_t trace_bytes = 0, timeline_every = 0, series_every = 0;
  bool profile = false, spans = false, inspect = false;

  /// of_instructions: include options that need SMs.
  void declare(CommandLine& app, bool of_instructions);
  /// Fills in defaults for options not given.
  gpu::RecordingRequest request() const;
};

}  // namespace heddle::cli
