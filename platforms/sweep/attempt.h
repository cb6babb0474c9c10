// SPDX-License-Identifier: Apache-2.0
// From a prepared run to a process, and from a process's end to a status.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plan.h"
#include "sweep/run_folder.h"
#include "sweep/run_process.h"

namespace heddle::sweep {

/// Empties the run's folder, writes machine.json and point.json, and says what to start. Under the folder's lock.
/// lock: its descriptor, which the run inherits, so that the folder is taken as long as the run is there.
ProcessRequest begin_attempt(const Plan& plan, std::size_t point, const PreparedRun& run, const RunFolder& folder,
                             int lock);

/// What the end of a run means. options: of `heddle run`; no_results: why run.json is no result; empty: it is one.
RunStatus judge(const ProcessEnd& end, const std::vector<std::string>& options, const std::string& no_results,
                double minutes);

/// `text` with every "{folder}" replaced.
std::string with_folder(std::string text, const std::filesystem::path& folder);

}  // namespace heddle::sweep
