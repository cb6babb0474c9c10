// SPDX-License-Identifier: Apache-2.0
// Options that the subcommands share which run something on a machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/recording.h"

namespace CLI {
class App;
}

namespace heddle::cli {

/// Which machine, and where results go.
struct MachineOptions {
  std::string machine, output;
  std::vector<std::string> settings;

  void declare(CLI::App& app);
};

/// What is recorded. Empty and 0: not given.
struct RecordingOptions {
  std::string vcd, signals, window, series, command_trace;
  std::uint64_t vcd_bytes = 0, series_every = 0;

  void declare(CLI::App& app);
  /// With the defaults of what is not given.
  gpu::RecordingRequest request() const;
};

}  // namespace heddle::cli
