// SPDX-License-Identifier: Apache-2.0
// Output at the end of a sweep: results.csv, report.html, and messages about failures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plan.h"
#include "sweep/results.h"

namespace heddle::sweep {

/// Writes results.csv and, if `heddle report` is available, report.html to the folder, and reports written, missing and
/// failed results on standard error. Returns the results read. Throws Error(kIo).
Results finish(const Plan& plan, const std::filesystem::path& folder, bool quiet);

/// Readable list of the first `most` failures: folder, reason, last lines of standard error.
std::string failure_list(const Plan& plan, const std::filesystem::path& folder,
                         const std::vector<std::pair<std::size_t, std::string>>& failed, std::size_t most);

}  // namespace heddle::sweep
