// SPDX-License-Identifier: Apache-2.0
#include "sweep/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "core/error.h"
#include "core/names.h"
#include "core/statistics/run_json.h"
#include "sweep/statistic.h"
#include "sweep/study_reader.h"

namespace heddle::sweep {
namespace {

/// A CSV field, quoted when it contains a separator (RFC 4180).
std::string csv_field(const std::string& field) {
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) text.append(c == '"' ? 2 : 1, c);
  return text + "\"";
}

bool has_results(const RunStatus& status) {
  return status.state == RunState::finished || status.state == RunState::limit;
}

void count(Results& results, RunState state) {
  switch (state) {
    case RunState::finished:
      ++results.finished;
      break;
    case RunState::limit:
      ++results.limit;
      break;
    case RunState::failed:
      ++results.failed;
      break;
    case RunState::none:
      ++results.missing;
      break;
  }
}

}  // namespace

Results read_results(const Plan& plan, const std::filesystem::path& folder) {
  const std::vector<std::string>& collect = plan.study().collect;
  Results results;
  std::map<std::string, ResultRow> by_key;
  std::vector<std::string> known;
  for (const PlannedRun& run : plan.runs()) {
    const RunFolder place(folder, run.key);
    ResultRow row{place.status(), std::vector<std::string>(collect.size())};
    if (has_results(row.status)) {
      try {
        const JsonNode json = read_run(place.path() / "run.json");
        if (known.empty()) known = statistic_names(json);
        for (std::size_t i = 0; i < collect.size(); ++i) row.statistics[i] = statistic(json, collect[i]);
      } catch (const Error& error) {
        row.status = {};
        row.status.reason = error.what();
      }
    }
    if (row.status.state == RunState::none && !row.status.reason.empty())
      results.notes.push_back(fmt::format("{}; the run counts as missing", row.status.reason));
    count(results, row.status.state);
    by_key.emplace(run.key, std::move(row));
  }
  for (const std::string& key : plan.keys()) results.rows.push_back(by_key.at(key));
  for (std::size_t i = 0; i < collect.size() && !known.empty(); ++i) {
    const bool some = std::any_of(results.rows.begin(), results.rows.end(),
                                  [&](const ResultRow& row) { return !row.statistics[i].empty(); });
    if (!some)
      results.notes.push_back(
          fmt::format("no run has the statistic '{}'{}", collect[i], nearest_hint(collect[i], known)));
  }
  return results;
}

std::string results_csv(const Plan& plan, const Results& results) {
  const Study& study = plan.study();
  const std::vector<std::string> parameters = study.columns();
  std::string text;
  const auto line = [&](const std::vector<std::string>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) text += (i == 0 ? "" : ",") + csv_field(fields[i]);
    text += '\n';
  };
  std::vector<std::string> head = {"key", "program", "machine"};
  head.insert(head.end(), parameters.begin(), parameters.end());
  for (const char* const name : {"status", "exit_status", "wall_seconds", "peak_memory_mib"}) head.emplace_back(name);
  head.insert(head.end(), study.collect.begin(), study.collect.end());
  line(head);
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const ResultRow& row = results.rows[i];
    const RunStatus& status = row.status;
    std::vector<std::string> fields = {plan.keys()[i]};
    for (const char* const column : {"program", "machine"})
      fields.push_back(shown_value(study, plan.points()[i], column));
    for (const std::string& parameter : parameters) fields.push_back(shown_value(study, plan.points()[i], parameter));
    fields.emplace_back(name_of(status.state));
    const bool ended = status.state != RunState::none;
    // The shell's convention for a process ended by a signal.
    fields.push_back(ended ? std::to_string(status.signal != 0 ? 128 + status.signal : status.exit_status) : "");
    fields.push_back(ended ? fmt::format("{:.3f}", status.wall_seconds) : "");
    fields.push_back(ended ? fmt::format("{:.1f}", static_cast<double>(status.peak_memory_bytes) / (1 << 20)) : "");
    fields.insert(fields.end(), row.statistics.begin(), row.statistics.end());
    line(fields);
  }
  return text;
}

std::vector<std::size_t> chosen_for_report(const Plan& plan, const Results& results) {
  const Study& study = plan.study();
  std::map<std::size_t, std::vector<std::size_t>> by_program;
  std::set<std::string> known;
  std::size_t found = 0;
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const Point& point = plan.points()[i];
    if (!has_results(results.rows[i].status) || !matches(study.report.where, study, point)) continue;
    if (!known.insert(plan.keys()[i]).second) continue;
    by_program[point.program].push_back(i);
    ++found;
  }
  std::vector<std::size_t> chosen;
  if (found <= study.report.runs) {
    for (const auto& [program, points] : by_program) chosen.insert(chosen.end(), points.begin(), points.end());
  } else {
    const auto value = [&](std::size_t point) {
      return std::strtod(results.rows[point].statistics[0].c_str(), nullptr);
    };
    for (auto& [program, points] : by_program) {
      std::stable_sort(points.begin(), points.end(), [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
    }
    for (bool fewest = true; chosen.size() < study.report.runs; fewest = !fewest) {
      for (auto& [program, points] : by_program) {
        if (points.empty() || chosen.size() >= study.report.runs) continue;
        chosen.push_back(fewest ? points.front() : points.back());
        points.erase(fewest ? points.begin() : points.end() - 1);
      }
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace heddle::sweep
