// SPDX-License-Identifier: Apache-2.0
// A study's points with machines and programs resolved and a key each.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sweep/points.h"
#include "sweep/run_key.h"
#include "sweep/study.h"

namespace heddle::sweep {

/// One run, ready to start.
struct PreparedRun {
  std::string key;
  RunInputs inputs;
  std::string machine_json;         ///< the resolved machine
  std::string program;              ///< absolute path
  std::vector<std::string> replay;  ///< the command to repeat the run by hand
};

/// A run needed by one or more points of the study.
struct PlannedRun {
  std::string key;
  std::size_t point = 0;  ///< the first such point
};

/// Location of the model used for runs.
struct Model {
  std::filesystem::path program;  ///< the command `heddle`
  std::filesystem::path library;  ///< libcudart.so
  std::string version;
};

class Plan {
 public:
  /// Resolves every point. Throws Error for an invalid parameter, machine or program, naming the study's line and the
  /// point.
  Plan(Study study, Model model);
  /// Skips resolving: takes the keys of an earlier plan of the same study, one per point.
  Plan(Study study, Model model, std::vector<std::string> keys);

  const Study& study() const { return study_; }
  const Model& model() const { return model_; }
  const std::vector<Point>& points() const { return points_; }
  /// One key per element of points(); points that resolve to the same run share a key.
  const std::vector<std::string>& keys() const { return keys_; }
  /// Every distinct run, in point order.
  const std::vector<PlannedRun>& runs() const { return runs_; }
  const Program& program(std::size_t point) const { return study_.programs[points_[point].program]; }

  /// Resolves a point against the current files. The key differs from keys()[point] if a program, input or machine has
  /// changed.
  PreparedRun prepare(std::size_t point);

 private:
  void collect_runs();
  Study study_;
  Model model_;
  std::vector<Point> points_;
  std::vector<std::string> keys_;
  std::vector<PlannedRun> runs_;
  FileDigests digests_;
};

/// The points with their keys, for points.json in the results folder and for `--list`. states: per run, for `--list`,
/// or null.
std::string plan_json(const Plan& plan, const std::filesystem::path& folder, const std::vector<std::string>* states);
/// The plan of a study with the keys from points.json; null when that file does not match the study.
std::unique_ptr<Plan> known_plan(const Study& study, const Model& model, const std::filesystem::path& points_json);

}  // namespace heddle::sweep
