// SPDX-License-Identifier: Apache-2.0
// The results of a study in one table, and which of its runs a report shows.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plan.h"
#include "sweep/run_folder.h"

namespace heddle::sweep {

/// A row of the table: a point of the study.
struct ResultRow {
  RunStatus status;
  std::vector<std::string> statistics;  ///< of Study::collect, in order; empty where the run has none
};

struct Results {
  std::vector<ResultRow> rows;     ///< by point
  std::vector<std::string> notes;  ///< columns that no run has, with the nearest name
  std::size_t finished = 0, limit = 0, failed = 0, missing = 0;
};

/// Reads what is there. A run.json that cannot be read makes its run a missing one, with a note.
Results read_results(const Plan& plan, const std::filesystem::path& folder);

/// key, program, machine, every parameter, status, exit_status, wall_seconds, peak_memory_mib, then the statistics.
std::string results_csv(const Plan& plan, const Results& results);

/// The points that a report shows: those with results that `report.where` matches; of more than `report.runs`, the ones
/// with fewest and most of the first statistic, in turn and program by program. In the order of the plan, each run
/// once.
std::vector<std::size_t> chosen_for_report(const Plan& plan, const Results& results);

}  // namespace heddle::sweep
