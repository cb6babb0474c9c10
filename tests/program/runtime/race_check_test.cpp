// SPDX-License-Identifier: Apache-2.0
// `heddle check` finds races between warps, and reports nothing for the same kernels with synchronisation.
#include <gmock/gmock.h>

#include "run_program.h"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr int kRace = 109;

class RaceCheck : public RunProgram, public testing::WithParamInterface<const char*> {
 protected:
  Result check(const std::string& kernel, const std::string& options = "") const {
    return shell(std::string(HEDDLE_COMMAND) + " check " + options + " " + HEDDLE_PROGRAMS + "/races " + kernel);
  }
};

TEST_P(RaceCheck, KernelsAreCleanWithWhatOrdersThemAndNotWithoutIt) {
  const std::string name = GetParam();
  const Result clean = check(name, "--global");
  EXPECT_EQ(clean.status, 0) << clean.out << clean.err;
  EXPECT_THAT(clean.err, HasSubstr("no race in shared or global memory in 1 launch\n"));
  const Result race = check(name + "_race", "--global");
  EXPECT_EQ(race.status, kRace) << race.err;
  EXPECT_THAT(race.err, AllOf(HasSubstr("race for "), HasSubstr("races.cu:"), HasSubstr(" of block (")));
}
INSTANTIATE_TEST_SUITE_P(Kernels, RaceCheck,
                         testing::Values("reuse", "reduction", "buffers", "flag", "producer", "counter", "last_block",
                                         "pipeline", "mbarriers", "cuda_barrier"),
                         [](const auto& instance) { return std::string(instance.param); });

using RaceReport = RaceCheck;

TEST_F(RaceReport, NamesTheVariableBothThreadsBothLinesAndTheKindOnce) {
  const Result result = check("reuse_race");
  EXPECT_EQ(result.status, kRace);
  EXPECT_THAT(result.err, AllOf(HasSubstr("::part' at offset "), HasSubstr("thread (0,0,0) of block (0,0,0)"),
                                HasSubstr("races.cu:16)"), HasSubstr("races.cu:19)"), HasSubstr("(read-write, "),
                                HasSubstr("race: order them with __syncthreads()")));
}

TEST_F(RaceReport, ACopyThatNobodyWaitedForHasItsOwnSentence) {
  const Result result = check("pipeline_early_race");
  EXPECT_EQ(result.status, kRace) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("copies to it at "), HasSubstr("without a wait for the copy by the first")));
}

TEST_F(RaceReport, GlobalMemoryIsLookedAtWhenAskedFor) {
  EXPECT_EQ(check("overlap_race").status, 0);
  const Result result = check("overlap_race", "--global");
  EXPECT_EQ(result.status, kRace);
  EXPECT_THAT(result.err, AllOf(HasSubstr("device allocation 1 of 512 bytes"), HasSubstr("(write-write, "),
                                HasSubstr("of block (1,0,0)")));
}

TEST_F(RaceReport, OneValueStoredByAllIsANote) {
  const Result result = check("same_value");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("heddle: note: kernel '"), HasSubstr("the value is the same in either"),
                                HasSubstr("no race in shared memory"), Not(HasSubstr("heddle: error"))));
}

}  // namespace
}  // namespace heddle::test
