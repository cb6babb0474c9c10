// SPDX-License-Identifier: Apache-2.0
// Which run is faster, by how much, and what changed most; what limits a single one. Parts that both texts share.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compare/comparison.h"

namespace heddle::compare {

/// The cause that changed most in the direction of the whole; none if the whole did not change.
std::optional<std::size_t> main_cause(const Account& account, AccountUnit unit, std::size_t run);

/// One verdict per run. comparison: complete but for its verdicts, with an account.
std::vector<Verdict> verdicts_of(const Comparison& comparison);

/// The verdict on a run, as a line for the user.
std::string verdict_text(const Comparison& comparison, std::size_t run);

/// A row for each run: cycles, time, speed and what changed most. For more runs than two.
std::string verdict_table(const Comparison& comparison);

/// The text about a single run.
std::string summary_text(const Comparison& comparison);
/// The table of what ran, with its title.
std::string what_ran(const Comparison& comparison);
/// A total of one run; "-" where it has none.
std::string total_text(const TotalRow& row, const std::optional<double>& value);

/// "+1,234", "0"
std::string signed_count(std::int64_t value);
/// A count with thousands separators.
std::string grouped(std::uint64_t value);
/// "slot-ns" or "cycles"
const char* name_of(AccountUnit unit);

}  // namespace heddle::compare
