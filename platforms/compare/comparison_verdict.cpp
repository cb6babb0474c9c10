// SPDX-License-Identifier: Apache-2.0
#include "compare/comparison_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "compare/cycle_account.h"
#include "compare/text_table.h"

namespace heddle::compare {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Seconds of the timed launches.
double time_of(const RunFacts& run) {
  return static_cast<double>(run.cycles) / (static_cast<double>(run.core_kilohertz) * 1e3);
}

double slots_of(const RunFacts& run) { return ratio(sum_of(run.slots), run.cycles); }

/// The cause that changed most in the direction of a change of this sign.
std::optional<std::size_t> most_changed(const Account& account, AccountUnit unit, std::size_t run, std::int64_t sign) {
  std::optional<std::size_t> most;
  std::int64_t largest = 0;
  for (std::size_t c = 0; c < account.causes.size(); ++c) {
    const std::int64_t change = account.causes[c].in(unit).difference(run);
    const std::int64_t in_direction = sign < 0 ? -change : change;
    if (sign == 0 || in_direction <= largest) continue;
    most = c;
    largest = in_direction;
  }
  return most;
}

/// For each launch, whether it was timed.
std::vector<bool> timed_launches(const RunFacts& run) {
  std::vector<bool> timed;
  for (const KernelFacts& kernel : run.kernels) timed.push_back(kernel.timed);
  return timed;
}

std::vector<std::string> cautions_of(const Comparison& comparison, std::size_t run) {
  std::vector<std::string> cautions;
  if (run == 0) return cautions;
  for (const std::size_t one : {std::size_t{0}, run}) {
    if (!comparison.runs[one].complete) cautions.push_back(fmt::format("{} is incomplete", comparison.labels[one]));
  }
  const bool other_work =
      std::any_of(comparison.identity.begin(), comparison.identity.end(), [&](const Difference& one) {
        return one.what != "program" && one.what != "version of Heddle" && one.what != "commit of Heddle" &&
               one.values[run] != one.values[0];
      });
  if (other_work) cautions.emplace_back("they did not run the same program with the same arguments");
  if (timed_launches(comparison.runs[0]) != timed_launches(comparison.runs[run]))
    cautions.emplace_back("they did not time the same launches");
  return cautions;
}

/// "Mostly 'memory', -2 of -3 cycles: it waited for memory." If it alone exceeds the whole: "Mostly 'memory', -4
/// cycles: it waited for memory; other causes, +1; -3 in all." Where another cause took back much of that: "Most of all
/// 'issued', -15 cycles: it issued; but 'packet', +5: a further packet of it did; other causes, +1; -9 in all."
std::string cause_text(const Comparison& comparison, const Verdict& verdict, std::size_t run) {
  const Account& account = *comparison.account;
  const CauseRow& cause = account.causes[*verdict.cause];
  const auto change = [&](const CauseRow& of) { return of.in(comparison.unit).difference(run); };
  const std::int64_t whole = verdict.difference;
  if (const auto back = most_changed(account, comparison.unit, run, -whole);
      back && 2 * std::abs(change(account.causes[*back])) >= std::abs(whole)) {
    const CauseRow& other = account.causes[*back];
    const std::int64_t rest = whole - change(cause) - change(other);
    return fmt::format("most of all '{}', {} {}: {}; but '{}', {}: {};{} {} in all.", cause.name,
                       signed_count(change(cause)), name_of(comparison.unit), cause.sentence, other.name,
                       signed_count(change(other)), other.sentence,
                       rest == 0 ? "" : fmt::format(" other causes, {};", signed_count(rest)), signed_count(whole));
  }
  const std::int64_t rest = whole - change(cause);
  if (std::abs(change(cause)) > std::abs(whole))
    return fmt::format("mostly '{}', {} {}: {}; other causes, {}; {} in all.", cause.name, signed_count(change(cause)),
                       name_of(comparison.unit), cause.sentence, signed_count(rest), signed_count(whole));
  const bool most = 2 * std::abs(change(cause)) >= std::abs(whole);
  return fmt::format("{} '{}', {} of {} {}: {}.", most ? "mostly" : "most of all", cause.name,
                     signed_count(change(cause)), signed_count(whole), name_of(comparison.unit), cause.sentence);
}

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string change_text(double before, double now) {
  return fmt::format("{:.1f} % {}", 100 * std::abs(now - before) / before, now < before ? "less" : "more");
}

std::string verdict_by_cycles(const Comparison& comparison, const Verdict& verdict, std::size_t run) {
  const std::string &name = comparison.labels[run], &baseline = comparison.labels[0];
  const std::uint64_t before = comparison.runs[0].cycles, now = comparison.runs[run].cycles;
  if (before == now) return fmt::format("{} takes as many cycles as {}: {}.", name, baseline, grouped(now));
  const double change = 100 * std::abs(ratio(now, before) - 1);
  std::string text =
      fmt::format("{} takes {:.1f} % {} cycles than {} ({} instead of {}): {:.3f} times as fast.", name, change,
                  now < before ? "fewer" : "more", baseline, grouped(now), grouped(before), verdict.speed_up);
  if (verdict.cause) text += " " + capitalized(cause_text(comparison, verdict, run));
  return text;
}

std::string verdict_by_time(const Comparison& comparison, const Verdict& verdict, std::size_t run) {
  const RunFacts &one = comparison.runs[run], &other = comparison.runs[0];
  const double before = time_of(other), now = time_of(one);
  const std::string &name = comparison.labels[run], &baseline = comparison.labels[0];
  std::string text =
      std::abs(now / before - 1) < 1e-9
          ? fmt::format("{} takes as long as {}: {:.4g} us.", name, baseline, now * 1e6)
          : fmt::format("{} takes {} time than {} ({:.4g} us instead of {:.4g}): {:.3f} times as fast.", name,
                        change_text(before, now), baseline, now * 1e6, before * 1e6, verdict.speed_up);
  if (verdict.slots_ratio != 1)
    text += fmt::format(
        " With {:.4g} times the issue slots ({:.4g} instead of {:.4g}) it spends {:.4g} times the slot-time "
        "(slots x time)",
        verdict.slots_ratio, slots_of(one), slots_of(other), verdict.slot_time_ratio);
  if (verdict.cause) {
    const std::string cause = cause_text(comparison, verdict, run);
    text += verdict.slots_ratio != 1 ? ", " + cause : " " + capitalized(cause);
  } else if (verdict.slots_ratio != 1) {
    text += ".";
  }
  return text;
}

}  // namespace

std::optional<std::size_t> main_cause(const Account& account, AccountUnit unit, std::size_t run) {
  return most_changed(account, unit, run, account.in(unit).difference(run));
}

std::vector<Verdict> verdicts_of(const Comparison& comparison) {
  const Account& account = *comparison.account;
  std::vector<Verdict> verdicts;
  for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
    const RunFacts &one = comparison.runs[run], &baseline = comparison.runs[0];
    Verdict verdict;
    // At one clock, or where it is unknown, cycles do.
    verdict.speed_up =
        comparison.unit == AccountUnit::cycles ? ratio(baseline.cycles, one.cycles) : time_of(baseline) / time_of(one);
    verdict.slots_ratio = slots_of(one) / slots_of(baseline);
    verdict.slot_time_ratio = verdict.speed_up == 0 ? 0 : verdict.slots_ratio / verdict.speed_up;
    verdict.difference = account.in(comparison.unit).difference(run);
    verdict.cause = main_cause(account, comparison.unit, run);
    verdict.cautions = cautions_of(comparison, run);
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

std::string verdict_text(const Comparison& comparison, std::size_t run) {
  const Verdict& verdict = comparison.verdicts[run];
  std::string text = comparison.unit == AccountUnit::cycles ? verdict_by_cycles(comparison, verdict, run)
                                                            : verdict_by_time(comparison, verdict, run);
  for (const std::string& caution : verdict.cautions) text += fmt::format(" Beware: {}.", caution);
  return text + "\n";
}

std::string verdict_table(const Comparison& comparison) {
  TextTable table;
  const bool in_time = comparison.unit == AccountUnit::slot_nanoseconds;
  std::vector<std::string> head{"run", "cycles"};
  if (in_time) head.insert(head.end(), {"us", "issue slots"});
  head.insert(head.end(), {"times as fast", "most changed", name_of(comparison.unit)});
  table.row(std::move(head));
  for (std::size_t r = 0; r < comparison.runs.size(); ++r) {
    const RunFacts& run = comparison.runs[r];
    const Verdict& verdict = comparison.verdicts[r];
    const CauseRow* const cause = verdict.cause ? &comparison.account->causes[*verdict.cause] : nullptr;
    std::vector<std::string> row{comparison.labels[r], grouped(run.cycles)};
    if (in_time)
      row.insert(row.end(), {fmt::format("{:.4g}", time_of(run) * 1e6), fmt::format("{:.4g}", slots_of(run))});
    row.insert(row.end(), {fmt::format("{:.3f}", verdict.speed_up), cause != nullptr ? cause->name : "-",
                           cause != nullptr ? signed_count(cause->in(comparison.unit).difference(r)) : "-"});
    table.row(std::move(row));
  }
  return "Against " + comparison.labels[0] + "\n" + table.text();
}

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string signed_count(std::int64_t value) {
  if (value == 0) return "0";
  return (value < 0 ? "-" : "+") + grouped(static_cast<std::uint64_t>(value < 0 ? -value : value));
}

const char* name_of(AccountUnit unit) { return unit == AccountUnit::cycles ? "cycles" : "slot-ns"; }

}  // namespace heddle::compare
