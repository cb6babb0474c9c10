// SPDX-License-Identifier: Apache-2.0
// What is written when runs have ended: results.csv, report.html, and what is said about failures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plan.h"
#include "sweep/results.h"

namespace heddle::sweep {

/// Writes results.csv and, where `heddle report` exists, report.html into the folder; says what was written, what is
/// missing and what failed, on standard error. Returns what it read. Throws Error(kIo).
Results finish(const Plan& plan, const std::filesystem::path& folder, bool quiet);

/// The failures for a person: folder, reason, last lines of standard error; the first `most` of them.
std::string failure_list(const Plan& plan, const std::filesystem::path& folder,
                         const std::vector<std::pair<std::size_t, std::string>>& failed, std::size_t most);

}  // namespace heddle::sweep
