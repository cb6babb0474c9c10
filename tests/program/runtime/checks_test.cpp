// SPDX-License-Identifier: Apache-2.0
// Programs that check themselves.
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

}  // namespace
}  // namespace heddle::test
