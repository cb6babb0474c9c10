// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "run_program.h"

namespace heddle::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class KernelOutput : public RunProgram {};

TEST_F(KernelOutput, PrintfAppearsWhenTheHostSynchronises) {
  const Result result = run("kernel_output printf");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out,
            "before\nlaunched\n"
            "thread 0 of block:  0.00 a 100000000 %\n"
            "thread 1 of block:  0.50 b 200000000 %\n"
            "thread 2 of block:  1.00 c 400000000 %\n"
            "after\nPASS\n");
}

TEST_F(KernelOutput, PrintfWithoutSynchronisationIsLostAndSaidSo) {
  const Result result = run("kernel_output unflushed");
  EXPECT_EQ(result.out, "done\n");
  EXPECT_THAT(result.err, HasSubstr("6 bytes of kernel output were never shown"));
}

TEST_F(KernelOutput, AFailedAssertionReadsAsInCuda) {
  const Result result = run("kernel_output assert");
  EXPECT_EQ(result.out, "PASS\n") << result.err;
  EXPECT_THAT(result.err, HasSubstr("kernel_output.cu:"));
  EXPECT_THAT(result.err,
              HasSubstr("block: [0,0,0], thread: [30,0,0] Assertion `static_cast<int>(threadIdx.x) < limit` failed."));
  EXPECT_THAT(result.err, HasSubstr("thread: [31,0,0]"));
  EXPECT_THAT(result.err, Not(HasSubstr("thread: [29,0,0]")));
}

TEST_F(KernelOutput, MallocNewAndFreeWithinTheHeapLimit) {
  const Result result = run("kernel_output heap");
  EXPECT_EQ(result.out, "PASS\n") << result.err;
  EXPECT_THAT(result.err, HasSubstr("free() of"));
}

}  // namespace
}  // namespace heddle::test
