// SPDX-License-Identifier: Apache-2.0
// Programs that check their own results.
#include "run_program.h"

namespace heddle::test {
namespace {

class SelfCheckingProgram : public RunProgram {
 protected:
  void expect_pass(const std::string& program, const std::string& options = "--functional") {
    const Result result = run(program, options);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.out, "PASS\n");
  }
};

TEST_F(SelfCheckingProgram, MemoryInAllItsForms) {
  expect_pass("memory_api", "--functional --set enforce_memory_bytes=true");
}
TEST_F(SelfCheckingProgram, GraphsPoolsAndHints) { expect_pass("graphs"); }
TEST_F(SelfCheckingProgram, NodesOfGraphs) { expect_pass("graph_nodes"); }
TEST_F(SelfCheckingProgram, UnnamedTypesAndCopiesOfBuiltInVariables) { expect_pass("declarations"); }
TEST_F(SelfCheckingProgram, SettingsOldNamesAndTheRest) { expect_pass("runtime_rest"); }
TEST_F(SelfCheckingProgram, TheDriverApisMemoryAndSettings) { expect_pass("driver_rest"); }
TEST_F(SelfCheckingProgram, KernelsCompiledAtRunTime) { expect_pass("nvrtc"); }
TEST_F(SelfCheckingProgram, PropertiesAreThoseOfTheMachine) {
  unsigned machines = 0;
  for (const auto& preset : fs::directory_iterator(HEDDLE_PRESETS)) {
    const std::string machine = preset.path().stem();
    const Result result = run("runtime_rest properties", "-q --functional -m " + machine);
    EXPECT_EQ(result.status, 0) << machine << "\n" << result.out << result.err;
    EXPECT_EQ(result.out.find(" 0 kHz"), std::string::npos) << machine << "\n" << result.out;
    EXPECT_EQ(result.out.find(" 0 bits"), std::string::npos) << machine << "\n" << result.out;
    ++machines;
  }
  EXPECT_GT(machines, 10u);
}
TEST_F(SelfCheckingProgram, MoreMemoryThanTheMachineHasComesFromTheHost) {
  for (const char* mode : {"", "--functional "}) {
    const Result result = run("large_allocation", std::string(mode) + "-m small --set memory_bytes=1073741824");
    EXPECT_EQ(result.out, "PASS\n") << result.err;
    EXPECT_NE(result.err.find("more device memory than the machine's 1024 MiB"), std::string::npos) << result.err;
  }
  const Result refused =
      run("large_allocation", "-m small --set memory_bytes=1073741824 --set enforce_memory_bytes=true");
  EXPECT_EQ(refused.out, "refused\n");
  EXPECT_NE(refused.err.find("an allocation failed: 2147483648 bytes were requested"), std::string::npos)
      << refused.err;
}
TEST_F(SelfCheckingProgram, DrivenByTheDriverApi) {
  for (const char* options : {"--functional", "--machine small"}) {
    const Result result = run("driver_api", options);
    EXPECT_EQ(result.status, 0) << options << "\n" << result.out << result.err;
    EXPECT_EQ(result.out, "PASS\n");
  }
}
TEST_F(SelfCheckingProgram, LaunchesQuestionsQueuesAndHostThreads) { expect_pass("launch_api"); }
TEST_F(SelfCheckingProgram, ThreadsOfAWarpMeet) { expect_pass("warps"); }
TEST_F(SelfCheckingProgram, FunctionsCallThemselves) { expect_pass("recursion"); }
TEST_F(SelfCheckingProgram, FunctionsCallThemselvesOnEveryGrouping) {
  for (const char* grouping :
       {"", "--set sm.grouping=thread_frontiers", "--set sm.warp_size=4 --set sm.simd_width=4 --set sm.alu.lanes=4"}) {
    const Result result = run("recursion", std::string("--machine small ") + grouping);
    EXPECT_EQ(result.status, 0) << grouping << "\n" << result.out << result.err;
  }
}
TEST_F(SelfCheckingProgram, AStackThatIsTooSmallIsAnAccessOutOfBounds) {
  const Result result = run("recursion deep");
  EXPECT_EQ(result.out, "PASS\n");
  EXPECT_NE(result.err.find("out-of-bounds local store"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("recursion.cu:"), std::string::npos) << result.err;
}
TEST_F(SelfCheckingProgram, TexturesObjectsAndReferences) { expect_pass("textures"); }
TEST_F(SelfCheckingProgram, TexturesAndSurfacesOfEveryShapeOnEveryKindOfMachine) {
  for (const char* program : {"layered_textures", "more_textures", "mip_maps", "surfaces", "driver_textures"}) {
    for (const char* options : {"--functional", "--machine gtx480", "--machine small", "--machine tesla-16x8"}) {
      SCOPED_TRACE(std::string(program) + " " + options);
      expect_pass(program, options);
    }
  }
}
TEST_F(SelfCheckingProgram, AnAccessOutsideASurfaceIsNamed) {
  const Result result = run("surfaces", "--functional");
  EXPECT_NE(result.err.find("surface access in kernel"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("4 bytes at byte 64, row 0"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace heddle::test
