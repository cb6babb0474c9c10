// SPDX-License-Identifier: Apache-2.0
// `heddle cost`: which mechanism is charged for a machine's storage.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli_fixture.h"

namespace heddle {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Cost : public test::Cli {
 protected:
  json of(const std::string& options) {
    const auto run = heddle("cost --json - " + options);
    EXPECT_EQ(run.status, 0) << run.err;
    return json::parse(run.out)["mechanisms"];
  }
  /// Null if the machine does not have it. sm_class: if there are several.
  static json section(const json& sections, const std::string& mechanism, const std::string& sm_class = "") {
    for (const json& one : sections) {
      if (one["mechanism"] == mechanism && one.value("sm_class", "") == sm_class) return one;
    }
    return {};
  }
  static std::vector<std::string> names(const json& section) {
    std::vector<std::string> names;
    if (!section.is_null()) {
      for (const json& structure : section["structures"]) names.push_back(structure["name"]);
    }
    return names;
  }
  static unsigned bits(const json& section) { return section.is_null() ? 0 : section["storage_bits"].get<unsigned>(); }
};

TEST_F(Cost, LargeWarpsAddWhatTheirSourceStates) {
  const json large = section(of("--machine large-warp-core"), "large_warps");
  EXPECT_THAT(names(large), ::testing::Contains("sm*.hazards.in_flight"));
  EXPECT_EQ(bits(large), 1792u);
  EXPECT_EQ(large["published"]["bits"], 1792);
  EXPECT_THAT(heddle("cost --machine large-warp-core").out, HasSubstr("1792 bits, 224 bytes"));
}

TEST_F(Cost, DivergenceAwareSchedulingAddsItsTables) {
  const json detected = section(of("--machine daws-detected"), "divergence_aware");
  EXPECT_THAT(names(detected), ::testing::Contains("sm*.load_classifier.repetitions"));
  EXPECT_THAT(names(detected), ::testing::Contains("sm*.victim_tags.tags"));
  EXPECT_EQ(bits(detected), 40585u);
  EXPECT_EQ(bits(section(of("--machine daws-profiled"), "divergence_aware")), 4681u);
}

TEST_F(Cost, ATrackerThatNoGroupingNeedsHasAnAccountOfItsOwn) {
  const json machine = of("--machine barrel-core --set sm.hazards=in_flight_bits");
  EXPECT_EQ(bits(section(machine, "in_flight_bits")), 1024u);
  EXPECT_TRUE(section(machine, "large_warps").is_null());
}

TEST_F(Cost, StackTrackerAndOrderAreChargedToThemselves) {
  const json machine = of("--machine small --set sm.hazards=scoreboard --set sm.order=gto");
  EXPECT_THAT(names(section(machine, "scoreboard")), ::testing::ElementsAre("sm*.hazards.scoreboard"));
  EXPECT_THAT(names(section(machine, "gto")), ::testing::Contains("sm*.order0.last"));
  EXPECT_THAT(names(section(machine, "reconvergence_stack")), ::testing::ElementsAre("sm*.grouping.stack"));
  EXPECT_TRUE(section(machine, "any machine").is_null());
  EXPECT_FALSE(section(of("--machine small --all"), "any machine").is_null());
}

TEST_F(Cost, WhatASchedulersOrderKeepsIsChargedToThatOrder) {
  EXPECT_THAT(names(section(of("--machine barrel-core --set sm.order=two_level_exclusive"), "two_level_exclusive")),
              ::testing::ElementsAre("sm*.order0.current", "sm*.order0.greedy", "sm*.order0.last"));
}

TEST_F(Cost, ACounterAThreadIsCountedOnce) {
  const json counters = section(of("--machine thread-counters-core"), "thread_counters");
  EXPECT_THAT(names(counters), ::testing::ElementsAre("sm*.grouping.at", "sm*.grouping.thread_pc"));
  EXPECT_EQ(bits(counters), 32u * (1024 + 32));
  EXPECT_THAT(
      names(section(of("--machine thread-counters-core --set sm.grouping=thread_frontiers"), "thread_frontiers")),
      ::testing::ElementsAre("sm*.grouping.heap"));
}

TEST_F(Cost, ClassesOfSmsThatDifferAreShownUnderTheirNames) {
  const auto core = json::parse(heddle("config --machine large-warp-core").out)["gpu"]["sm_classes"][0];
  json machine = {{"name", "two-sizes"}, {"extends", "large-warp-core"}};
  json few = core, many = core;
  few["name"] = "few";
  many["name"] = "many";
  many["count"] = 2;
  many["sm"]["warp_size"] = 64;
  machine["gpu"]["sm_classes"] = json::array({few, many});
  machine["memory"]["has_crossbar"] = true;
  write("two.json", machine.dump());
  const json sections = of("--machine ./two.json");
  EXPECT_EQ(bits(section(sections, "large_warps", "few")), 1792u);
  EXPECT_EQ(section(sections, "large_warps", "few")["structures"][0]["modules"], 1);
  const json second = section(sections, "large_warps", "many");
  EXPECT_EQ(bits(second), 1216u);
  EXPECT_EQ(second["published"]["bits"], 1216) << "what the source states for 64 threads";
  EXPECT_EQ(second["structures"][0]["modules"], 2);
  EXPECT_TRUE(section(sections, "large_warps").is_null());
  EXPECT_THAT(heddle("cost --machine ./two.json").out, HasSubstr("large_warps, SMs of class many\n"));

  machine["gpu"]["sm_classes"][1]["name"] = "few";
  write("two.json", machine.dump());
  EXPECT_EQ(bits(section(of("--machine ./two.json"), "large_warps", "few 1")), 1216u);
}

}  // namespace
}  // namespace heddle
