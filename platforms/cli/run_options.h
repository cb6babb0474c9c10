// SPDX-License-Identifier: Apache-2.0
// Options shared by the subcommands that run something on a machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "common/option_rules.h"
#include "gpu/recording/recording_request.h"

namespace heddle::cli {

/// The machine and the results folder.
struct MachineOptions {
  std::string machine, output;
  std::vector<std::string> settings, plugins;

  /// Returns the option of the folder.
  CommandLineOption declare(CommandLine& app);
};

/// What to record. Empty, 0 or kNotGiven: not given.
struct RecordingOptions {
  std::string vcd, signals, window, sms, warps, kernels, pipeline, pipeline_lines, timeline, l1_trace, series,
      command_trace;
  std::uint64_t trace_bytes = 0, timeline_every = 0, series_every = kNotGiven;
  static constexpr std::uint64_t kNotGiven = ~std::uint64_t{0};  ///< of series_every, of which 0 is a value
  bool profile = false, spans = false, locality = false, inspect = false;

  /// of_instructions: include options that need SMs. output: of the folder, where series, profile and spans go. Returns
  /// the options that ask for a recording.
  std::vector<CommandLineOption> declare(CommandLine& app, OptionRules& rules, bool of_instructions,
                                         CommandLineOption output);
  /// Fills in defaults for options not given.
  gpu::RecordingRequest request() const;
};

}  // namespace heddle::cli
