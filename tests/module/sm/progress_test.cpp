// SPDX-License-Identifier: Apache-2.0
// Detection of endless loops for polling warps on a small timed machine: which polls are proven endless, and which must
// not be reported.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cached_side.h"
#include "core/error.h"
#include "gpu/gpu.h"
#include "sm_fixture.h"

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Progress : public SmTest {
 protected:
  /// Two warps: the upper polls a flag in shared memory that the lower should set.
  static std::string poll(const std::string& lower, const std::string& upper = "") {
    return kernel(".param .u64 pa",
                  ".reg .pred %p<6>; .reg .b32 %r<12>; .reg .b64 %rd<4>; .shared .align 4 .b8 flag[64];\n"
                  ".local .align 4 .b8 own[16];\n"
                  "ld.param.u64 %rd1, [pa]; mov.u32 %r3, %tid.x; mov.u32 %r0, 0; mov.u32 %r4, 0; mov.u32 %r5, 1;\n"
                  "setp.lt.u32 %p1, %r3, 32; @%p1 bra LOWER;\nPOLL:\n" +
                      upper +
                      "ld.volatile.shared.u32 %r1, [flag+8];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra POLL;\nbra.uni JOIN;\n"
                      "LOWER:\n" +
                      lower + "JOIN:\nst.global.u32 [%rd1], %r0;\nret;");
  }
  std::string failure(const std::string& ptx, unsigned blocks = 1) {
    try {
      run(ptx, {blocks, 1, 1}, {64, 1, 1}, {address(memory_)});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::no_progress);
      return error.what();
    }
    return "no error";
  }
  Cycle cycles(const std::string& ptx) { return run(ptx, {1, 1, 1}, {64, 1, 1}, {address(memory_)}); }
  void build_watched() {
    build();
    gpu_->attach(port_, {address(memory_), address(memory_) + sizeof memory_});
  }
  static constexpr const char* kSet = "st.volatile.shared.u32 [flag+8], %r5;\n";

  std::uint32_t memory_[64] = {};
};

TEST_F(Progress, APollNamesItsPlaceAndWhoWaits) {
  build_watched();
  EXPECT_THAT(failure(poll("bar.sync 0;\n")),
              AllOf(HasSubstr("makes no progress"), HasSubstr("threads 32-63 of block (0,0,0) repeat test.ptx:"),
                    HasSubstr("reading shared memory at 0x8 by test.ptx:"), HasSubstr("ld.volatile.shared"),
                    HasSubstr("wait at barrier 0")));
}

TEST_F(Progress, AWarpThatWaitsForTheMachineWhileAnotherPollsIsReported) {
  memory_latency_ = 5'000'000;
  build_watched();
  EXPECT_THAT(failure(poll(std::string("ld.global.u32 %r6, [%rd1+64]; add.u32 %r5, %r5, %r6;\n") + kSet)),
              AllOf(HasSubstr("is stuck"), HasSubstr("waited for the machine"),
                    HasSubstr("threads 0-31 of block (0,0,0) wait for data from memory"),
                    HasSubstr("threads 32-63 of block (0,0,0) repeat"), HasSubstr("reading shared memory at 0x8")));
  EXPECT_LT(gpu_->core_clock().now(), gpu::Gpu::kSuspicion + gpu::Gpu::kPatience + 3 * gpu::Gpu::kSignalCheck)
      << "the first look and what is given to the machine";
}

TEST_F(Progress, AWarpThatWaitsLongForMemoryIsLeftAlone) {
  memory_latency_ = 600'000;
  build_watched();
  EXPECT_GT(cycles(poll(std::string("ld.global.u32 %r6, [%rd1+64]; add.u32 %r5, %r5, %r6;\n") + kSet)), 600'000u);
}

TEST_F(Progress, AWarpWhoseUnitIsBlockedForLongIsLeftAlone) {
  // Loads of 32 lines each, one line at a time: no instruction issues for longer than a look.
  constexpr unsigned kLineWords = 32, kLoads = 12;
  static std::uint32_t lines[64 * kLineWords];
  memory::CacheParameters l1d = parameters_.sm_classes.front().caches.l1d.cache;
  l1d.miss_table.entries = 1;
  l1d.input_queue = 1;
  sm().memory_queue = sm().operands.memory_collectors = 1;
  build_on(cached_side(20'000, l1d, services_));
  gpu_->attach(port_, {address(lines), address(lines) + sizeof lines});
  std::string body = R"(
    .reg .b32 %r<32>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [pa];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 128;
    add.u64 %rd3, %rd1, %rd2;
  )";
  for (unsigned i = 0; i < kLoads; ++i) body += fmt::format("ld.global.u32 %r{}, [%rd3+{}];\n", i + 2, i * 4);
  // Their results are used, so that each load has a register of its own.
  for (unsigned i = 1; i < kLoads; ++i) body += fmt::format("add.u32 %r2, %r2, %r{};\n", i + 2);
  const std::string loads = kernel(".param .u64 pa", body + "st.global.u32 [%rd3], %r2;\nret;");
  EXPECT_GT(run(loads, {1, 1, 1}, {64, 1, 1}, {address(lines)}), 1'000'000u);
}

/// Half a warp waits forever; the other half reaches the point where they meet, stores and waits too.
class Stuck : public Progress {
 protected:
  std::string said(const char* grouping) {
    sm().grouping.choose(grouping);
    sm().hazards.choose("full_masks");
    build_watched();
    return failure(kernel(".param .u64 pa", R"(
      .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<3>;
      ld.param.u64 %rd1, [pa]; mov.u32 %r1, %tid.x;
      setp.lt.u32 %p, %r1, 16; @%p bra LOW;
      mov.u32 %r2, 1; bar.sync 1, 96; bra JOIN;
    LOW:
      mov.u32 %r2, 2;
    JOIN:
      st.global.u32 [%rd1], %r2; bar.sync 2, 96;
      ret;
    )"));
  }
};

TEST_F(Stuck, WhereEveryThreadWaitsThatIsSaid) {
  EXPECT_THAT(said("reconvergence_stack"),
              AllOf(HasSubstr("is stuck: every thread that has started and not exited waits for others."),
                    HasSubstr("threads 0-15 of block (0,0,0) wait at barrier 2 for 96 threads; 16 are there")));
}

TEST_F(Stuck, WhereAPathCouldGoOnThatIsSaidInstead) {
  EXPECT_THAT(said("warp_subdivision"),
              AllOf(HasSubstr("this machine runs the threads that could go on only after those that wait have gone on"),
                    HasSubstr("threads 0-15 of block (0,0,0) could go on, but grouping warp_subdivision does not run "
                              "them while others of their warp wait: test.ptx:"),
                    testing::Not(HasSubstr("every thread"))));
}

// Contexts hold threads of any warp of their group: registers of all of them say whether a loop comes to an end.
class ProgressOf : public Progress, public ::testing::WithParamInterface<const char*> {};

TEST_P(ProgressOf, AWarpThatCountsToAnEndIsLeftAloneWhileAnotherWaits) {
  sm().grouping.choose(GetParam());
  sm().hazards.choose("full_masks");
  build_watched();
  const std::string counts = kernel(".param .u64 pa", R"(
    .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [pa];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra JOIN;
  COUNT:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, 60000;
    @%p2 bra COUNT;
  JOIN:
    bar.sync 0;
    st.global.u32 [%rd1], %r2;
    ret;
  )");
  EXPECT_GT(cycles(counts), 2 * gpu::Gpu::kSuspicion);
}

INSTANTIATE_TEST_SUITE_P(Groupings, ProgressOf,
                         ::testing::Values("thread_block_compaction", "dynamic_warp_formation", "warp_subdivision"),
                         [](const auto& grouping) { return std::string(grouping.param); });

TEST_F(Progress, BlocksThatHaveYetToBeginAreNamed) {
  build_watched();
  EXPECT_THAT(failure(poll("bar.sync 0;\n"), 100),
              AllOf(HasSubstr("makes no progress"), HasSubstr("to 99 have not started"),
                    HasSubstr("must all fit on the machine at once")));
}

TEST_F(Progress, APollThatCountsItsTurnsForLaterIsReported) {
  build_watched();
  EXPECT_THAT(failure(poll("bar.sync 0;\n", "add.u32 %r0, %r0, 1;\n")), HasSubstr("makes no progress"));
}

TEST_F(Progress, APollWithADelayThatCountsInLocalMemoryIsReported) {
  build_watched();
  const std::string delay =
      "st.local.u32 [own], %r4;\nDELAY:\nld.local.u32 %r6, [own]; add.u32 %r6, %r6, 1; st.local.u32 [own], %r6;\n"
      "setp.lt.u32 %p3, %r6, 5; @%p3 bra DELAY;\n";
  EXPECT_THAT(failure(poll("bar.sync 0;\n", delay)), HasSubstr("makes no progress"));
}

TEST_F(Progress, APollThatGivesUpAfterSoManyTurnsIsLeftAlone) {
  build_watched();
  EXPECT_GT(cycles(poll("", "add.u32 %r0, %r0, 1;\nsetp.gt.u32 %p4, %r0, 20000;\n@%p4 bra JOIN;\n")), 200'000u);
}

TEST_F(Progress, APollOfWhatAnotherWarpWritesAfterLongWorkIsLeftAlone) {
  build_watched();
  EXPECT_GT(
      cycles(poll(std::string("WORK:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 40000;\n@%p3 bra WORK;\n") + kSet)),
      160'000u);
}

TEST_F(Progress, ALoopOfBarriersThatAnotherWarpCountsIsLeftAlone) {
  // At the end of an observation period the upper warp repeats itself, and the lower may be waiting.
  build_watched();
  EXPECT_GT(
      cycles(
          poll(std::string("WORK:\nbar.sync 1;\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 10000;\n@%p3 bra WORK;\n") +
                   kSet,
               "rem.u32 %r7, %r3, 7;\nrem.u32 %r8, %r7, 5;\nrem.u32 %r9, %r8, 3;\nbar.sync 1;\n")),
      160'000u);
}

TEST_F(Progress, APollThatReadsTheClockIsLeftAlone) {
  build_watched();
  EXPECT_GT(
      cycles(poll("", "mov.u32 %r6, %clock;\nsetp.gt.u32 %p4, %r6, 400000;\n@%p4 bra JOIN;\nnanosleep.u32 20;\n")),
      390'000u);
}

TEST_F(Progress, APollOfMemoryThatTheHostMayWriteIsLeftAlone) {
  build();
  std::string ptx =
      poll("WORK:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 40000;\n@%p3 bra WORK;\n" + std::string(kSet),
           "ld.volatile.global.u32 %r6, [%rd1+64];\n");
  EXPECT_GT(cycles(ptx), 160'000u);
}

}  // namespace
}  // namespace heddle
