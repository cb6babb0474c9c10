// SPDX-License-Identifier: Apache-2.0
// What several runs have in common and what not. The first run is the baseline. Text and JSON of it are written apart.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/run_facts.h"

namespace heddle::compare {

/// Something that is not the same in all runs: a value each, in the order of the runs; empty where a run has none.
struct Difference {
  std::string what;
  std::vector<std::string> values;
};

/// A total of every run.
struct TotalRow {
  std::string name, unit, sentence;
  bool whole = false;
  std::vector<std::optional<double>> values;
};

/// Cycles that are charged to one cause, by run.
struct CauseRow {
  std::string name, sentence;
  std::vector<std::uint64_t> cycles;
  /// Of run `run` against the baseline.
  std::int64_t difference(std::size_t run) const { return static_cast<std::int64_t>(cycles[run] - cycles[0]); }
};

/// Cycles of an interval and what they were spent on; in every run the causes add up to the cycles.
struct Account {
  std::vector<std::uint64_t> cycles;  ///< by run
  std::vector<CauseRow> causes;       ///< in declared order; causes that no run has are left out
};

/// All launches of one kernel together.
struct KernelComparison {
  std::string name;  ///< mangled
  std::uint64_t launches = 0;
  Account account;
};

struct Comparison {
  std::vector<RunFacts> runs;
  std::vector<std::string> labels;  ///< short names of the runs, all different
  std::vector<Difference> identity, configuration;
  std::vector<TotalRow> totals;
  std::optional<Account> account;         ///< absent: `no_account` says why
  std::vector<KernelComparison> kernels;  ///< in order of first launch; empty: `no_kernels` says why
  std::string no_account, no_kernels;
};

/// runs: two or more. aliases: shorthands of parameter paths, as core/parameter_paths.h has them.
Comparison compare_runs(std::vector<RunFacts> runs, const std::map<std::string, std::string>& aliases);

/// What a user reads. One text, lines ended.
std::string comparison_text(const Comparison& comparison);
/// The same for programs; docs/statistics.md lists its members.
std::string comparison_json(const Comparison& comparison);

}  // namespace heddle::compare
