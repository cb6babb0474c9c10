// SPDX-License-Identifier: Apache-2.0
#include "compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "compare/comparison_verdict.h"
#include "compare/cycle_account.h"
#include "core/config/parameter_paths.h"

namespace heddle::compare {
namespace {

bool all_equal(const std::vector<std::string>& values) {
  return std::all_of(values.begin(), values.end(), [&](const std::string& value) { return value == values[0]; });
}

bool all_different(const std::vector<std::string>& values) {
  return std::set<std::string>(values.begin(), values.end()).size() == values.size() &&
         std::find(values.begin(), values.end(), "") == values.end();
}

/// The machine names if they distinguish the runs, else the folders, else the files. A single run is called by its
/// folder, as most runs of a comparison are.
std::vector<std::string> labels_of(const std::vector<RunFacts>& runs) {
  std::vector<std::string> machines, folders, files;
  for (const RunFacts& run : runs) {
    machines.push_back(run.machine);
    std::filesystem::path file(run.file);
    if (file.filename() != "run.json" && file.extension() != ".json") file /= "run.json";  // a folder of results
    folders.push_back(file.lexically_normal().parent_path().filename().string());
    files.push_back(file.filename().string());
  }
  if (runs.size() == 1) std::swap(machines, folders);
  for (const auto* names : {&machines, &folders, &files}) {
    if (all_different(*names)) return *names;
  }
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < runs.size(); ++i) numbers.push_back(fmt::format("run {}", i + 1));
  return numbers;
}

/// Names in order of first occurrence.
template <typename Names>
void add_in_order(const Names& names, std::vector<std::string>& order) {
  for (const std::string& name : names) {
    if (std::find(order.begin(), order.end(), name) == order.end()) order.push_back(name);
  }
}

std::vector<Difference> identity_differences(const std::vector<RunFacts>& runs) {
  std::vector<std::string> order;
  for (const RunFacts& run : runs) {
    for (const auto& [name, value] : run.identity) add_in_order(std::vector{name}, order);
  }
  std::vector<Difference> differences;
  for (const std::string& name : order) {
    Difference difference{name, {}};
    for (const RunFacts& run : runs) {
      const auto found = std::find_if(run.identity.begin(), run.identity.end(),
                                      [&](const auto& entry) { return entry.first == name; });
      difference.values.push_back(found == run.identity.end() ? "" : found->second);
    }
    if (!all_equal(difference.values)) differences.push_back(std::move(difference));
  }
  return differences;
}

std::vector<Difference> configuration_differences(const std::vector<RunFacts>& runs,
                                                  const std::map<std::string, std::string>& aliases) {
  std::set<std::string> paths;
  for (const RunFacts& run : runs) {
    for (const auto& [path, value] : run.configuration) paths.insert(path);
  }
  // With several SM classes, the shorthand refers to a value in each.
  std::map<std::string, unsigned> meant;
  for (const std::string& path : paths) ++meant[detail::shorten_path(aliases, path)];
  std::vector<Difference> differences;
  for (const std::string& path : paths) {
    const std::string shorthand = detail::shorten_path(aliases, path);
    Difference difference{meant[shorthand] == 1 ? shorthand : path, {}};
    for (const RunFacts& run : runs) {
      const auto found = run.configuration.find(path);
      difference.values.push_back(found == run.configuration.end() ? "" : found->second);
    }
    if (!all_equal(difference.values)) differences.push_back(std::move(difference));
  }
  return differences;
}

std::vector<TotalRow> totals_of(const std::vector<RunFacts>& runs) {
  std::vector<TotalRow> rows;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const Quantity& quantity : runs[r].totals) {
      auto row = std::find_if(rows.begin(), rows.end(), [&](const TotalRow& one) { return one.name == quantity.name; });
      if (row == rows.end()) {
        row = rows.insert(rows.end(), {quantity.name, quantity.unit, quantity.sentence, quantity.whole, {}});
        row->values.resize(runs.size());
      }
      row->values[r] = quantity.value;
    }
  }
  return rows;
}

/// Causes of all runs, in declaration order.
std::vector<Cause> causes_of(const std::vector<RunFacts>& runs) {
  std::vector<Cause> causes;
  for (const RunFacts& run : runs) {
    for (const Cause& cause : run.causes) {
      const bool known =
          std::any_of(causes.begin(), causes.end(), [&](const Cause& one) { return one.name == cause.name; });
      if (!known) causes.push_back(cause);
    }
  }
  return causes;
}

Account account_of(const std::vector<Cause>& causes, const std::vector<RunFacts>& runs,
                   const std::vector<std::uint64_t>& cycles, const std::vector<SlotCharges>& slots) {
  Account account{{cycles}, {}, {}};
  for (const Cause& cause : causes) account.causes.push_back({cause.name, cause.sentence, {}, {}});
  for (std::size_t r = 0; r < runs.size(); ++r) {
    std::vector<std::uint64_t> charges;
    for (const Cause& cause : causes) {
      const auto found = slots[r].find(cause.name);
      charges.push_back(found == slots[r].end() ? 0 : found->second);
    }
    const std::uint64_t clock = runs[r].core_kilohertz;
    const std::uint64_t nanoseconds = clock == 0 ? 0 : nanoseconds_of(sum_of(slots[r]), clock);
    account.slot_nanoseconds.by_run.push_back(nanoseconds);
    const std::vector<std::uint64_t> of_cycles = share(cycles[r], charges), of_time = share(nanoseconds, charges);
    for (std::size_t c = 0; c < causes.size(); ++c) {
      account.causes[c].cycles.by_run.push_back(of_cycles[c]);
      account.causes[c].slot_nanoseconds.by_run.push_back(of_time[c]);
    }
  }
  const auto none = [](const Amounts& amounts) {
    return std::all_of(amounts.by_run.begin(), amounts.by_run.end(), [](std::uint64_t one) { return one == 0; });
  };
  std::erase_if(account.causes, [&](const CauseRow& row) { return none(row.cycles) && none(row.slot_nanoseconds); });
  return account;
}

/// Slot-cycles are comparable only between machines with as many slots and one clock; without clocks nothing better is
/// known.
AccountUnit unit_of(const std::vector<RunFacts>& runs) {
  bool same = true, known = true;
  for (const RunFacts& run : runs) {
    using Wide = unsigned __int128;
    const bool as_many =
        Wide{sum_of(run.slots)} * runs[0].cycles == Wide{sum_of(runs[0].slots)} * run.cycles;  // slots a cycle
    same = same && as_many && run.core_kilohertz == runs[0].core_kilohertz;
    known = known && run.core_kilohertz != 0;
  }
  return same || !known ? AccountUnit::cycles : AccountUnit::slot_nanoseconds;
}

/// Why the cycles of the runs cannot be compared; empty when they can.
std::string why_no_account(const std::vector<RunFacts>& runs) {
  for (const RunFacts& run : runs) {
    if (!run.timed)
      return fmt::format("{} has no timed launch: there are no cycles{}", run.file,
                         runs.size() > 1 ? " to compare" : "");
    if (sum_of(run.slots) == 0) return fmt::format("{} has no account of issue slots", run.file);
  }
  return {};
}

std::string why_no_kernels(const std::vector<RunFacts>& runs) {
  for (const RunFacts& run : runs) {
    if (run.kernels.size() != runs[0].kernels.size())
      return fmt::format("{} has {} launches, {} has {}: kernels are not compared", runs[0].file,
                         runs[0].kernels.size(), run.file, run.kernels.size());
    for (std::size_t i = 0; i < run.kernels.size(); ++i) {
      if (run.kernels[i].launch != runs[0].kernels[i].launch || run.kernels[i].timed != runs[0].kernels[i].timed)
        return fmt::format("launch {} is not the same in {} and {}: kernels are not compared", i + 1, runs[0].file,
                           run.file);
    }
  }
  return {};
}

std::vector<KernelComparison> kernels_of(const std::vector<RunFacts>& runs, const std::vector<Cause>& causes) {
  std::vector<std::string> order;
  for (const KernelFacts& kernel : runs[0].kernels) {
    if (kernel.timed) add_in_order(std::vector{kernel.name}, order);
  }
  std::vector<KernelComparison> kernels;
  for (const std::string& name : order) {
    KernelComparison kernel{name, 0, {}};
    std::vector<std::uint64_t> cycles(runs.size(), 0);
    std::vector<SlotCharges> slots(runs.size());
    for (std::size_t r = 0; r < runs.size(); ++r) {
      for (const KernelFacts& launch : runs[r].kernels) {
        if (launch.name != name || !launch.timed) continue;
        kernel.launches += r == 0 ? 1 : 0;
        cycles[r] += launch.cycles;
        for (const auto& [cause, count] : launch.slots) slots[r][cause] += count;
      }
    }
    kernel.account = account_of(causes, runs, cycles, slots);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace

Comparison compare_runs(std::vector<RunFacts> runs, const std::map<std::string, std::string>& aliases) {
  Comparison comparison;
  comparison.labels = labels_of(runs);
  comparison.identity = identity_differences(runs);
  comparison.configuration = configuration_differences(runs, aliases);
  comparison.totals = totals_of(runs);
  comparison.no_account = why_no_account(runs);
  if (comparison.no_account.empty()) {
    const std::vector<Cause> causes = causes_of(runs);
    std::vector<std::uint64_t> cycles;
    std::vector<SlotCharges> slots;
    for (const RunFacts& run : runs) {
      cycles.push_back(run.cycles);
      slots.push_back(run.slots);
    }
    comparison.account = account_of(causes, runs, cycles, slots);
    comparison.unit = unit_of(runs);
    comparison.no_kernels = why_no_kernels(runs);
    if (comparison.no_kernels.empty()) comparison.kernels = kernels_of(runs, causes);
  }
  comparison.runs = std::move(runs);
  if (comparison.account) comparison.verdicts = verdicts_of(comparison);
  return comparison;
}

}  // namespace heddle::compare
