// SPDX-License-Identifier: Apache-2.0
// Waveforms and time series of a run: the requested data is recorded, and recording changes nothing.
#include <gmock/gmock.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

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

/// Without a recorder, packets of fixed latency skip write-back, and fetches skip decode; they are counted in the same
/// cycles.
TEST_F(RecordingOptions, AWaveformChangesNoRowOfASeries) {
  for (const std::string machine : {"small", "vws-i", "interweaving-both"}) {
    const std::string options = "-m " + machine + " --series 'sm0.*' --series-every 1 --force";
    ASSERT_EQ(run("regions", options + " -o series").status, 0);
    ASSERT_EQ(run("regions", options + " -o traced --vcd sm.vcd --signals 'sm0.writeback.*'").status, 0);
    const json series = json::parse(read("series/run.json"))["time_series"];
    EXPECT_GT(series.dump().size(), 100000u);
    EXPECT_TRUE(json::parse(read("traced/run.json"))["time_series"] == series) << machine;
  }
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

/// First and last time of a dump in which anything but the end of a window is written.
std::vector<std::uint64_t> times_of(const std::string& vcd) {
  std::vector<std::uint64_t> times;
  for (std::size_t at = vcd.find("\n#"); at != std::string::npos; at = vcd.find("\n#", at + 1))
    times.push_back(std::stoull(vcd.substr(at + 2, 20)));
  return times;
}

TEST_F(RecordingOptions, AWindowInWhichNothingHappensShowsWhatHolds) {
  // All warps wait for their first instructions.
  ASSERT_EQ(run("regions", "-m small --vcd out.vcd --signals 'sm0.issue.valid,sm0.warps.*' --window 100:120").status,
            0);
  const auto times = times_of(read("out.vcd"));
  ASSERT_GE(times.size(), 2u);
  EXPECT_EQ(times.front(), 100u * 1'000'000 / 700);
  EXPECT_THAT(read("out.vcd"), HasSubstr("$dumpvars"));
}

TEST_F(RecordingOptions, AWindowOfAKernelHoldsItsCycles) {
  const std::string options = "-m small -o out --vcd out.vcd --signals 'sm0.issue.*' --window ";
  ASSERT_EQ(run("regions", options + "'kernel=*scale*'").status, 0);
  const json kernels = json::parse(read("out/run.json"))["kernels"];
  const std::string all = read("out.vcd");
  // The second launch alone has the cycles of the second launch.
  ASSERT_EQ(run("regions", options + "'kernel=*scale*,1:5'").status, 0);
  EXPECT_GE(times_of(read("out.vcd")).size(), times_of(all).size());
  ASSERT_EQ(run("regions", options + "kernel=nobody").status, 0);
  EXPECT_TRUE(times_of(read("out.vcd")).empty());
  const auto cycle = [](std::uint64_t picoseconds) { return picoseconds * 700 / 1'000'000; };
  EXPECT_LE(cycle(times_of(all).front()), kernels[0]["first_cycle"].get<std::uint64_t>() + 2);
  const json& last = kernels.back();
  EXPECT_LE(cycle(times_of(all).back()),
            last["first_cycle"].get<std::uint64_t>() + last["cycles"].get<std::uint64_t>() + 2);
}

TEST_F(RecordingOptions, AWindowOpensWhenAnInstructionOfALineIssues) {
  const std::string options = "-m small --vcd out.vcd --signals 'sm0.issue.slot0_*' --window ";
  // The multiplication in regions.cu, as counted from its first line.
  std::size_t line = 1;
  const std::string source = read(std::string(HEDDLE_RUNTIME_SOURCES) + "/regions.cu");
  for (std::size_t at = 0; at < source.find("*= by"); ++at) line += source[at] == '\n' ? 1 : 0;
  ASSERT_EQ(run("regions", options + "'line=regions.cu:" + std::to_string(line) + "+3'").status, 0);
  const auto some = times_of(read("out.vcd"));
  ASSERT_EQ(run("regions", options + "0:").status, 0);
  const auto all = times_of(read("out.vcd"));
  EXPECT_GT(some.size(), 3u);
  EXPECT_LT(some.size(), all.size() / 2);
  ASSERT_EQ(run("regions", options + "'pc=*scale*:0+1'").status, 0);
  const auto first = times_of(read("out.vcd"));
  EXPECT_GT(first.size(), 0u);
  EXPECT_LT(first.size(), some.size());
  ASSERT_EQ(run("regions", options + "'line=other.cu:1'").status, 0);
  EXPECT_TRUE(times_of(read("out.vcd")).empty());
}

TEST_F(RecordingOptions, TheCyclesBeforeAnErrorAreKept) {
  const std::string options = " --vcd out.vcd --signals 'sm0.issue.*,sm0.warps.*' --window last=200";
  const Result result = run("faults counting", "-m small --max-cycles 3000" + options);
  EXPECT_EQ(result.status, 105);
  const auto times = times_of(read("out.vcd"));
  ASSERT_FALSE(times.empty());
  const auto cycle = [](std::uint64_t picoseconds) { return picoseconds * 700 / 1'000'000; };
  EXPECT_GE(cycle(times.back()), 2990u);
  EXPECT_LE(cycle(times.front()), 2800u);
  EXPECT_GE(cycle(times.front()), 2600u) << "what is kept begins at most a piece earlier";
  EXPECT_TRUE(fs::exists(folder_ / "out.gtkw"));
  ASSERT_EQ(run("regions", "-m small" + options).status, 0);
  EXPECT_THAT(read("out.vcd"), HasSubstr("the run ended without an error"));
  EXPECT_TRUE(times_of(read("out.vcd")).empty());
}

TEST_F(RecordingOptions, SmsAndWarpsChooseSignals) {
  ASSERT_EQ(run("regions", "-m small --vcd out.vcd --sms 1 --warps 2-3").status, 0);
  const std::string vcd = read("out.vcd");
  EXPECT_THAT(vcd, testing::AllOf(HasSubstr("$scope module sm1 $end"), Not(HasSubstr("$scope module sm0 $end")),
                                  HasSubstr(" warp2 "), HasSubstr(" warp3 "), Not(HasSubstr(" warp4 "))));
}

TEST_F(RecordingOptions, WaveformsAreCompressedByTheirEnding) {
  const std::string options = "-m small --signals 'sm0.issue.*' --window 500:900 --vcd ";
  ASSERT_EQ(run("regions", options + "plain.vcd").status, 0);
  ASSERT_EQ(run("regions", options + "zipped.vcd.gz").status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "zipped.gtkw") || fs::exists(folder_ / "zipped.vcd.gtkw"));
  ASSERT_EQ(shell("gzip -dc zipped.vcd.gz > unzipped.vcd").status, 0);
  EXPECT_EQ(read("unzipped.vcd"), read("plain.vcd"));
  if (shell("command -v vcd2fst && command -v fst2vcd").status != 0) GTEST_SKIP() << "GTKWave's tools are not here";
  ASSERT_EQ(run("regions", options + "small.fst").status, 0);
  EXPECT_LT(fs::file_size(folder_ / "small.fst"), fs::file_size(folder_ / "plain.vcd"));
  ASSERT_EQ(shell("fst2vcd small.fst > again.vcd").status, 0);
  // The same changes; only the names that stand for signals differ.
  EXPECT_EQ(times_of(read("again.vcd")), times_of(read("plain.vcd")));
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
