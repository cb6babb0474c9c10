// SPDX-License-Identifier: Apache-2.0
// Waveforms and time series of a run: what is asked for is there, and recording it changes nothing.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "run_program.h"

namespace heddle::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class RecordingOptions : public RunProgram {
 protected:
  /// What must not change: cycles, statistics, kernels.
  json outcome(const std::string& folder) const {
    json run = json::parse(read(folder + "/run.json"));
    run["run"].erase("wall_seconds");
    return {{"run", run["run"]}, {"statistics", run["statistics"]}, {"kernels", run["kernels"]}};
  }
};

TEST_F(RecordingOptions, NeitherWaveformNorSeriesChangesACycleOrAStatistic) {
  unsigned conflicts = 0;
  for (const std::string program : {"regions", "lock_step reduce_ordered", "bank_conflicts"}) {
    ASSERT_EQ(run(program, "-m small -o plain").status, 0);
    ASSERT_EQ(run(program, "-m small -o traced --vcd all.vcd").status, 0);
    ASSERT_EQ(run(program, "-m small -o series --series '*' --series-every 7").status, 0);
    EXPECT_GT(fs::file_size(folder_ / "all.vcd"), 100000u);
    const json plain = outcome("plain");
    EXPECT_EQ(outcome("traced"), plain) << program;
    EXPECT_EQ(outcome("series"), plain) << program;
    conflicts += plain["statistics"]["classes"]["sm"]["shared_memory.conflict_cycles"].get<unsigned>();
  }
  EXPECT_GT(conflicts, 500u) << "no program leans on shared memory";
}

TEST_F(RecordingOptions, SignalsOfEveryModuleCanBeAskedFor) {
  ASSERT_EQ(run("regions", "-m small --vcd out.vcd --signals 'sm0.*,mc*.bank*'").status, 0);
  const std::string vcd = read("out.vcd");
  for (const char* scope : {"sm0",      "issue",    "grouping", "hazards",     "order0", "fetch",         "decode",
                            "operands", "alu",      "sfu",      "fp64",        "memory", "shared_memory", "writeback",
                            "l1d",      "constant", "texture",  "instruction", "mc0",    "mc5",           "bank0"}) {
    EXPECT_THAT(vcd, HasSubstr("$scope module " + std::string(scope) + " $end")) << scope;
  }
  for (const char* scope : {"sm1", "l2_0", "crossbar", "dispatcher"}) {
    EXPECT_THAT(vcd, Not(HasSubstr("$scope module " + std::string(scope) + " $end"))) << scope;
  }
  EXPECT_THAT(read("out.gtkw"),
              testing::AllOf(HasSubstr("out.vcd"), HasSubstr("slot0_opcode"), HasSubstr("slot0_cause")));
}

TEST_F(RecordingOptions, CodesHaveTextsForTheViewer) {
  ASSERT_EQ(run("regions", "-m small --vcd out.vcd --signals 'sm0.issue.slot0_*'").status, 0);
  std::string texts;
  for (int i = 1; fs::exists(folder_ / ("out." + std::to_string(i) + ".txt")); ++i)
    texts += read("out." + std::to_string(i) + ".txt");
  EXPECT_THAT(texts, testing::AllOf(HasSubstr(" mul\n"), HasSubstr(" no_warp\n"), HasSubstr(" barrier\n")));
}

TEST_F(RecordingOptions, AWindowHoldsItsCyclesOnly) {
  ASSERT_EQ(run("regions", "-m small --vcd out.vcd --signals 'sm0.issue.*' --window 700:799").status, 0);
  const std::string vcd = read("out.vcd");
  std::uint64_t first = 0, last = 0;
  for (std::size_t at = vcd.find("\n#"); at != std::string::npos; at = vcd.find("\n#", at + 1)) {
    last = std::stoull(vcd.substr(at + 2, 20));
    if (first == 0) first = last;
  }
  EXPECT_GE(first, 700u * 1'000'000 / 700);
  EXPECT_LE(last, 801u * 1'000'000 / 700);
  EXPECT_GT(last, first);
}

TEST_F(RecordingOptions, TheSizeCapIsSaid) {
  const Result result = run("regions", "-m small --vcd out.vcd --trace-bytes 100000");
  EXPECT_EQ(result.status, 0) << "the run itself is whole";
  EXPECT_THAT(result.err, HasSubstr("heddle: note: the waveform stops at its size limit"));
  EXPECT_LT(fs::file_size(folder_ / "out.vcd"), 200000u);
}

TEST_F(RecordingOptions, WhatMatchesNothingEndsTheRunBeforeItsFirstKernel) {
  Result result = run("regions", "-m small --vcd out.vcd --signals 'sm77.*'");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("sm77"));
  result = run("regions", "-m small --series 'sm77.*'");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(run("regions", "-m small --vcd out.vcd --window 9:1").status, 2);
  EXPECT_EQ(run("regions", "-m small --vcd /proc/nowhere/out.vcd").status, 106);
}

TEST_F(RecordingOptions, AnInterruptedRunLeavesAWholeWaveform) {
  const Result result = run("faults counting", "-m small --max-cycles 3000 --vcd out.vcd --signals 'sm0.issue.*'");
  EXPECT_EQ(result.status, 105);
  EXPECT_THAT(read("out.vcd"), HasSubstr("$enddefinitions"));
  EXPECT_TRUE(fs::exists(folder_ / "out.gtkw"));
}

}  // namespace
}  // namespace heddle::test
