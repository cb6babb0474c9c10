// SPDX-License-Identifier: Apache-2.0
#include "targets.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace heddle::studies {
namespace {

/// By id.
const std::map<std::string, nlohmann::json>& stated() {
  static const auto all = [] {
    std::map<std::string, nlohmann::json> targets;
    for (const auto& target : nlohmann::json::parse(std::ifstream(HEDDLE_TARGETS))) {
      if (target.at("kind") == "structural" || target.at("kind") == "cost") targets[target.at("id")] = target;
    }
    return targets;
  }();
  return all;
}

}  // namespace

void expect_one_each(const std::string& prefix, const Evaluations& evaluations, const OnlyStated& only_stated) {
  std::size_t count = 0;
  for (const auto& [id, target] : stated()) {
    if (id.rfind(prefix, 0) != 0) continue;
    ++count;
    EXPECT_EQ(evaluations.count(id) + only_stated.count(id), 1u)
        << id << " has no evaluation, or also a reason for none";
  }
  EXPECT_GT(count, 70u);
  EXPECT_EQ(evaluations.size() + only_stated.size(), count) << "some evaluation is of no target";
}

void expect_as_stated(const Evaluations& evaluations) {
  for (const auto& [id, evaluate] : evaluations) {
    const auto found = stated().find(id);
    if (found == stated().end()) {
      ADD_FAILURE() << id << " is no target";
      continue;
    }
    const nlohmann::json& target = found->second;
    const bool judged = target.at("tolerance").contains("judged");
    EXPECT_EQ(evaluate(), judged ? 1.0 : target.at("source").get<double>()) << id << ": " << target.at("what");
  }
}

}  // namespace heddle::studies
