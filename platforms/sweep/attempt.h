// SPDX-License-Identifier: Apache-2.0
// Starts the process of a prepared run and derives a status from its end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plan.h"
#include "sweep/run_folder.h"
#include "sweep/run_process.h"

namespace heddle::sweep {

/// Empties the run's folder, writes machine.json and point.json, and returns the process to start. Requires the
/// folder's lock. lock: its descriptor, inherited by the run, so that the folder stays locked during the run.
ProcessRequest begin_attempt(const Plan& plan, std::size_t point, const PreparedRun& run, const RunFolder& folder,
                             int lock);

/// Derives the status from the end of a run. options: of `heddle run`; no_results: why run.json is invalid, or empty.
RunStatus judge(const ProcessEnd& end, const std::vector<std::string>& options, const std::string& no_results,
                double minutes);

/// `text` with every "{folder}" replaced.
std::string with_folder(std::string text, const std::filesystem::path& folder);

}  // namespace heddle::sweep
