// SPDX-License-Identifier: Apache-2.0
#include "sweep/points.h"

#include <algorithm>
#include <set>

#include "core/error.h"

namespace heddle::sweep {
namespace {

/// Calls visit with every combination of values, the last parameter fastest.
template <typename Visit>
void for_each_combination(const std::vector<Parameter>& parameters, const Visit& visit) {
  std::vector<std::size_t> at(parameters.size(), 0);
  while (true) {
    std::vector<Setting> settings;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      settings.push_back({parameters[i].path, parameters[i].values[at[i]]});
    visit(std::move(settings));
    std::size_t i = parameters.size();
    while (i > 0 && ++at[i - 1] == parameters[i - 1].values.size()) at[--i] = 0;
    if (i == 0) return;
  }
}

bool runs_on(const Program& program, const Machine& machine) {
  return program.machines.empty() ||
         std::find(program.machines.begin(), program.machines.end(), machine.name) != program.machines.end();
}

/// A text unique to each point.
std::string identity(const Point& point) {
  std::string text = std::to_string(point.program) + " " + std::to_string(point.machine);
  for (const Setting& setting : point.settings) text += "\n" + setting.path + "=" + setting.value.json;
  return text;
}

void refuse_too_many(const Study& study) {
  double product = static_cast<double>(study.programs.size()) * static_cast<double>(study.machines.size());
  for (const Parameter& parameter : study.parameters) product *= static_cast<double>(parameter.values.size());
  if (product > static_cast<double>(kMostPoints))
    fail(ExitCode::configuration, "{}: the product has {:.0f} runs, more than {}; list points or exclude some",
         study.file.filename().string(), product, kMostPoints);
}

}  // namespace

std::vector<Point> expand(const Study& study) {
  refuse_too_many(study);
  std::vector<Point> points;
  std::set<std::string> known;
  const auto add = [&](Point point) {
    const bool excluded = std::any_of(study.exclude.begin(), study.exclude.end(),
                                      [&](const Pattern& pattern) { return matches(pattern, study, point); });
    if (!excluded && known.insert(identity(point)).second) points.push_back(std::move(point));
  };
  const auto for_each_pair = [&](const auto& visit) {
    for (std::size_t p = 0; p < study.programs.size(); ++p) {
      for (std::size_t m = 0; m < study.machines.size(); ++m) {
        if (runs_on(study.programs[p], study.machines[m])) visit(p, m);
      }
    }
  };
  if (!study.parameters.empty() || study.points.empty()) {
    for_each_pair([&](std::size_t p, std::size_t m) {
      for_each_combination(study.parameters, [&](std::vector<Setting> settings) { add({p, m, std::move(settings)}); });
    });
  }
  for (const ListedPoint& listed : study.points) {
    for_each_pair([&](std::size_t p, std::size_t m) {
      Point point{p, m, listed.settings};
      if (matches(listed.on, study, point)) add(std::move(point));
    });
  }
  if (points.empty())
    fail(ExitCode::configuration, "{}: the study has no runs: all are excluded", study.file.filename().string());
  return points;
}

bool matches(const Pattern& pattern, const Study& study, const Point& point) {
  return std::all_of(pattern.wanted.begin(), pattern.wanted.end(), [&](const auto& wanted) {
    const std::string value = shown_value(study, point, wanted.first);
    return std::find(wanted.second.begin(), wanted.second.end(), value) != wanted.second.end();
  });
}

std::string shown_value(const Study& study, const Point& point, const std::string& column) {
  if (column == "program") return study.programs[point.program].name;
  if (column == "machine") return study.machines[point.machine].name;
  for (const Setting& setting : point.settings) {
    if (setting.path == column) return setting.value.shown;
  }
  return {};
}

std::string describe(const Study& study, const Point& point) {
  std::string text = study.programs[point.program].name + " on " + study.machines[point.machine].name;
  for (const Setting& setting : point.settings) text += ", " + setting.path + "=" + setting.value.shown;
  return text;
}

}  // namespace heddle::sweep
