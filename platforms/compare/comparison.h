// SPDX-License-Identifier: Apache-2.0
// Comparison of several runs, of which the first is the baseline. Text and JSON output are separate.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/run_facts.h"

namespace heddle::compare {

/// A property that differs between runs: one value per run, in order; empty where a run has none.
struct Difference {
  std::string what;
  std::vector<std::string> values;
};

/// A total, per run.
struct TotalRow {
  std::string name, unit, sentence;
  bool whole = false;
  std::vector<std::optional<double>> values;
};

/// Cycles charged to one cause, per run.
struct CauseRow {
  std::string name, sentence;
  std::vector<std::uint64_t> cycles;
  /// Difference of run `run` from the baseline.
  std::int64_t difference(std::size_t run) const { return static_cast<std::int64_t>(cycles[run] - cycles[0]); }
};

/// Cycles of an interval by cause; in every run the causes add up to the cycles.
struct Account {
  std::vector<std::uint64_t> cycles;  ///< by run
  std::vector<CauseRow> causes;       ///< in declaration order; causes absent from all runs are omitted
};

/// Sum over all launches of one kernel.
struct KernelComparison {
  std::string name;  ///< mangled
  std::uint64_t launches = 0;
  Account account;
};

struct Comparison {
  std::vector<RunFacts> runs;
  std::vector<std::string> labels;  ///< unique short names of the runs
  std::vector<Difference> identity, configuration;
  std::vector<TotalRow> totals;
  std::optional<Account> account;         ///< absent: `no_account` gives the reason
  std::vector<KernelComparison> kernels;  ///< in order of first launch; empty: `no_kernels` gives the reason
  std::string no_account, no_kernels;
};

/// runs: two or more. aliases: shorthands of parameter paths as in core/config/parameter_paths.h.
Comparison compare_runs(std::vector<RunFacts> runs, const std::map<std::string, std::string>& aliases);

/// The comparison as text for the user, ending with a line feed.
std::string comparison_text(const Comparison& comparison);
/// The comparison as JSON; docs/statistics.md lists its members.
std::string comparison_json(const Comparison& comparison);

}  // namespace heddle::compare
