// SPDX-License-Identifier: Apache-2.0
// Kernels that do what must not be done: one message that says what, where and by whom; CUDA's error code; a status.
#include <gmock/gmock.h>

#include "run_program.h"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Faults : public RunProgram {
 protected:
  void expect_fault(const std::string& what, const std::string& code, const testing::Matcher<std::string>& message) {
    const Result result = run("faults " + what);
    EXPECT_EQ(result.status, 3) << result.out << result.err;
    EXPECT_EQ(result.out, code + "\n" + code + "\n") << "sticky";
    EXPECT_THAT(result.err, message);
    EXPECT_EQ(result.err.find("heddle: error"), result.err.rfind("heddle: error")) << "said once";
  }
  void expect_stop(const std::string& what, int status, const testing::Matcher<std::string>& message) {
    const Result result = run("faults " + what);
    EXPECT_EQ(result.status, status) << result.out << result.err;
    EXPECT_THAT(result.err, message);
  }
};

TEST_F(Faults, OutOfBoundsNamesKernelLineThreadAddressAndAllocation) {
  expect_fault("bounds", "cudaErrorIllegalAddress",
               AllOf(HasSubstr("store"), HasSubstr("faults.cu:5)"), HasSubstr("thread"),
                     HasSubstr("0 bytes past the end of"), HasSubstr("of 1024 bytes")));
}

TEST_F(Faults, HostMemoryIsNotTheDevices) {
  expect_fault("host", "cudaErrorIllegalAddress", HasSubstr("host pointer"));
}

TEST_F(Faults, UseAfterFreeIsNamed) { expect_fault("freed", "cudaErrorIllegalAddress", HasSubstr("which was freed")); }

TEST_F(Faults, NullPointerIsNamed) { expect_fault("null", "cudaErrorIllegalAddress", HasSubstr("null pointer")); }

TEST_F(Faults, MisalignedAccessHasItsOwnCode) {
  expect_fault("misaligned", "cudaErrorMisalignedAddress", AllOf(HasSubstr("misaligned"), HasSubstr("faults.cu:6)")));
}

TEST_F(Faults, SharedMemoryHasBounds) { expect_fault("shared", "cudaErrorIllegalAddress", HasSubstr("shared")); }

TEST_F(Faults, TrapIsALaunchFailure) {
  expect_fault("trap", "cudaErrorLaunchFailure", AllOf(HasSubstr("trap"), HasSubstr("threads 3 of block (0,0,0)")));
}

TEST_F(Faults, AProgramThatIgnoresThemGetsAStatus) {
  EXPECT_EQ(run("faults bounds ignore").status, 103);
  EXPECT_EQ(run("faults trap ignore").status, 108);
}

TEST_F(Faults, DivergentBarrierNamesBothPlaces) {
  expect_stop(
      "divergent", 104,
      AllOf(HasSubstr("divergent barrier"), HasSubstr("threads 0-15 of block (0,0,0)"), HasSubstr("threads 16-31")));
}

TEST_F(Faults, BarriersThatNobodyCompletesNameWhoWaits) {
  expect_stop("arrival", 104,
              AllOf(HasSubstr("is stuck"),
                    HasSubstr("threads 0-31 of block (0,0,0) wait at barrier 1 for 64 threads; 32 are there"),
                    HasSubstr("threads 32-63 of block (0,0,0) wait at barrier 2")));
}

TEST_F(Faults, AMeetingWithThreadsThatDoNotComeIsNamed) {
  expect_stop("absent", 104,
              AllOf(HasSubstr("threads 0-15 of block (0,0,0) wait for the threads 16-31 named in the mask"),
                    HasSubstr("threads 16-31 of block (0,0,0) wait at barrier 0")));
}

TEST_F(Faults, AnEndlessLoopIsProvenAndStopped) {
  expect_stop("endless", 104, AllOf(HasSubstr("makes no progress"), HasSubstr("faults.cu:")));
}

TEST_F(Faults, ALoopThatChangesMemoryEndsAtTheInstructionLimit) {
  const Result result = run("faults counting", "--functional --max-instructions 1000000");
  EXPECT_EQ(result.status, 105) << result.err;
}

TEST_F(Faults, ASpinLockWithinAWarpGetsThrough) {
  const Result result = run("faults lock");
  EXPECT_EQ(result.out, "PASS\n") << result.err;
}

}  // namespace
}  // namespace heddle::test
