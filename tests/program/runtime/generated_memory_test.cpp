// SPDX-License-Identifier: Apache-2.0
// Device memory produced by a function of the program, in functional mode and on machines.
#include <gmock/gmock.h>

#include "run_program.h"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class GeneratedMemory : public RunProgram, public testing::WithParamInterface<const char*> {};

TEST_P(GeneratedMemory, IsReadByKernelsAndCopiesAndTakesNoMemory) {
  // A machine with less memory than the region has would refuse it.
  const Result result = run("generated_memory", std::string(GetParam()) + " --set memory_bytes=8589934592");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
}

TEST_P(GeneratedMemory, AStoreIsAnErrorThatSaysWhy) {
  const Result result = run("generated_memory store", std::string(GetParam()) + " --set memory_bytes=8589934592");
  EXPECT_EQ(result.out, "cudaErrorIllegalAddress\n");
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("forbidden global store of 4 bytes"), HasSubstr("at offset 128 of generated region"),
                    HasSubstr("read-only"), HasSubstr("thread (0,0,0)")));
}

TEST_P(GeneratedMemory, ALoadBehindTheEndIsOutOfBounds) {
  const Result result = run("generated_memory beyond", std::string(GetParam()) + " --set memory_bytes=8589934592");
  EXPECT_EQ(result.out, "cudaErrorIllegalAddress\n");
  EXPECT_THAT(result.err, AllOf(HasSubstr("out-of-bounds global load"), HasSubstr("past the end of generated region")));
}

INSTANTIATE_TEST_SUITE_P(Modes, GeneratedMemory,
                         testing::Values("--functional", "--machine small", "--machine database-core",
                                         "--machine vws-i"),
                         [](const auto& mode) {
                           std::string name = mode.param;
                           std::string out;
                           for (const char c : name.substr(name.rfind(' ') + 1)) out += c == '-' ? '_' : c;
                           return out;
                         });

}  // namespace
}  // namespace heddle::test
