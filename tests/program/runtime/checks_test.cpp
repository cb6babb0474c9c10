// SPDX-License-Identifier: Apache-2.0
// Programs that check themselves.
#include "run_program.h"

namespace heddle::test {
namespace {

class SelfCheckingProgram : public RunProgram {
 protected:
  void expect_pass(const std::string& program) {
    const Result result = run(program);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.out, "PASS\n");
  }
};

TEST_F(SelfCheckingProgram, MemoryInAllItsForms) { expect_pass("memory_api"); }
TEST_F(SelfCheckingProgram, LaunchesQuestionsQueuesAndHostThreads) { expect_pass("launch_api"); }
TEST_F(SelfCheckingProgram, ThreadsOfAWarpMeet) { expect_pass("warps"); }
TEST_F(SelfCheckingProgram, TexturesObjectsAndReferences) { expect_pass("textures"); }

}  // namespace
}  // namespace heddle::test
