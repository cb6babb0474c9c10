// SPDX-License-Identifier: Apache-2.0
// A comparison for the terminal: the verdicts, then one table per question.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "compare/comparison_verdict.h"
#include "compare/cycle_account.h"
#include "compare/text_table.h"
#include "core/names.h"

namespace heddle::compare {
namespace {

std::string percent(double part, double whole) {
  return whole == 0 ? std::string("-") : fmt::format("{:+.1f} %", 100 * part / whole);
}

/// Length of the common prefix of the values.
std::size_t common_start(const std::vector<std::string>& values) {
  std::size_t length = values[0].size();
  for (const std::string& value : values) {
    const auto end = value.begin() + static_cast<std::ptrdiff_t>(std::min(length, value.size()));
    length = static_cast<std::size_t>(std::mismatch(value.begin(), end, values[0].begin()).first - value.begin());
  }
  return length;
}

/// A value of a difference. Long values (digests, arguments) are cut to the text around the first difference.
std::string cell(const std::string& value, std::size_t common) {
  constexpr std::size_t kWidest = 32, kBefore = 8;
  if (value.empty()) return "-";
  if (value.size() <= kWidest) return value;
  const std::size_t start = common + kBefore <= kWidest ? 0 : std::min(common - kBefore, value.size() - kBefore);
  std::string text = (start == 0 ? "" : "...") + value.substr(start, kWidest);
  if (start + kWidest < value.size()) text += "...";
  return text;
}

/// For runs that do not differ in what ran.
std::string same_identity(const RunFacts& run) {
  std::string commit;
  for (const auto& [name, value] : run.identity) {
    if (name == "commit of Heddle") commit = value;
  }
  if (commit.empty()) return "\nProgram, arguments, PTX and version of Heddle are the same; its commit is not known.\n";
  std::string text = "\nProgram, arguments, PTX, version and commit of Heddle are the same";
  if (commit.ends_with("-modified")) text += ", but Heddle was built from changed sources, so its model may differ";
  return text + ".\n";
}

std::string difference_table(const char* title, const std::vector<Difference>& differences,
                             const std::vector<std::string>& labels) {
  TextTable table;
  std::vector<std::string> head = {""};
  head.insert(head.end(), labels.begin(), labels.end());
  table.row(std::move(head));
  for (const Difference& difference : differences) {
    std::vector<std::string> row = {difference.what};
    const std::size_t common = common_start(difference.values);
    for (const std::string& value : difference.values) row.push_back(cell(value, common));
    table.row(std::move(row));
  }
  return fmt::format("\n{}\n{}", title, table.text());
}

std::string totals_table(const Comparison& comparison) {
  TextTable table;
  std::vector<std::string> head = {""};
  head.insert(head.end(), comparison.labels.begin(), comparison.labels.end());
  head.emplace_back("unit");
  table.row(std::move(head));
  for (const TotalRow& total : comparison.totals) {
    std::vector<std::string> row = {total.name};
    for (const auto& value : total.values) row.push_back(total_text(total, value));
    row.push_back(total.unit);
    table.row(std::move(row));
    if (total.name != "cycles" && total.name != "simulated time") continue;
    std::vector<std::string> speed = {total.name == "cycles" ? "speed-up, by cycles" : "speed-up, by time"};
    for (const auto& value : total.values) {
      const bool known = value && total.values[0] && *value != 0;
      speed.push_back(known ? fmt::format("{:.3f}", *total.values[0] / *value) : "-");
    }
    table.row(std::move(speed));
  }
  return "\nTotals\n" + table.text();
}

/// Causes by size of change, the largest change in any run first.
std::vector<const CauseRow*> by_change(const Account& account, AccountUnit unit) {
  const auto change = [unit](const CauseRow& row) {
    std::int64_t largest = 0;
    for (std::size_t r = 1; r < row.cycles.by_run.size(); ++r)
      largest = std::max(largest, std::abs(row.in(unit).difference(r)));
    return largest;
  };
  std::vector<const CauseRow*> order;
  for (const CauseRow& row : account.causes) order.push_back(&row);
  std::stable_sort(order.begin(), order.end(),
                   [&](const CauseRow* a, const CauseRow* b) { return change(*a) > change(*b); });
  return order;
}

std::string account_table(const Comparison& comparison) {
  const Account& account = *comparison.account;
  const AccountUnit unit = comparison.unit;
  const bool in_time = unit == AccountUnit::slot_nanoseconds;
  const std::size_t runs = comparison.runs.size();
  TextTable table;
  std::vector<std::string> head = {in_time ? "nanoseconds by activity of all issue slots together"
                                           : "cycles by activity of the average issue slot"};
  head.insert(head.end(), comparison.labels.begin(), comparison.labels.end());
  for (std::size_t r = 1; r < runs; ++r) {
    head.push_back(runs == 2 ? "difference" : comparison.labels[r] + " -");
    head.emplace_back("of baseline");
  }
  table.row(std::move(head));
  const auto base = static_cast<double>(account.in(unit).by_run[0]);
  const auto add = [&](const std::string& name, const Amounts& amounts) {
    std::vector<std::string> row = {name};
    for (const std::uint64_t one : amounts.by_run) row.push_back(grouped(one));
    for (std::size_t r = 1; r < runs; ++r) {
      row.push_back(signed_count(amounts.difference(r)));
      row.push_back(percent(static_cast<double>(amounts.difference(r)), base));
    }
    table.row(std::move(row));
  };
  for (const CauseRow* cause : by_change(account, unit))
    add(fmt::format("{}: {}", cause->name, cause->sentence), cause->in(unit));
  add("all: sum of the causes", account.in(unit));
  if (!in_time) return "\nWhere the cycles went\n" + table.text();
  return "\nWhere the time of the issue slots went\n" + table.text() +
         "  The runs differ in issue slots or clock, so this counts the time of every slot (slot-ns): the sum is issue "
         "slots x time.\n";
}

/// By run: cycles, or nanoseconds where clocks or slots differ.
Amounts durations(const Account& account, const std::vector<RunFacts>& runs, AccountUnit unit) {
  Amounts amounts = account.cycles;
  for (std::size_t r = 0; unit == AccountUnit::slot_nanoseconds && r < runs.size(); ++r)
    amounts.by_run[r] = nanoseconds_of(amounts.by_run[r], runs[r].core_kilohertz);
  return amounts;
}

std::string kernel_table(const Comparison& comparison) {
  const std::size_t runs = comparison.runs.size();
  const AccountUnit unit = comparison.unit;
  const bool in_time = unit == AccountUnit::slot_nanoseconds;
  TextTable table;
  std::vector<std::string> head = {"kernel", "launches"};
  for (const std::string& label : comparison.labels) head.push_back(in_time ? label + ", ns" : label);
  for (std::size_t r = 1; r < runs; ++r) {
    head.push_back(runs == 2 ? "difference" : comparison.labels[r] + " -");
    head.emplace_back(in_time ? "mostly, slot-ns" : "mostly");
  }
  table.row(std::move(head));
  for (const KernelComparison& kernel : comparison.kernels) {
    const Amounts duration = durations(kernel.account, comparison.runs, unit);
    std::vector<std::string> row = {kernel_title(kernel.name), std::to_string(kernel.launches)};
    for (const std::uint64_t one : duration.by_run) row.push_back(grouped(one));
    for (std::size_t r = 1; r < runs; ++r) {
      row.push_back(signed_count(duration.difference(r)));
      const auto cause = main_cause(kernel.account, unit, r);
      const CauseRow* const most = cause ? &kernel.account.causes[*cause] : nullptr;
      row.push_back(most != nullptr ? fmt::format("{} {}", most->name, signed_count(most->in(unit).difference(r)))
                                    : "-");
    }
    table.row(std::move(row));
  }
  return "\nBy kernel\n" + table.text();
}

}  // namespace

std::string total_text(const TotalRow& row, const std::optional<double>& value) {
  if (!value) return "-";
  return row.whole ? grouped(static_cast<std::uint64_t>(*value)) : fmt::format("{:.4g}", *value);
}

std::string what_ran(const Comparison& comparison) {
  std::string text = "What ran\n";
  for (std::size_t r = 0; r < comparison.runs.size(); ++r) {
    const RunFacts& run = comparison.runs[r];
    std::string command;
    for (const auto& [name, value] : run.identity) {
      if (name == "program" || name == "arguments") command += (command.empty() ? "" : " ") + value;
    }
    text +=
        fmt::format("  {}: {} on {}, {}{}{}\n", comparison.labels[r], command, run.machine.empty() ? "-" : run.machine,
                    run.file, r == 0 && comparison.runs.size() > 1 ? " (baseline)" : "",
                    run.complete ? "" : fmt::format("; INCOMPLETE: {}", run.why_incomplete));
  }
  return text;
}

std::string comparison_text(const Comparison& comparison) {
  if (comparison.runs.size() == 1) return summary_text(comparison);
  std::string text;
  if (comparison.account) {
    for (std::size_t r = 1; r < comparison.runs.size(); ++r) text += verdict_text(comparison, r);
    if (comparison.runs.size() > 2) text += "\n" + verdict_table(comparison);
  } else {
    text = fmt::format("No verdict: {}.\n", comparison.no_account);
  }
  text += "\n";
  text += what_ran(comparison);
  text += comparison.identity.empty()
              ? same_identity(comparison.runs[0])
              : difference_table("What differs in what ran", comparison.identity, comparison.labels);
  text += comparison.configuration.empty()
              ? "\nThe configurations are the same.\n"
              : difference_table("What differs in configuration", comparison.configuration, comparison.labels);
  text += totals_table(comparison);
  if (comparison.account) {
    text += account_table(comparison);
  } else {
    text += fmt::format("\nNo account of cycles: {}.\n", comparison.no_account);
  }
  if (!comparison.kernels.empty()) text += kernel_table(comparison);
  if (!comparison.no_kernels.empty()) text += fmt::format("\nNo table of kernels: {}.\n", comparison.no_kernels);
  return text;
}

}  // namespace heddle::compare
