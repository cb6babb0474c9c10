// SPDX-License-Identifier: Apache-2.0
// Results of the headers' functions in kernels on the functional machine.
#include "../runtime/run_program.h"

namespace heddle::test {
namespace {

class DeviceCode : public RunProgram {
 protected:
  void expect_all_right(const std::string& program) {
    const Result result = run(program);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.out, "all right\n");
  }
};

TEST_F(DeviceCode, MathFunctionsStayWithinTheirBounds) { expect_all_right("device_math"); }
TEST_F(DeviceCode, IntegerWarpAtomicAndMemoryFunctionsGiveWhatPlainCodeGives) { expect_all_right("device_functions"); }
TEST_F(DeviceCode, NarrowFloatsAreRoundedAsTheirDefinitionSays) { expect_all_right("narrow_floats"); }
TEST_F(DeviceCode, WordsOfSeveralLanesGiveWhatEachLaneGives) { expect_all_right("simd_words"); }
TEST_F(DeviceCode, AsynchronousCopiesArriveBehindTheirWait) { expect_all_right("copies"); }
TEST_F(DeviceCode, InstructionsOfOurOwnGiveWhatTheHostGives) {
  for (const char* options : {"--functional", "--machine small", "--machine large-warp-core", "--machine database-core",
                              "--machine tesla-16x8", "--machine gtx480"}) {
    const Result result = run("own_instructions without_masks", options);
    EXPECT_EQ(result.status, 0) << options << result.out << result.err;
    EXPECT_EQ(result.out, "all right\n") << options;
  }
  // Threads of a warp do not run together; only instructions with a mask synchronise.
  for (const char* options : {"--machine vws-ws4", "--machine interweaving-sm", "--machine quadro-fx5800"}) {
    const Result result = run("own_instructions", options);
    EXPECT_EQ(result.status, 0) << options << result.out << result.err;
    EXPECT_EQ(result.out, "all right\n") << options;
  }
}
TEST_F(DeviceCode, GroupsHalvesAndComplexNumbersGiveWhatPlainCodeGives) { expect_all_right("device_groups"); }
TEST_F(DeviceCode, TilesOfSeveralWarpsAndBarriersInTwoHalvesMeet) {
  // Not on machines with warps of more than 32 threads: one of its warps of 32 waits for another.
  for (const char* options : {"--functional", "--machine small", "--machine tesla-16x8", "--machine gtx480",
                              "--machine barrel-core", "--machine vws-ws4"}) {
    const Result result = run("large_tiles", options);
    EXPECT_EQ(result.status, 0) << options << result.out << result.err;
    EXPECT_EQ(result.out, "all right\n") << options;
  }
  const Result checked = shell(std::string(HEDDLE_COMMAND) + " check " + HEDDLE_PROGRAMS + "/large_tiles");
  EXPECT_EQ(checked.status, 0) << checked.err;
}
TEST_F(DeviceCode, ThreadsThatSleepApartMeetOnEveryMachine) {
  for (const char* machine :
       {"barrel-core", "compaction-core", "formation-core", "gtx285", "gtx480", "interweaving-sm", "interweaving-warps",
        "interweaving-both", "interweaving-frontiers", "large-warp-core", "large-warp-two-level-core",
        "predication-core", "quadro-fx5800", "vws-ws4", "small", "subdivision-core", "tesla-16x8", "two-level-core"}) {
    const Result result = run("sleeping", std::string("--machine ") + machine);
    EXPECT_EQ(result.status, 0) << machine << result.out << result.err;
    EXPECT_EQ(result.out, "all right\n") << machine;
  }
  expect_all_right("sleeping");
}

}  // namespace
}  // namespace heddle::test
