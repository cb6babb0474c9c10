// SPDX-License-Identifier: Apache-2.0
// What `heddle run` passes through and what it writes.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "run_program.h"

namespace heddle::test {
namespace {

using testing::HasSubstr;

class RunCommand : public RunProgram {
 protected:
  std::string heddle_run(const std::string& rest) { return std::string(HEDDLE_COMMAND) + " run " + rest; }
};

TEST_F(RunCommand, StatusStreamsArgumentsFolderAndEnvironmentAreTheProgramsOwn) {
  const Result result =
      shell("mkdir here && cd here && echo input | FROM_OUTSIDE=yes " +
            heddle_run("--functional -- sh -c 'cat; pwd; echo $FROM_OUTSIDE \"$@\"; echo bad >&2; exit 42' x a 'b c'"));
  EXPECT_EQ(result.status, 42);
  EXPECT_THAT(result.out, testing::AllOf(testing::StartsWith("input\n"), testing::EndsWith("/here\nyes a b c\n")));
  EXPECT_EQ(result.err, "bad\n");
}

TEST_F(RunCommand, ASignalThatEndsTheProgramIsSeen) {
  EXPECT_EQ(shell(heddle_run("--functional sh -c 'kill -SEGV $$'")).status, 128 + 11);
}

TEST_F(RunCommand, OptionsBehindTheProgramAreTheProgramsOwn) {
  const Result result = shell(heddle_run("echo --functional -o x"));
  EXPECT_EQ(result.out, "--functional -o x\n");
  EXPECT_THAT(result.err, HasSubstr("--functional follows the program and is passed to it"));
  EXPECT_EQ(shell(heddle_run("-- echo --functional")).err, "") << "separated on purpose";
}

TEST_F(RunCommand, AMachineFileIsFoundFromTheFolderOfTheCommand) {
  ASSERT_EQ(shell("echo '{\"extends\": \"gtx480\"}' > mine.json; cp mine.json mine").status, 0);
  const std::string print = " sh -c 'cd / && echo $HEDDLE_MACHINE'";
  EXPECT_EQ(shell(heddle_run("--machine mine.json" + print)).out, (folder_ / "mine.json").string() + "\n");
  EXPECT_EQ(shell(heddle_run("--machine ./mine" + print)).out, (folder_ / "./mine").string() + "\n");
  EXPECT_EQ(shell(heddle_run("--machine small" + print)).out, "small\n");
}

TEST_F(RunCommand, ANameOfTheRuntimeThatHeddleLacksIsNamed) {
  const auto link = [&](const std::string& name) {
    return shell(
               "echo 'extern \"C\" int cudaGetDeviceCount(int* n) { return *n = 7; }' > empty.cpp && g++ -shared -fPIC "
               "-Wl,-soname," +
               name + " empty.cpp -o " + name +
               " && echo 'extern \"C\" int cudaGetDeviceCount(int*); int main() { int n; return "
               "cudaGetDeviceCount(&n) + n; }' > main.cpp && g++ main.cpp ./" +
               name + " -o app")
        .status;
  };
  ASSERT_EQ(link("libcudart.so.7.5"), 0);
  const Result old = shell(heddle_run("./app"));
  EXPECT_EQ(old.status, 2);
  EXPECT_THAT(old.err, HasSubstr("libcudart.so.7.5"));
  ASSERT_EQ(link("libcudart.so.10.1"), 0);
  EXPECT_EQ(shell(heddle_run("./app")).status, 1) << "one device";
}

TEST_F(RunCommand, WrongUseIsStatusTwo) {
  EXPECT_EQ(shell(heddle_run("")).status, 2);
  EXPECT_EQ(shell(heddle_run("--no-such-option true")).status, 2);
  EXPECT_EQ(shell(heddle_run("./no-such-program")).status, 2);
  const Result result = shell(heddle_run("--timing-kernels first true"));
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("--timing-kernels"));
}

TEST_F(RunCommand, ResultsGoToTheFolderAskedFor) {
  const Result result = run("warps", "--functional -o results/deep");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto run_json = nlohmann::json::parse(read("results/deep/run.json"));
  EXPECT_EQ(run_json.at("complete"), true);
  const auto& launches = run_json.at("kernels");
  ASSERT_EQ(launches.size(), 12u);
  EXPECT_THAT(launches[0].at("name").get<std::string>(), HasSubstr("sum_by_shuffle"));
  EXPECT_EQ(launches[5].at("block"), nlohmann::json({100, 1, 1}));
  EXPECT_EQ(launches[0].at("timed"), false);
  EXPECT_GT(launches[0].at("thread_instructions"), 300);
  EXPECT_EQ(launches[0].at("thread_instructions").get<long>(), 32 * launches[0].at("warp_instructions").get<long>());
}

TEST_F(RunCommand, WithoutAFolderNothingIsLeft) {
  ASSERT_EQ(run("warps").status, 0);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_THAT(entry.path().filename().string(), testing::AnyOf(".out", ".err"));
  }
}

TEST_F(RunCommand, WhatIsWrongWithOptionsIsSaidBeforeTheProgramStarts) {
  for (const auto& [options, said] :
       {std::pair{"-o /proc/nowhere", "/proc/nowhere"}, std::pair{"--machine smal", "did you mean 'small'"},
        std::pair{"--set sm.simd_widt=8", "did you mean 'sm.simd_width'"},
        std::pair{"--plugin none.so", "none.so cannot be loaded"}}) {
    const Result result = shell(heddle_run(std::string(options) + " sh -c 'echo started'"));
    EXPECT_GE(result.status, 100) << options;
    EXPECT_EQ(result.out, "") << options;
    EXPECT_THAT(result.err, HasSubstr(said));
  }
}

TEST_F(RunCommand, ASecondProgramOfAScriptDoesNotReplaceTheResultsOfTheFirst) {
  const std::string program = std::string(HEDDLE_PROGRAMS) + "/regions";
  const Result script = shell(heddle_run("--functional -o out sh -c '" + program + " && " + program + "'"));
  EXPECT_EQ(script.status, 106);
  EXPECT_EQ(script.out, "PASS\n") << "of the first";
  EXPECT_THAT(script.err, testing::AllOf(HasSubstr("wrote " + (folder_ / "out").string() + " (results"),
                                         HasSubstr("out: holds the results of an earlier run (run.json)"),
                                         HasSubstr("HEDDLE_FORCE=1")));
  // A program started without heddle run is refused, too, and allowed by the same variable.
  EXPECT_EQ(shell("HEDDLE_FUNCTIONAL=1 HEDDLE_OUTPUT=out " + program).status, 106);
  EXPECT_EQ(shell("HEDDLE_FUNCTIONAL=1 HEDDLE_OUTPUT=out HEDDLE_FORCE=1 " + program).status, 0);
}

TEST_F(RunCommand, ARecordingThatNeverBeganIsSaid) {
  const Result result = run("regions", "-m small --skip-kernels 1-9 --vcd out.vcd");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("no launch was timed, so nothing was recorded"));
  EXPECT_FALSE(fs::exists(folder_ / "out.vcd"));
}

TEST_F(RunCommand, ARunThatFaultsIsMarkedIncomplete) {
  run("faults bounds", "--functional -o results");
  EXPECT_EQ(nlohmann::json::parse(read("results/run.json")).at("complete"), false);
  run("faults endless", "--functional -o stopped");
  EXPECT_EQ(nlohmann::json::parse(read("stopped/run.json")).at("complete"), false);
}

TEST_F(RunCommand, AnInterruptLeavesWhatThereIs) {
  const std::string program = std::string(HEDDLE_PROGRAMS) + "/faults";
  const Result result = shell("timeout --foreground --preserve-status -s INT 1 " +
                              heddle_run("--functional -o results " + program + " counting"));
  EXPECT_EQ(result.status, 130) << result.err;
  EXPECT_THAT(result.err, HasSubstr("interrupted"));
  EXPECT_EQ(nlohmann::json::parse(read("results/run.json")).at("complete"), false);
}

TEST_F(RunCommand, WrongEnvironmentIsSaidAtTheFirstCall) {
  const Result result = shell("HEDDLE_MAX_CYCLES=many " + heddle_run(std::string(HEDDLE_PROGRAMS) + "/warps"));
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("HEDDLE_MAX_CYCLES"));
}

}  // namespace
}  // namespace heddle::test
