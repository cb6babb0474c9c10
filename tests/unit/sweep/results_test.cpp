// SPDX-License-Identifier: Apache-2.0
// Numbers by name, the table, and the selection of runs for a report.
#include "sweep/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep/statistic.h"

namespace heddle::sweep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kRun = R"({"schema_version": 1, "run": {"cycles": 18014398509481985, "simulated_seconds": 0.5},
  "statistics": {"machine": {"ipc": 0.25}, "classes": {"sm": {"issue.branches": 4, "issue.slot_lanes": {"W32": 7}}},
                 "instances": {"sm0": {"issue.branches": 3}}},
  "kernels": [{"thread_instructions": 10}, {"thread_instructions": 5}]})";

TEST(Statistic, IsFoundByItsName) {
  const JsonNode run = parse_json(kRun, "run.json");
  EXPECT_EQ(statistic(run, "cycles"), "18014398509481985");  // more than a double holds
  EXPECT_EQ(statistic(run, "ipc"), "0.25");
  EXPECT_EQ(statistic(run, "launches"), "2");
  EXPECT_EQ(statistic(run, "thread_instructions"), "15");
  EXPECT_EQ(statistic(run, "warp_instructions"), "");
  EXPECT_EQ(statistic(run, "sm.issue.branches"), "4");
  EXPECT_EQ(statistic(run, "sm0.issue.branches"), "3");
  EXPECT_EQ(statistic(run, "sm.issue.slot_lanes[W32]"), "7");
  EXPECT_EQ(statistic(run, "sm.issue.slot_lanes[W31]"), "");
  EXPECT_EQ(statistic(run, "sm.issue.slot_lanes"), "");
  EXPECT_EQ(statistic(run, "nothing"), "");
  EXPECT_THAT(statistic_names(run), Contains("sm.issue.slot_lanes[W32]"));
  EXPECT_EQ(statistic(parse_json("{}", "x"), "cycles"), "");
}

/// A plan of `points` points per program, without reading files.
Plan plan_of(const std::string& rest, unsigned values) {
  std::string list = "0";
  for (unsigned i = 1; i < values; ++i) list += "," + std::to_string(i);
  const Study study =
      parse_study(R"({"programs": [{"name": "p", "command": ["p"]}, {"name": "q, \"2\"", "command": ["q"]}],
      "machines": ["m"], "collect": ["cycles"], "parameters": {"a": [)" +
                      list + "]}" + rest + "}",
                  "/s.json");
  std::vector<std::string> keys;
  for (unsigned i = 0; i < 2 * values; ++i) keys.push_back("key" + std::to_string(i));
  return Plan(study, {}, keys);
}

Results results_of(const std::vector<std::string>& cycles) {
  Results results;
  for (const std::string& one : cycles) {
    ResultRow row;
    row.status = {RunState::finished, 0, 0, "", 0.5, 0.25, 3 << 20, 1};
    if (one.empty()) row.status.state = RunState::none;
    row.statistics = {one};
    results.rows.push_back(row);
  }
  return results;
}

TEST(ResultsCsv, HasARowAPointAndQuotesWhatHoldsASeparator) {
  const Plan plan = plan_of("", 1);
  Results results = results_of({"10", ""});
  EXPECT_EQ(results_csv(plan, results),
            "key,program,machine,a,status,exit_status,wall_seconds,peak_memory_mib,cycles\n"
            "key0,p,m,0,finished,0,0.500,3.0,10\n"
            "key1,\"q, \"\"2\"\"\",m,0,missing,,,,\n");
  results.rows[1].status = {RunState::failed, 0, 9, "ended", 1, 1, 0, 1};
  EXPECT_THAT(results_csv(plan, results), HasSubstr(",failed,137,1.000,0.0,\n"));
}

TEST(ChosenForReport, IsAllThereIsWhenThatIsNotTooMuch) {
  EXPECT_THAT(chosen_for_report(plan_of("", 2), results_of({"1", "", "3", "4"})), ElementsAre(0u, 2u, 3u));
}

TEST(ChosenForReport, OfTooManyTakesTheEndsProgramByProgram) {
  // p: 5 1 9 7, q: 2 4 8 6
  EXPECT_THAT(
      chosen_for_report(plan_of(R"(, "report": {"runs": 4})", 4), results_of({"5", "1", "9", "7", "2", "4", "8", "6"})),
      ElementsAre(1u, 2u, 4u, 6u));
}

TEST(ChosenForReport, TakesOnlyWhatTheStudyAsksFor) {
  EXPECT_THAT(chosen_for_report(plan_of(R"(, "report": {"where": {"a": [1, 2], "program": "p"}})", 3),
                                results_of({"1", "2", "3", "4", "5", "6"})),
              ElementsAre(1u, 2u));
}

}  // namespace
}  // namespace heddle::sweep
