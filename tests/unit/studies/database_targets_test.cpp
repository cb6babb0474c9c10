// SPDX-License-Identifier: Apache-2.0
// Every target of kind structural or cost that the source of database search states: what our code gives is the
// source's number, exactly.
#include "database_targets.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace heddle::studies {
namespace {

const Evaluations& evaluations() {
  static const Evaluations all = [] {
    Evaluations targets;
    add_prefix_targets(targets);
    add_instruction_targets(targets);
    add_scan_targets(targets);
    add_index_targets(targets);
    add_hold_targets(targets);
    return targets;
  }();
  return all;
}

std::vector<nlohmann::json> stated() {
  std::vector<nlohmann::json> result;
  for (const auto& target : nlohmann::json::parse(std::ifstream(HEDDLE_TARGETS))) {
    const std::string id = target.at("id"), kind = target.at("kind");
    if (id.rfind("db.", 0) == 0 && (kind == "structural" || kind == "cost")) result.push_back(target);
  }
  return result;
}

TEST(DatabaseTargets, HaveAnEvaluationEachAndNoOther) {
  std::set<std::string> ids, evaluated;
  for (const auto& target : stated()) ids.insert(target.at("id"));
  for (const auto& [id, evaluate] : evaluations()) evaluated.insert(id);
  EXPECT_GT(ids.size(), 80u);
  for (const auto& id : ids) EXPECT_EQ(evaluated.count(id), 1u) << id << " has no evaluation";
  for (const auto& id : evaluated) EXPECT_EQ(ids.count(id), 1u) << id << " is no target";
}

TEST(DatabaseTargets, AreWhatOurCodeGives) {
  for (const auto& target : stated()) {
    const auto found = evaluations().find(target.at("id").get<std::string>());
    if (found == evaluations().end()) continue;
    EXPECT_EQ(found->second(), target.at("source").get<double>()) << found->first << ": " << target.at("what");
  }
}

}  // namespace
}  // namespace heddle::studies
