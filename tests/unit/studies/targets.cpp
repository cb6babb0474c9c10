// SPDX-License-Identifier: Apache-2.0
#include "targets.h"

#include <gtest/gtest.h>

#include <cmath>
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

double source_of(const std::string& id) { return stated().at(id).at("source").get<double>(); }

double rounded(double value, unsigned places) {
  const double scale = std::pow(10, places);
  return std::round(value * scale) / scale;
}

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

void expect_as_stated(const Evaluations& evaluations, const Differences& differences) {
  for (const auto& [id, evaluate] : evaluations) {
    const auto found = stated().find(id);
    if (found == stated().end()) {
      ADD_FAILURE() << id << " is no target";
      continue;
    }
    const nlohmann::json& target = found->second;
    const bool judged = target.at("tolerance").contains("judged");
    const double source = judged ? 1.0 : target.at("source").get<double>();
    const auto different = differences.find(id);
    if (different == differences.end()) {
      EXPECT_EQ(evaluate(), source) << id << ": " << target.at("what");
    } else {
      EXPECT_EQ(evaluate(), different->second.ours) << id << ": " << different->second.reason;
      EXPECT_NE(different->second.ours, source) << id << " does not differ";
    }
  }
}

}  // namespace heddle::studies
