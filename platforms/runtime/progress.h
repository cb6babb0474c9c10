// SPDX-License-Identifier: Apache-2.0
// Progress display during a long kernel, and the closing line of a run.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/statistics/statistics.h"
#include "gpu/device.h"

namespace heddle::runtime {

struct LaunchTotals;

/// Observes the machine during its lifetime. Shows nothing for the first two seconds. On a terminal: a line or, with
/// `live`, a view of the machine, refreshed every second. With a results folder: the same as a file there, for `heddle
/// top`.
class Progress {
 public:
  struct Setting {
    bool quiet = false;  ///< nothing on standard error
    bool live = false;
    std::filesystem::path folder;  ///< empty: no file
    std::string program, machine;
  };
  /// settle: updates statistics to the current cycle. statistics and request must outlive this object.
  Progress(const gpu::LaunchRequest& request, const Setting& setting, Statistics& statistics,
           std::function<void()> settle);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
};

/// "4 launches on Heddle small: 3871 cycles, 5.53 us simulated, 91000 thread-instructions, 41.9 ms, ..."
std::string closing_line(const LaunchTotals& totals, const std::string& machine);
/// "RTL and model agreed in every call, 1234 in all: packer 1234"; empty if no block ran in lockstep. Only for a run
/// that did not end at a difference.
std::string lockstep_line(Statistics& statistics);

}  // namespace heddle::runtime
