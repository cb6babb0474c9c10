// SPDX-License-Identifier: Apache-2.0
// Writes the results folder of a run.
#pragma once

#include <string>
#include <vector>

#include "core/output_files.h"

namespace heddle::runtime {

class Device;
class ModuleTable;

struct RunResults {
  int status = 0;                    ///< of the process: 0, or that of an inconsistent account or unwritten file
  std::vector<WrittenFile> files{};  ///< the results, then the recordings
  bool written = false;              ///< the results folder has run.json
};

/// Completes the recordings and writes run.json and run.csv to Options::output, if set. why_incomplete: what stopped
/// the run; empty if it completed. Files are written completely or not at all, and failures are reported.
RunResults write_results(Device& device, const ModuleTable& modules, std::string why_incomplete);

}  // namespace heddle::runtime
