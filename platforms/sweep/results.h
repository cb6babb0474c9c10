// SPDX-License-Identifier: Apache-2.0
// The results of a study in one table, and the selection of runs for the report.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plan.h"
#include "sweep/run_folder.h"

namespace heddle::sweep {

/// A row of the table, for a point of the study.
struct ResultRow {
  RunStatus status;
  std::vector<std::string> statistics;  ///< of Study::collect, in order; empty where the run has none
};

struct Results {
  std::vector<ResultRow> rows;     ///< by point
  std::vector<std::string> notes;  ///< unknown columns, with the nearest name
  std::size_t finished = 0, limit = 0, failed = 0, missing = 0;
};

/// Reads the available results. An unreadable run.json counts its run as missing, with a note.
Results read_results(const Plan& plan, const std::filesystem::path& folder);

/// key, program, machine, every parameter, status, exit_status, wall_seconds, peak_memory_mib, then the statistics.
std::string results_csv(const Plan& plan, const Results& results);

/// The points shown in the report: those with results that match `report.where`. If there are more than `report.runs`,
/// takes those with the lowest and highest values of the first statistic, alternately and program by program. In plan
/// order, each run once.
std::vector<std::size_t> chosen_for_report(const Plan& plan, const Results& results);

}  // namespace heddle::sweep
