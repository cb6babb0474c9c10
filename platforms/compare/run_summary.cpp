// SPDX-License-Identifier: Apache-2.0
// One run alone, for the terminal: what limits it, and the tables that the verdict is drawn from.
#include <fmt/format.h>

#include <algorithm>

#include "compare/comparison.h"
#include "compare/comparison_verdict.h"
#include "compare/text_table.h"
#include "core/names.h"

namespace heddle::compare {
namespace {

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::string("-")
                    : fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::uint64_t slots_of(const RunFacts& run, const std::string& cause) {
  const auto found = run.slots.find(cause);
  return found == run.slots.end() ? 0 : found->second;
}

/// The causes of the account that were charged, the largest first.
std::vector<const Cause*> by_share(const RunFacts& run) {
  std::vector<const Cause*> order;
  for (const Cause& cause : run.causes) {
    if (slots_of(run, cause.name) != 0) order.push_back(&cause);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](const Cause* a, const Cause* b) { return slots_of(run, a->name) > slots_of(run, b->name); });
  return order;
}

/// "... takes 1,000 cycles. What limits it is mostly 'memory', 61.3 % of its issue slots: the next instructions waited
/// for data from memory. An instruction issued in 12.0 %."
std::string limit_text(const Comparison& comparison) {
  const RunFacts& run = comparison.runs[0];
  const std::uint64_t all = sum_of(run.slots);
  const std::vector<const Cause*> causes = by_share(run);
  std::uint64_t issued = 0;
  for (const Cause* cause : causes) issued += cause->issues ? slots_of(run, cause->name) : 0;
  const auto idle = std::find_if(causes.begin(), causes.end(), [](const Cause* cause) { return !cause->issues; });
  const std::uint64_t most = idle == causes.end() ? 0 : slots_of(run, (*idle)->name);
  const auto mostly = [&](std::uint64_t slots) { return 2 * slots >= all ? "mostly" : "most of all"; };
  std::string text = fmt::format("{} takes {} cycles.", comparison.labels[0], grouped(run.cycles));
  if (issued >= most) {
    text +=
        fmt::format(" What limits it is {} issue itself, {} of its issue slots.", mostly(issued), percent(issued, all));
  } else {
    text += fmt::format(" What limits it is {} '{}', {} of its issue slots: {}. An instruction issued in {}.",
                        mostly(most), (*idle)->name, percent(most, all), (*idle)->sentence, percent(issued, all));
  }
  if (!run.complete) text += fmt::format(" Beware: {} is incomplete.", comparison.labels[0]);
  const auto untimed =
      std::count_if(run.kernels.begin(), run.kernels.end(), [](const KernelFacts& kernel) { return !kernel.timed; });
  if (untimed != 0)
    text += fmt::format(" Beware: {} of {} launches were not timed and are not in it.", untimed, run.kernels.size());
  return text + "\n";
}

std::string totals_of_run(const Comparison& comparison) {
  TextTable table;
  for (const TotalRow& total : comparison.totals)
    table.row({total.name, total_text(total, total.values[0]), total.unit});
  return "\nTotals\n" + table.text();
}

std::string account_table(const RunFacts& run) {
  const std::uint64_t all = sum_of(run.slots);
  TextTable table;
  table.row({"cause", "of the slots"});
  for (const Cause* cause : by_share(run))
    table.row({fmt::format("{}: {}", cause->name, cause->sentence), percent(slots_of(run, cause->name), all)});
  return "\nWhat the issue slots did\n" + table.text();
}

std::string cache_table(const RunFacts& run) {
  TextTable table;
  table.row({"cache", "lines read", "present"});
  bool any = false;
  for (const HitRate& cache : run.caches) {
    if (cache.reads == 0) continue;
    any = true;
    table.row({cache.name, grouped(cache.reads), percent(cache.hits, cache.reads)});
  }
  return any ? "\nCaches\n" + table.text() : std::string();
}

std::string kernels_of_run(const Comparison& comparison) {
  if (comparison.kernels.empty()) return {};
  TextTable table;
  table.row({"kernel", "launches", "cycles", "of all", "mostly", "of its slots"});
  for (const KernelComparison& kernel : comparison.kernels) {
    const Account& account = kernel.account;
    const CauseRow* most = nullptr;
    for (const CauseRow& cause : account.causes) {
      if (most == nullptr || cause.cycles.by_run[0] > most->cycles.by_run[0]) most = &cause;
    }
    const std::uint64_t cycles = account.cycles.by_run[0];
    table.row({kernel_title(kernel.name), std::to_string(kernel.launches), grouped(cycles),
               percent(cycles, comparison.runs[0].cycles), most != nullptr ? most->name : "-",
               most != nullptr ? percent(most->cycles.by_run[0], cycles) : "-"});
  }
  return "\nBy kernel\n" + table.text();
}

}  // namespace

std::string summary_text(const Comparison& comparison) {
  const RunFacts& run = comparison.runs[0];
  std::string text =
      comparison.account ? limit_text(comparison) : fmt::format("No verdict: {}.\n", comparison.no_account);
  text += "\n" + what_ran(comparison) + totals_of_run(comparison);
  if (comparison.account) text += account_table(run);
  return text + cache_table(run) + kernels_of_run(comparison);
}

}  // namespace heddle::compare
