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
  EXPECT_EQ(shell(heddle_run("echo --functional -o x")).out, "--functional -o x\n");
}

TEST_F(RunCommand, AMachineFileIsFoundFromTheFolderOfTheCommand) {
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
  const auto json = nlohmann::json::parse(read("results/deep/run.json"));
  EXPECT_EQ(json.at("complete"), true);
  const auto& launches = json.at("kernels");
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

TEST_F(RunCommand, AFolderThatCannotBeWrittenIsSaid) {
  const Result result = run("warps", "--functional -o /proc/nowhere");
  EXPECT_EQ(result.status, 106) << "the program ended well, but its results are lost";
  EXPECT_THAT(result.err, HasSubstr("/proc/nowhere"));
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
