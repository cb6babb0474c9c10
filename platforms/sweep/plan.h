// SPDX-License-Identifier: Apache-2.0
// A study's points resolved against what is there: machines with every value, programs with their bytes, a key each.
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
  std::vector<std::string> replay;  ///< the command that gives the same run by hand
};

/// A run that some points of the study need.
struct PlannedRun {
  std::string key;
  std::size_t point = 0;  ///< the first that needs it
};

/// Where the model lies that runs are made with.
struct Model {
  std::filesystem::path program;  ///< the command `heddle`
  std::filesystem::path library;  ///< libcudart.so
  std::string version;
};

class Plan {
 public:
  /// Resolves every point. Throws Error for a wrong parameter, machine or program, naming the study's line and the
  /// point.
  Plan(Study study, Model model);
  /// Without resolving: keys as an earlier plan of the same study gave them, one a point.
  Plan(Study study, Model model, std::vector<std::string> keys);

  const Study& study() const { return study_; }
  const Model& model() const { return model_; }
  const std::vector<Point>& points() const { return points_; }
  /// Of points(), one each; points that resolve to the same run share a key.
  const std::vector<std::string>& keys() const { return keys_; }
  /// Every run once, in the order of the points.
  const std::vector<PlannedRun>& runs() const { return runs_; }
  const Program& program(std::size_t point) const { return study_.programs[points_[point].program]; }

  /// Resolves a point as things are now: the key differs from keys()[point] when a program, an input or a machine has
  /// changed since.
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

/// The points with their keys, as points.json in the folder of results and `--list` have them. states: by run, for
/// `--list`; null: without.
std::string plan_json(const Plan& plan, const std::filesystem::path& folder, const std::vector<std::string>* states);
/// The plan of a study by the keys in points.json, when that file fits the study; null when it does not.
std::unique_ptr<Plan> known_plan(const Study& study, const Model& model, const std::filesystem::path& points_json);

}  // namespace heddle::sweep
