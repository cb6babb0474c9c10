// SPDX-License-Identifier: Apache-2.0
// nanosleep on a small timed machine: how long a warp sleeps, and who uses its slots meanwhile.
#include <gmock/gmock.h>

#include <cmath>

#include "core/error.h"
#include "gpu/gpu.h"
#include "sm_fixture.h"

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Sleep : public SmTest {
 protected:
  /// Begins when its parameter has arrived. %p1 is true in warp 0, %p2 in one thread of every warp; the final %r4 is
  /// stored.
  static std::string program(const std::string& body) {
    return kernel(
        ".param .u64 pa",
        ".reg .pred %p<6>; .reg .b32 %r<12>; .reg .b64 %rd<4>; .shared .align 4 .b8 flag[64];\n"
        "ld.param.u64 %rd1, [pa]; add.s64 %rd1, %rd1, 0; mov.u32 %r3, %tid.x; mov.u32 %r4, 0; mov.u32 %r5, 1;\n"
        "setp.lt.u32 %p1, %r3, 32; and.b32 %r6, %r3, 31; setp.eq.u32 %p2, %r6, 7;\n" +
            body + "st.global.u32 [%rd1], %r4;\nret;");
  }
  /// With a warm instruction cache.
  Cycle cycles(const std::string& body, unsigned threads = 32) {
    if (gpu_ == nullptr) {
      build();
      gpu_->attach(port_, {address(memory_), address(memory_) + sizeof memory_});
      hertz_ = gpu_->core_clock().hertz();
    }
    run(program(body), {1, 1, 1}, {threads, 1, 1}, {address(memory_)});
    return run(program(body), {1, 1, 1}, {threads, 1, 1}, {address(memory_)});
  }
  Cycle in_cycles(double nanoseconds) const { return static_cast<Cycle>(std::llround(nanoseconds * 1e-9 * hertz_)); }

  double hertz_ = 0;
  std::uint32_t memory_[64] = {};
};

TEST_F(Sleep, TakesTheTimeToTheNearestCycle) {
  const Cycle none = cycles("nanosleep.u32 0;\n");
  for (const unsigned nanoseconds : {100u, 101u, 5000u, 1'000'000u}) {
    const Cycle slept = cycles("nanosleep.u32 " + std::to_string(nanoseconds) + ";\n") - none;
    EXPECT_LE(slept, in_cycles(nanoseconds)) << nanoseconds;
    EXPECT_GE(slept + sm().latency[static_cast<std::size_t>(isa::TimingClass::barrier)].latency, in_cycles(nanoseconds))
        << nanoseconds;
  }
}

TEST_F(Sleep, ABarrierOfPartnersTakesASlotAndGoesOnAtOnceWhereThereAreNone) {
  const Cycle none = cycles("");
  const double instructions = counted("issue.warp_instructions");
  std::string nine_times;
  for (int i = 0; i < 9; ++i) nine_times += "bar.synch_partner 0;\n";
  const Cycle one = cycles("bar.synch_partner 0;\n"), nine = cycles(nine_times);
  EXPECT_EQ(nine - one, 8 * (one - none));
  EXPECT_EQ(counted("issue.warp_instructions"), 3 * instructions) << "barriers are none";
}

TEST_F(Sleep, NoLongerThanAMillisecond) {
  EXPECT_EQ(cycles("nanosleep.u32 4000000000;\n"), cycles("nanosleep.u32 1000000;\n"));
}

TEST_F(Sleep, TheLongestSleeperOfAWarpDecidesAndAFalseGuardDoesNotSleep) {
  const auto all = static_cast<double>(cycles("nanosleep.u32 3000;\n"));
  const auto one = static_cast<double>(cycles("selp.u32 %r7, 3000, 10, %p2;\nnanosleep.u32 %r7;\n"));
  EXPECT_NEAR(one, all, 50) << "the instruction before it aside";
  EXPECT_LT(cycles("setp.eq.u32 %p3, %r3, 99;\n@%p3 nanosleep.u32 3000;\n"), in_cycles(3000));
}

TEST_F(Sleep, OtherWarpsWorkMeanwhile) {
  const std::string work = "WORK:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 500;\n@%p3 bra WORK;\n";
  const Cycle alone = cycles(work, 64);
  const Cycle longer = cycles("@%p1 nanosleep.u32 1000;\n@%p1 bra END;\n" + work + "END:\n", 64);
  EXPECT_LT(longer, alone + in_cycles(300)) << "the sleep lies behind the work";
}

TEST_F(Sleep, IsNoStandstillHoweverLong) {
  std::string sleeps;
  for (int i = 0; i < 4; ++i) sleeps += "nanosleep.u32 1000000;\n";
  EXPECT_GT(cycles(sleeps + "nanosleep.u32 1000000;\n"), in_cycles(4e6));
}

TEST_F(Sleep, AWarpThatPollsWhileTheWriterSleepsIsLeftAlone) {
  const std::string poll =
      "@%p1 bra WRITE;\nPOLL:\nnanosleep.u32 50;\nld.volatile.shared.u32 %r1, [flag];\nsetp.eq.u32 %p3, %r1, 0;\n"
      "@%p3 bra POLL;\nbra.uni END;\nWRITE:\n";
  EXPECT_GT(cycles(poll + "nanosleep.u32 900000;\nst.volatile.shared.u32 [flag], %r5;\nEND:\n", 64), in_cycles(9e5));
}

TEST_F(Sleep, APollThatSleepsForEverIsReported) {
  const std::string poll =
      "POLL:\nnanosleep.u32 500;\nld.volatile.shared.u32 %r1, [flag];\nsetp.eq.u32 %p3, %r1, 0;\n@%p3 bra POLL;\n";
  try {
    cycles(poll);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::no_progress);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("makes no progress"), HasSubstr("repeat test.ptx:")));
  }
}

TEST_F(Sleep, CyclesAreTheSameWithAndWithoutTheClockGateAndInEveryOrderOfCalls) {
  const std::string body =
      "mul.lo.u32 %r7, %r3, 17;\nnanosleep.u32 %r7;\nbar.sync 0;\n@%p1 nanosleep.u32 700;\nadd.u32 %r4, %r3, 1;\n";
  const Cycle plain = cycles(body, 256);
  gpu_->core_clock().permute_calls(7);
  EXPECT_EQ(cycles(body, 256), plain);
  gpu_->core_clock().set_gating(false);
  EXPECT_EQ(cycles(body, 256), plain);
}

TEST_F(Sleep, ASleepingMachineSkipsItsCycles) {
  cycles("");
  const std::uint64_t before = gpu_->core_clock().busy_cycles();
  const Cycle slept = cycles("nanosleep.u32 500000;\n");
  EXPECT_LT(gpu_->core_clock().busy_cycles() - before, slept / 100);
}

}  // namespace
}  // namespace heddle
