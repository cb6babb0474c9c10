// SPDX-License-Identifier: Apache-2.0
// A comparison for the terminal: one table per question, columns as wide as their contents.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compare/comparison.h"
#include "core/names.h"

namespace heddle::compare {
namespace {

/// Rows of cells: the first column left-aligned, the others right-aligned.
class Table {
 public:
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) {
      std::string line = "  ";
      for (std::size_t i = 0; i < row.size(); ++i)
        line += i == 0 ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// A count with thousands separators.
std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string signed_count(std::int64_t value) {
  if (value == 0) return "0";
  return (value < 0 ? "-" : "+") + grouped(static_cast<std::uint64_t>(value < 0 ? -value : value));
}

std::string percent(double part, double whole) {
  return whole == 0 ? std::string("-") : fmt::format("{:+.1f} %", 100 * part / whole);
}

std::string total_text(const TotalRow& row, const std::optional<double>& value) {
  if (!value) return "-";
  return row.whole ? grouped(static_cast<std::uint64_t>(*value)) : fmt::format("{:.4g}", *value);
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

const TotalRow* total(const Comparison& comparison, const char* name) {
  const auto found = std::find_if(comparison.totals.begin(), comparison.totals.end(),
                                  [&](const TotalRow& row) { return row.name == name; });
  return found == comparison.totals.end() ? nullptr : &*found;
}

/// The baseline's value divided by the run's; 0 if either is unknown.
double speed_up(const TotalRow* row, std::size_t run) {
  if (row == nullptr || !row->values[0] || !row->values[run] || *row->values[run] == 0) return 0;
  return *row->values[0] / *row->values[run];
}

/// Whether the run is faster than the baseline, by how much, and the cause of most of the difference.
std::string verdict(const Comparison& comparison, std::size_t run) {
  const Account& account = *comparison.account;
  const std::string &name = comparison.labels[run], &baseline = comparison.labels[0];
  const auto difference = static_cast<std::int64_t>(account.cycles[run] - account.cycles[0]);
  const double by_cycles = speed_up(total(comparison, "cycles"), run);
  std::string text;
  if (difference == 0) {
    text = fmt::format("{} takes as many cycles as {}: {}.", name, baseline, grouped(account.cycles[0]));
  } else {
    const double change = 100 * static_cast<double>(std::abs(difference)) / static_cast<double>(account.cycles[0]);
    text = fmt::format("{} takes {:.1f} % {} cycles than {} ({} instead of {}): {:.3f} times as fast.", name, change,
                       difference < 0 ? "fewer" : "more", baseline, grouped(account.cycles[run]),
                       grouped(account.cycles[0]), by_cycles);
    const auto size = [&](const CauseRow& row) { return difference < 0 ? -row.difference(run) : row.difference(run); };
    const auto cause =
        std::max_element(account.causes.begin(), account.causes.end(),
                         [&](const CauseRow& one, const CauseRow& other) { return size(one) < size(other); });
    text +=
        fmt::format(" Mostly {}, {} cycles: {}.", cause->name, signed_count(cause->difference(run)), cause->sentence);
  }
  const double by_time = speed_up(total(comparison, "simulated time"), run);
  if (by_time != 0 && std::abs(by_time / by_cycles - 1) > 0.001)
    text += fmt::format(" By time, it is {:.3f} times as fast.", by_time);
  const TotalRow* const slots = total(comparison, "issue slots a cycle");
  if (slots != nullptr && slots->values[run] && slots->values[0] && *slots->values[run] != *slots->values[0])
    text += fmt::format(" Machines of {:.4g} and {:.4g} issue slots: a cause counts cycles of the average slot.",
                        *slots->values[0], *slots->values[run]);
  return text + "\n";
}

std::string what_ran(const Comparison& comparison) {
  std::string text = "What ran\n";
  for (std::size_t r = 0; r < comparison.runs.size(); ++r) {
    const RunFacts& run = comparison.runs[r];
    std::string command;
    for (const auto& [name, value] : run.identity) {
      if (name == "program" || name == "arguments") command += (command.empty() ? "" : " ") + value;
    }
    text += fmt::format("  {}: {} on {}, {}{}{}\n", comparison.labels[r], command,
                        run.machine.empty() ? "-" : run.machine, run.file, r == 0 ? " (baseline)" : "",
                        run.complete ? "" : fmt::format("; INCOMPLETE: {}", run.why_incomplete));
  }
  return text;
}

std::string difference_table(const char* title, const std::vector<Difference>& differences,
                             const std::vector<std::string>& labels) {
  Table table;
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
  Table table;
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
std::vector<const CauseRow*> by_change(const Account& account) {
  const auto change = [](const CauseRow& row) {
    std::int64_t largest = 0;
    for (std::size_t r = 1; r < row.cycles.size(); ++r) largest = std::max(largest, std::abs(row.difference(r)));
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
  const std::size_t runs = comparison.runs.size();
  Table table;
  std::vector<std::string> head = {"cycles by activity of the average issue slot"};
  head.insert(head.end(), comparison.labels.begin(), comparison.labels.end());
  for (std::size_t r = 1; r < runs; ++r) {
    head.push_back(runs == 2 ? "difference" : comparison.labels[r] + " -");
    head.emplace_back("of baseline");
  }
  table.row(std::move(head));
  const auto base = static_cast<double>(account.cycles[0]);
  const auto add = [&](const std::string& name, const std::vector<std::uint64_t>& cycles) {
    std::vector<std::string> row = {name};
    for (const std::uint64_t one : cycles) row.push_back(grouped(one));
    for (std::size_t r = 1; r < runs; ++r) {
      const auto difference = static_cast<std::int64_t>(cycles[r] - cycles[0]);
      row.push_back(signed_count(difference));
      row.push_back(percent(static_cast<double>(difference), base));
    }
    table.row(std::move(row));
  };
  for (const CauseRow* cause : by_change(account))
    add(fmt::format("{}: {}", cause->name, cause->sentence), cause->cycles);
  add("all: sum of the causes", account.cycles);
  return "\nWhere the cycles went\n" + table.text();
}

std::string kernel_table(const Comparison& comparison) {
  const std::size_t runs = comparison.runs.size();
  Table table;
  std::vector<std::string> head = {"kernel", "launches"};
  head.insert(head.end(), comparison.labels.begin(), comparison.labels.end());
  for (std::size_t r = 1; r < runs; ++r) {
    head.push_back(runs == 2 ? "difference" : comparison.labels[r] + " -");
    head.emplace_back("mostly");
  }
  table.row(std::move(head));
  for (const KernelComparison& kernel : comparison.kernels) {
    std::vector<std::string> row = {source_name(kernel.name), std::to_string(kernel.launches)};
    for (const std::uint64_t cycles : kernel.account.cycles) row.push_back(grouped(cycles));
    for (std::size_t r = 1; r < runs; ++r) {
      row.push_back(signed_count(static_cast<std::int64_t>(kernel.account.cycles[r] - kernel.account.cycles[0])));
      const auto largest = std::max_element(
          kernel.account.causes.begin(), kernel.account.causes.end(),
          [&](const CauseRow& a, const CauseRow& b) { return std::abs(a.difference(r)) < std::abs(b.difference(r)); });
      const bool some = largest != kernel.account.causes.end() && largest->difference(r) != 0;
      row.push_back(some ? fmt::format("{} {}", largest->name, signed_count(largest->difference(r))) : "-");
    }
    table.row(std::move(row));
  }
  return "\nBy kernel\n" + table.text();
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  std::string text;
  if (comparison.account) {
    for (std::size_t r = 1; r < comparison.runs.size(); ++r) text += verdict(comparison, r);
    text += "\n";
  }
  text += what_ran(comparison);
  text += comparison.identity.empty()
              ? "\nProgram, arguments, PTX and version of Heddle are the same.\n"
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
