// SPDX-License-Identifier: Apache-2.0
// State after a failure: machine, status, results.
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "run_program.h"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kTimed = "--machine small -o results";
constexpr const char* kFunctional = "--functional -o results";

class Aftermath : public RunProgram {
 protected:
  nlohmann::json results() const { return nlohmann::json::parse(read("results/run.json")); }
};

TEST_F(Aftermath, AResetLetsTheTimedMachineGoOn) {
  const Result result = run("aftermath clean", kTimed);
  EXPECT_EQ(result.out, "PASS\n") << result.err;
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(results().at("complete"), true);
}

// A single store keeps this memory busy for longer than the observation period of the loop detection.
TEST_F(Aftermath, MemoryThatIsBusyAfterTheLastThreadHasExitedIsNoEndlessWait) {
  for (const int cycles : {12000, 13000, 14000}) {
    const Result result =
        run("aftermath clean",
            "--machine interweaving-sm --set memory.constant_latency.throughput_cycles=" + std::to_string(cycles));
    EXPECT_EQ(result.out, "PASS\n") << cycles << ": " << result.err;
  }
}

TEST_F(Aftermath, AfterAFaultTheTimedMachineRefusesLaunchesAlsoAfterAReset) {
  const Result result = run("aftermath fault", kTimed);
  EXPECT_EQ(result.out, "cudaErrorUnknown\n0\nPASS\n") << result.err;
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, AllOf(HasSubstr("out-of-bounds"), HasSubstr("accepts no further launch")));
  EXPECT_EQ(results().at("complete"), false);
}

TEST_F(Aftermath, FunctionalModeGoesOnAfterAFaultAndAReset) {
  const Result result = run("aftermath fault", kFunctional);
  EXPECT_EQ(result.out, "cudaSuccess\n34\nPASS\n") << result.err;
  EXPECT_EQ(results().at("complete"), false) << "the launch that faulted is missing";
}

TEST_F(Aftermath, AFaultsKindIsNotReadFromAKernelsName) {
  EXPECT_EQ(run("aftermath misnamed").out, "cudaErrorIllegalAddress\n");
}

TEST_F(Aftermath, ARefusedLaunchShowsInStatusAndResults) {
  const Result silent = run("aftermath refused", kFunctional);
  EXPECT_EQ(silent.out, "PASS\n");
  EXPECT_EQ(silent.status, 102) << "the program never asked";
  EXPECT_EQ(results().at("complete"), false);
  EXPECT_THAT(results().at("why_incomplete").get<std::string>(),
              AllOf(HasSubstr("launch of kernel"), HasSubstr("bounded")));
  EXPECT_EQ(run("aftermath refused-asked").status, 0) << "what the program makes of it is its own affair";
  EXPECT_EQ(run("aftermath cooperative").status, 0) << "the call's result is no one else's";
}

TEST_F(Aftermath, AFunctionThatIsNoKernelIsNamed) {
  const Result result = run("aftermath unregistered");
  EXPECT_EQ(result.status, 102);
  EXPECT_THAT(result.err, HasSubstr("'no_kernel_at_all()'"));
}

TEST_F(Aftermath, RangesAreCheckedBeforeAnythingIsDone) {
  const Result result = run("aftermath array");
  EXPECT_EQ(result.out, "PASS\n") << result.err;
  EXPECT_EQ(result.err.find("heddle: error"), std::string::npos) << result.err;
}

TEST_F(Aftermath, AnInterruptBetweenKernelsLeavesResultsAndEndsByTheSignal) {
  const Result interrupted = run("aftermath interrupt", kFunctional);
  EXPECT_EQ(interrupted.status, 128 + SIGINT) << interrupted.err;
  EXPECT_THAT(interrupted.err, HasSubstr("interrupted by signal 2 (INT)"));
  EXPECT_EQ(results().at("complete"), false);
  EXPECT_EQ(results().at("kernels").size(), 2u);
  fs::remove_all(folder_ / "results");
  EXPECT_EQ(run("aftermath terminate", kTimed).status, 128 + SIGTERM);
  EXPECT_EQ(results().at("kernels").size(), 2u);
}

TEST_F(Aftermath, ASignalThatTheProgramHandlesIsItsOwn) {
  const Result result = run("aftermath own-handler", kFunctional);
  EXPECT_EQ(result.out, "PASS\n") << result.err;
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(results().at("complete"), true);
}

TEST_F(Aftermath, ASignalToAChildDoesNotEndTheRun) {
  const Result result = run("aftermath child", kFunctional);
  EXPECT_EQ(result.out, "PASS\n") << result.err;
  EXPECT_EQ(results().at("complete"), true);
}

}  // namespace
}  // namespace heddle::test
