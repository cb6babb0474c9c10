// SPDX-License-Identifier: Apache-2.0
// Comparison of several runs, of which the first is the baseline, or a summary of one. Text and JSON output are
// separate.
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

/// What the issue slots of an interval are counted in.
enum class AccountUnit {
  cycles,            ///< of the average issue slot: all runs have as many slots, and one clock
  slot_nanoseconds,  ///< nanoseconds of all issue slots together
};

/// A quantity by run, the baseline first.
struct Amounts {
  std::vector<std::uint64_t> by_run;
  /// Difference of run `run` from the baseline.
  std::int64_t difference(std::size_t run) const { return static_cast<std::int64_t>(by_run[run] - by_run[0]); }
};

/// What was charged to one cause, per run, in both units.
struct CauseRow {
  std::string name, sentence;
  Amounts cycles, slot_nanoseconds;
  const Amounts& in(AccountUnit unit) const { return unit == AccountUnit::cycles ? cycles : slot_nanoseconds; }
};

/// Time of an interval by cause: in every run and unit the causes add up to the whole.
struct Account {
  Amounts cycles;                ///< of the core clock
  Amounts slot_nanoseconds;      ///< 0 where a run does not give its clock
  std::vector<CauseRow> causes;  ///< in declaration order; causes absent from all runs are omitted
  const Amounts& in(AccountUnit unit) const { return unit == AccountUnit::cycles ? cycles : slot_nanoseconds; }
};

/// How a run compares with the baseline.
struct Verdict {
  double speed_up = 0;         ///< the baseline's time divided by the run's
  double slots_ratio = 1;      ///< its issue slots divided by the baseline's
  double slot_time_ratio = 1;  ///< the time of all its issue slots divided by the baseline's
  /// The change of the account, and the cause that changed most in that direction; none: nothing changed.
  std::int64_t difference = 0;
  std::optional<std::size_t> cause;   ///< index into Account::causes
  std::vector<std::string> cautions;  ///< why the comparison may mislead
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
  std::optional<Account> account;          ///< absent: `no_account` gives the reason
  AccountUnit unit = AccountUnit::cycles;  ///< in which causes are comparable between these runs
  std::vector<Verdict> verdicts;           ///< by run, of the baseline too; empty without an account
  std::vector<KernelComparison> kernels;   ///< in order of first launch; empty: `no_kernels` gives the reason
  std::string no_account, no_kernels;
};

/// runs: one or more. aliases: shorthands of parameter paths as in core/config/parameter_paths.h.
Comparison compare_runs(std::vector<RunFacts> runs, const std::map<std::string, std::string>& aliases);

/// The comparison as text for the user, ending with a line feed. Of a single run: what limits it.
std::string comparison_text(const Comparison& comparison);
/// The comparison as JSON; docs/statistics.md lists its members.
std::string comparison_json(const Comparison& comparison);

}  // namespace heddle::compare
