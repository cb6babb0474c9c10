// SPDX-License-Identifier: Apache-2.0
// `heddle check` finds reliance on lock step within warps, and does not report ordered accesses.
#include <gmock/gmock.h>

#include "run_program.h"

namespace heddle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr int kHazard = 109;

class Check : public RunProgram {
 protected:
  Result check(const std::string& program) const {
    return shell(std::string(HEDDLE_COMMAND) + " check " + HEDDLE_PROGRAMS + "/" + program);
  }
  void expect_clean(const std::string& kernel) const {
    const Result result = check("lock_step " + kernel);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.out, "PASS\n");
    EXPECT_THAT(result.err, HasSubstr("heddle: note: no hazard"));
  }
};

TEST_F(Check, AReductionWithoutBarriersIsFoundWithBothInstructionsAndThreads) {
  const Result result = check("lock_step reduce");
  EXPECT_EQ(result.status, kHazard) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("heddle: error: kernel '"), HasSubstr("reduce_unordered"), HasSubstr("shared memory"),
                    HasSubstr("lock_step.cu:13)"), HasSubstr("of block (0,0,0)"), HasSubstr("__syncwarp()")));
}

TEST_F(Check, TheSameReductionWithBarriersIsClean) { expect_clean("reduce_ordered"); }

TEST_F(Check, AValueHandedToANeighbourNeedsABarrier) {
  const Result result = check("lock_step neighbour");
  EXPECT_EQ(result.status, kHazard) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("writes it at"), HasSubstr("reads it at"), HasSubstr("lock_step.cu:35)")));
}

TEST_F(Check, ABlockBarrierOrdersThreadsOfAWarp) { expect_clean("neighbour_barrier"); }

TEST_F(Check, DifferentValuesInOnePlaceConflict) { EXPECT_EQ(check("lock_step one_place").status, kHazard); }

TEST_F(Check, TheSameValueStoredTwiceIsNoConflict) { expect_clean("one_value"); }

TEST_F(Check, NeighbouringBytesAreDifferentPlaces) { expect_clean("bytes"); }

TEST_F(Check, AtomicsOrderTheirThreads) { expect_clean("ticket"); }

TEST_F(Check, APlainReadBesideAtomicsIsFound) { EXPECT_EQ(check("lock_step ticket_read").status, kHazard); }

TEST_F(Check, AFaultIsReportedAsInARun) {
  const Result result = check("faults bounds ignore");
  EXPECT_EQ(result.status, 103) << result.err;
  EXPECT_THAT(result.err, HasSubstr("past the end of"));
}

TEST_F(Check, TimingOptionsHaveNoPlaceInACheck) {
  EXPECT_EQ(shell(std::string(HEDDLE_COMMAND) + " check --vcd x true").status, 2);
}

}  // namespace
}  // namespace heddle::test
