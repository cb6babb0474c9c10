// SPDX-License-Identifier: Apache-2.0
// What a run shows of itself while a long kernel runs, and its closing line.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/statistics.h"
#include "gpu/device.h"

namespace heddle::runtime {

struct LaunchTotals;

/// Listens to the machine while it lives. Shows nothing before two seconds. On a terminal: a line, or with `live` a
/// view of the machine, renewed every second. With a folder of results: the same as a file there, for `heddle top`.
class Progress {
 public:
  struct Setting {
    bool quiet = false;  ///< nothing on standard error
    bool live = false;
    std::filesystem::path folder;  ///< empty: no file
    std::string program, machine;
  };
  /// settle: brings statistics up to the present cycle. statistics and request outlive this.
  Progress(const gpu::LaunchRequest& request, const Setting& setting, Statistics& statistics,
           std::function<void()> settle);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
};

/// "4 launches on Heddle small: 3871 cycles, 5.53 us simulated, 91000 thread-instructions, 41.9 ms, ..."
std::string closing_line(const LaunchTotals& totals, const std::string& machine);

}  // namespace heddle::runtime
