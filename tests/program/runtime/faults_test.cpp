// SPDX-License-Identifier: Apache-2.0
// Faulty kernels: one message with cause, place and thread; CUDA's error code; an exit status. In functional mode and
// on machines with different groupings.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "run_program.h"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct FaultMachine {
  const char* name;
  const char* options;
  bool timed;
};

void PrintTo(const FaultMachine& machine, std::ostream* out) { *out << machine.name; }

class Faults : public RunProgram, public testing::WithParamInterface<FaultMachine> {
 protected:
  Result run(const std::string& program, const std::string& options = "") const {
    return RunProgram::run(program, std::string(GetParam().options) + " " + options);
  }
  void expect_fault(const std::string& what, const std::string& code, const testing::Matcher<std::string>& message) {
    const Result result = run("faults " + what);
    EXPECT_EQ(result.status, 3) << result.out << result.err;
    EXPECT_EQ(result.out, code + "\n" + code + "\n") << "sticky";
    EXPECT_THAT(result.err, message);
    EXPECT_EQ(result.err.find("heddle: error"), result.err.rfind("heddle: error")) << "said once";
  }
  void expect_stop(const std::string& what, int status, const testing::Matcher<std::string>& message) {
    const Result result = run("faults " + what, "-o results");
    EXPECT_EQ(result.status, status) << result.out << result.err;
    EXPECT_THAT(result.err, message);
    const nlohmann::json run_json = nlohmann::json::parse(read("results/run.json"));
    EXPECT_EQ(run_json.at("complete"), false);
    EXPECT_THAT(result.err, HasSubstr(run_json.at("why_incomplete").get<std::string>()));
    EXPECT_EQ(run_json.at("kernels").at(0).at("complete"), false);
    EXPECT_GT(run_json.at("kernels").at(0).at("thread_instructions"), 0);
  }
};

TEST_P(Faults, OutOfBoundsNamesKernelLineThreadAddressAndAllocation) {
  expect_fault(
      "bounds", "cudaErrorIllegalAddress",
      AllOf(HasSubstr("out-of-bounds global store of 4 bytes at 0x200000000400"), HasSubstr("kernel _Z5storePil"),
            HasSubstr("faults.ptx:"), HasSubstr("faults.cu:5)"), HasSubstr("thread (0,0,0) of block (0,0,0)"),
            HasSubstr("0 bytes past the end of"), HasSubstr("of 1024 bytes")));
}

TEST_P(Faults, HostMemoryIsNotTheDevices) {
  expect_fault("host", "cudaErrorIllegalAddress", HasSubstr("host pointer"));
}

TEST_P(Faults, UseAfterFreeIsNamed) { expect_fault("freed", "cudaErrorIllegalAddress", HasSubstr("which was freed")); }

TEST_P(Faults, NullPointerIsNamed) { expect_fault("null", "cudaErrorIllegalAddress", HasSubstr("null pointer")); }

TEST_P(Faults, AWildAccessNamesTheAllocationThatFailedBefore) {
  expect_fault("failed_malloc", "cudaErrorIllegalAddress",
               AllOf(HasSubstr("out-of-bounds global store of 4 bytes at 0x400000"),
                     HasSubstr("cudaMalloc failed earlier with cudaErrorMemoryAllocation: 1125899906842624 bytes"),
                     HasSubstr(" were free")));
}

TEST_P(Faults, AWildAccessNamesAnErrorThatNobodyAskedAbout) {
  expect_fault("ignored_error", "cudaErrorIllegalAddress",
               AllOf(HasSubstr("null pointer"), HasSubstr("cudaEventRecord failed earlier with cudaError"),
                     HasSubstr("which the program did not check")));
}

TEST_P(Faults, AnErrorThatTheProgramAskedAboutIsNotNamed) {
  expect_fault("seen_error", "cudaErrorIllegalAddress",
               AllOf(HasSubstr("null pointer"), testing::Not(HasSubstr("cudaEventRecord"))));
}

TEST_P(Faults, AnAccessBesideAnAllocationIsNotBlamedOnAnother) {
  expect_fault("failed_malloc_bounds", "cudaErrorIllegalAddress",
               AllOf(HasSubstr("0 bytes past the end of"), testing::Not(HasSubstr("cudaMalloc"))));
}

TEST_P(Faults, ANullOfTheHeapNamesTheMallocThatGotNothing) {
  expect_fault("heap", "cudaErrorIllegalAddress",
               AllOf(HasSubstr("null pointer"), HasSubstr("malloc() of 1073741824 bytes in kernel '"),
                     HasSubstr("returned null earlier")));
}

TEST_P(Faults, AddressesOfSharedAndLocalMemoryAreCutTo32Bits) {
  const Result result = run("address_wraps");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_EQ(result.out, "PASS\n");
}

TEST_P(Faults, MisalignedAccessHasItsOwnCode) {
  expect_fault("misaligned", "cudaErrorMisalignedAddress",
               AllOf(HasSubstr("misaligned global store of 4 bytes"), HasSubstr("must be a multiple of 4"),
                     HasSubstr("faults.cu:6)")));
}

TEST_P(Faults, SharedMemoryHasBounds) {
  expect_fault("shared", "cudaErrorIllegalAddress",
               AllOf(HasSubstr("out-of-bounds shared store of 4 bytes at 0x80"), HasSubstr("thread (31,0,0)"),
                     HasSubstr("the block has 128 bytes of shared memory")));
}

TEST_P(Faults, SharedMemoryHasAlignment) {
  expect_fault("shared_misaligned", "cudaErrorMisalignedAddress",
               AllOf(HasSubstr("misaligned shared load of 4 bytes at 0x"), HasSubstr("must be a multiple of 4")));
}

TEST_P(Faults, LocalMemoryHasBounds) {
  expect_fault("local", "cudaErrorIllegalAddress",
               AllOf(HasSubstr("out-of-bounds local store of 4 bytes"), HasSubstr("kernel _Z13local_overrunPii"),
                     HasSubstr("bytes of local memory")));
}

TEST_P(Faults, AtomicOperationsHaveBounds) {
  expect_fault("atomic", "cudaErrorIllegalAddress",
               AllOf(HasSubstr("out-of-bounds global atomic operation of 4 bytes"),
                     HasSubstr("faults.cu:32, inlined from "), HasSubstr("/atomics.h:")));
}

TEST_P(Faults, ANodeSizeThatIsNoPowerOfTwoIsALaunchFailure) {
  expect_fault("node_size", "cudaErrorLaunchFailure",
               AllOf(HasSubstr("node size 48 is not a power of two; threads 7 of block (0,0,0)"),
                     HasSubstr("heddle.tree_traverse")));
}

TEST_P(Faults, AConditionalAccumulateHasBounds) {
  expect_fault(
      "accumulate", "cudaErrorIllegalAddress",
      AllOf(HasSubstr("out-of-bounds global conditional accumulate of 4 bytes"), HasSubstr("of block (0,0,0)")));
}

TEST_P(Faults, TrapIsALaunchFailure) {
  expect_fault("trap", "cudaErrorLaunchFailure",
               AllOf(HasSubstr("trap by threads 3 of block (0,0,0)"), HasSubstr("faults.cu:")));
}

TEST_P(Faults, AProgramThatIgnoresThemGetsAStatus) {
  EXPECT_EQ(run("faults bounds ignore").status, 103);
  EXPECT_EQ(run("faults trap ignore").status, 108);
}

TEST_P(Faults, DivergentBarrierNamesBothPlaces) {
  expect_stop("divergent", 104,
              AllOf(HasSubstr("divergent barrier"), HasSubstr("threads 0-15 of block (0,0,0) wait at faults.ptx:"),
                    HasSubstr("threads 16-")));
}

TEST_P(Faults, BarriersThatNobodyCompletesNameWhoWaits) {
  expect_stop("arrival", 104,
              AllOf(HasSubstr("is stuck"), HasSubstr("wait at barrier 1 for 64 threads; 32 are there"),
                    HasSubstr("wait at barrier 2 for 64 threads; 32 are there"), HasSubstr("`bar.sync 1, 64")));
}

TEST_P(Faults, AMeetingWithThreadsThatDoNotComeIsNamed) {
  expect_stop("absent", 104,
              AllOf(HasSubstr("threads 0-15 of block (0,0,0) wait for the threads 16-31 named in the mask"),
                    HasSubstr("wait at barrier 0")));
}

TEST_P(Faults, AnEndlessLoopIsProvenAndStopped) {
  expect_stop("endless", 104, AllOf(HasSubstr("makes no progress"), HasSubstr("faults.cu:60)")));
}

TEST_P(Faults, ALoopThatChangesMemoryEndsAtTheInstructionLimit) {
  const Result result = run("faults counting", "--max-instructions 100000");
  EXPECT_EQ(result.status, 105) << result.err;
  EXPECT_THAT(result.err, HasSubstr("thread-instructions"));
}

TEST_P(Faults, AnEndlessLoopEndsAtTheCycleLimitAndSaysWhereItIs) {
  if (!GetParam().timed) GTEST_SKIP() << "functional mode has no cycles";
  const Result result = run("faults endless", "--max-cycles 20000 -o results");
  EXPECT_EQ(result.status, 105) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("stopped after 20"), HasSubstr("threads 0-"), HasSubstr("faults.cu:60)")));
  EXPECT_EQ(nlohmann::json::parse(read("results/run.json")).at("complete"), false);
}

TEST_P(Faults, ASpinLockWithinAWarpGetsThroughOrIsNamed) {
  if (!GetParam().timed) {
    const Result result = run("faults lock");
    EXPECT_EQ(result.out, "PASS\n") << result.err;
    return;
  }
  // Which threads spin, where and on what; which are held back, where and why.
  expect_stop(
      "lock", 104,
      AllOf(HasSubstr("makes no progress"), HasSubstr("threads 1-"), HasSubstr(" repeat faults.ptx:"),
            HasSubstr("reading 0x200000000000 (at offset 0 of device allocation 1"), HasSubstr("`atom.global.cas"),
            HasSubstr("threads 0 of block (0,0,0) wait for their turn"), HasSubstr("these threads cannot write")));
}

TEST_P(Faults, ABarrierAmongMoreBlocksThanFitNamesTheVariableAndTheBlocksThatWait) {
  expect_stop("grid_barrier", 104,
              AllOf(HasSubstr("makes no progress"), HasSubstr("threads 0 of block (0,0,0)"),
                    HasSubstr("repeat faults.ptx:"), HasSubstr("'waiting_blocks'"), HasSubstr("faults.cu:"),
                    HasSubstr("1999 have not started"), HasSubstr("must all fit on the machine at once")));
}

TEST_P(Faults, AFlagOfABlockThatPollersKeepOutIsNamedThoughTheyCountTheirTurns) {
  expect_stop(
      "late_writer", 104,
      AllOf(HasSubstr("makes no progress"), HasSubstr("reading 0x200000000000 (at offset 0 of device allocation"),
            HasSubstr("1999 have not started")));
}

TEST_P(Faults, AWrongLaunchIsRefusedAndTheNextOneRuns) {
  const Result result = run("launch_api");
  EXPECT_EQ(result.out, "PASS\n") << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("grid (0,1,1)"), HasSubstr("block (2000,1,1)"),
                                HasSubstr("1048576 bytes of dynamic shared memory")));
}

TEST_P(Faults, WhatTheDeviceCodeLacksIsNamed) {
  const Result result = run("missing_symbols");
  EXPECT_EQ(result.out, "PASS\n") << result.err;
  EXPECT_THAT(
      result.err,
      AllOf(HasSubstr("kernel 'absent_kernel' is registered by the program but not in its device code"),
            HasSubstr("variable 'absent_variable' is registered by the program but not in its device code"),
            HasSubstr("managed variable 'absent_managed' is registered by the program but not in its device code"),
            HasSubstr("absent_function")));
}

TEST_P(Faults, ThreadsOfAWarpMeetAtOnePlaceOrSeveral) {
  const Result result = run("warps meet");
  EXPECT_EQ(result.out, "PASS\n") << result.err;
}

TEST_P(Faults, AFailedAssertionIsSticky) {
  const Result result = run("kernel_output assert");
  EXPECT_EQ(result.out, "PASS\n") << result.err;
}

INSTANTIATE_TEST_SUITE_P(
    Machines, Faults,
    testing::Values(
        FaultMachine{"functional", "--functional", false}, FaultMachine{"stack", "--machine small", true},
        FaultMachine{"frontiers", "--machine small --set sm.grouping=thread_frontiers", true},
        FaultMachine{"narrow", "--machine small --set sm.warp_size=4 --set sm.simd_width=4 --set sm.alu.lanes=4", true},
        FaultMachine{"wide", "--machine small --set sm.warp_size=64", true}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace heddle::test
