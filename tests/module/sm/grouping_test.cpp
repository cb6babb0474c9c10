// SPDX-License-Identifier: Apache-2.0
// Every grouping on the smallest machine: results must equal the reference; timing may differ.
#include <array>
#include <functional>

#include "gpu/gpu.h"
#include "sm/sm.h"
#include "sm_fixture.h"

namespace heddle {
namespace {

struct Machine {
  const char* name;
  const char* grouping;
  const char* hazards;
  unsigned warp_size, simd_width, schedulers;
  sm::PipelineShape shape;
};

void PrintTo(const Machine& machine, std::ostream* out) { *out << machine.name; }

class Grouping : public SmTest, public ::testing::WithParamInterface<Machine> {
 protected:
  void SetUp() override {
    SmTest::SetUp();
    const Machine& m = GetParam();
    sm().grouping.choose(m.grouping);
    sm().hazards.choose(m.hazards);
    sm().warp_size = m.warp_size;
    sm().simd_width = m.simd_width;
    sm().schedulers = m.schedulers;
    sm().shape = m.shape;
    sm().residency.threads = 1024;
    sm().alu.lanes = m.simd_width;
    sm().alu.count = m.schedulers > 2 ? 1 : m.schedulers;
    sm().memory_lanes = m.simd_width;
    if (m.schedulers > 2) {
      sm().operands.banks = 0;
      sm().fetch.width = m.schedulers + 2;
    }
    build();
  }
};

TEST_P(Grouping, AddsVectorsWithAPartialLastBlock) {
  const std::size_t n = 1000;
  std::vector<float> a(n), b(n), c(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i) * 0.5f;
    b[i] = 1.0f - static_cast<float>(i);
  }
  run(kernel(".param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pn", kVectorAdd), {8}, {128},
      {address(a.data()), address(b.data()), address(c.data()), n});
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i;
}

// Every thread runs a loop of different length with an inner branch: out[i] = number of odd steps of a Collatz
// sequence.
TEST_P(Grouping, FollowsDivergentLoops) {
  const std::size_t n = 512;
  std::vector<std::uint32_t> out(n, 77), expected(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t x = static_cast<std::uint32_t>(i) + 1, odd = 0;
    while (x != 1) {
      if (x % 2 != 0) {
        x = 3 * x + 1;
        ++odd;
      } else {
        x /= 2;
      }
    }
    expected[i] = odd;
  }
  run(kernel(".param .u64 po", R"(
    .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<5>;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    add.s32 %r5, %r4, 1;
    mov.u32 %r6, 0;
    setp.eq.s32 %p1, %r5, 1;
    @%p1 bra END;
  LOOP:
    and.b32 %r7, %r5, 1;
    setp.eq.s32 %p2, %r7, 0;
    @%p2 bra EVEN;
    mad.lo.s32 %r5, %r5, 3, 1;
    add.s32 %r6, %r6, 1;
    bra.uni NEXT;
  EVEN:
    shr.u32 %r5, %r5, 1;
  NEXT:
    setp.ne.s32 %p3, %r5, 1;
    @%p3 bra LOOP;
  END:
    ld.param.u64 %rd1, [po];
    mul.wide.s32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r6;
    ret;
  )"),
      {4}, {128}, {address(out.data())});
  EXPECT_EQ(out, expected);
}

// Reverses 128 elements through shared memory, with a barrier between.
TEST_P(Grouping, MeetsAtBlockBarriers) {
  std::vector<std::uint32_t> data(512);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint32_t>(i);
  run(kernel(".param .u64 pd", R"(
    .shared .align 4 .b8 tile[512];
    .reg .b32 %r<12>; .reg .b64 %rd<5>;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    ld.param.u64 %rd1, [pd];
    mul.wide.s32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r5, [%rd3];
    mov.u32 %r6, tile;
    shl.b32 %r7, %r3, 2;
    add.s32 %r8, %r6, %r7;
    st.shared.u32 [%r8], %r5;
    bar.sync 0;
    sub.s32 %r9, 508, %r7;
    add.s32 %r10, %r6, %r9;
    ld.shared.u32 %r11, [%r10];
    st.global.u32 [%rd3], %r11;
    ret;
  )"),
      {4}, {128}, {address(data.data())});
  for (std::size_t i = 0; i < data.size(); ++i) ASSERT_EQ(data[i], i / 128 * 128 + 127 - i % 128);
}

// Sum over each ISA warp by shuffles, with odd lanes arriving late.
TEST_P(Grouping, MeetsForInstructionsOfTheIsaWarp) {
  std::vector<std::uint32_t> out(128, 0);
  run(kernel(".param .u64 po", R"(
    .reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<5>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %r1;
    and.b32 %r3, %r1, 1;
    setp.eq.s32 %p1, %r3, 0;
    @%p1 bra JOIN;
    add.s32 %r2, %r2, 0;
    add.s32 %r2, %r2, 0;
  JOIN:
    shfl.sync.bfly.b32 %r4, %r2, 16, 31, -1; add.s32 %r2, %r2, %r4;
    shfl.sync.bfly.b32 %r4, %r2, 8, 31, -1;  add.s32 %r2, %r2, %r4;
    shfl.sync.bfly.b32 %r4, %r2, 4, 31, -1;  add.s32 %r2, %r2, %r4;
    shfl.sync.bfly.b32 %r4, %r2, 2, 31, -1;  add.s32 %r2, %r2, %r4;
    shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1;  add.s32 %r2, %r2, %r4;
    ld.param.u64 %rd1, [po];
    mul.wide.s32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
  )"),
      {1}, {128}, {address(out.data())});
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint32_t first = static_cast<std::uint32_t>(i / 32 * 32);
    ASSERT_EQ(out[i], 32 * first + 31 * 16) << i;
  }
}

// 33 threads, so that the second ISA warp has one: every way of the branch has a copy of the shuffle, which names all
// threads of its ISA warp. Warps come to it at different times, and one that has no partner on the other way does not
// stop there.
TEST_P(Grouping, MeetsAtACopyOnEachWayOfABranch) {
  std::vector<std::uint32_t> out(33, 1000);
  run(kernel(".param .u64 po", R"(
    .reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<5>;
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 31;
    mov.u32 %r3, -1;
    setp.gt.u32 %p1, %r1, 31;
    @%p1 mov.u32 %r3, 1;
    add.s32 %r5, %r1, 7;
    setp.lt.u32 %p2, %r2, 17;
    @%p2 bra LOW;
    shfl.sync.idx.b32 %r4, %r5, 0, 31, %r3;
    bra JOIN;
  LOW:
    shfl.sync.idx.b32 %r4, %r5, 0, 31, %r3;
  JOIN:
    ld.param.u64 %rd1, [po];
    mul.wide.s32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r4;
    ret;
  )"),
      {1}, {33}, {address(out.data())});
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], i / 32 * 32 + 7) << i;
}

// A vote without a mask refers to the threads that a stack would have active, so groupings that re-form warps refuse
// it.
TEST_P(Grouping, RunsOrRefusesVotesWithoutAMask) {
  const std::string grouping = GetParam().grouping;
  const bool refused =
      grouping == "thread_block_compaction" || grouping == "dynamic_warp_formation" || grouping == "warp_subdivision";
  const std::string text = kernel("", R"(
    .reg .pred %p<3>; .reg .b32 %r<3>;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 5;
    vote.any.pred %p2, %p1;
    ret;
  )");
  try {
    run(text, {1}, {32}, {});
    EXPECT_FALSE(refused);
  } catch (const Error& error) {
    EXPECT_TRUE(refused) << error.what();
    EXPECT_EQ(error.code(), ExitCode::launch);
    EXPECT_NE(std::string(error.what()).find("vote.any"), std::string::npos) << error.what();
  }
}

TEST_P(Grouping, AccountsForEverySlotOfEveryCycle) {
  std::vector<float> a(64), b(64), c(64);
  run(kernel(".param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pn", kVectorAdd), {1}, {64},
      {address(a.data()), address(b.data()), address(c.data()), 64});
  gpu_->check_accounts();
  const auto sample = services_.statistics.total();
  double causes = 0;
  for (const std::string& cause : gpu_->sms().front()->issue().slot_account().names())
    causes += sample.value("sm0.issue.slots." + cause);
  EXPECT_EQ(causes, sm().schedulers * sample.value("sm0.issue.slots.cycles"));
  double issued = sample.value("sm0.issue.slots.issued");
  for (const char* cause : {"ganged", "combined"}) issued += sample.value(std::string("sm0.issue.slots.") + cause);
  EXPECT_EQ(issued, sample.value("sm0.issue.warp_instructions"));
  EXPECT_GT(issued, 0);
  EXPECT_EQ(sample.value("sm0.issue.thread_instructions"), 64.0 * static_cast<double>(kernels_.back()->ops.size()));
}

// Each turn of a loop sends the lanes of an ISA warp over four copies of one shuffle, other lanes over each copy every
// turn. A path that has met the others is overtaken by those that were last to come and are back at its copy one turn
// later: what these wait for is the path that they stand beside.
class CopiesInALoop : public Grouping {
 protected:
  /// `at_the_end` of a turn, and what it does to the values of an ISA warp.
  void loop(const std::string& at_the_end, const std::function<void(std::uint32_t*)>& also) {
    constexpr std::uint32_t kTurns = 60;
    std::vector<std::uint32_t> out(192), expected(192);
    run(kernel(".param .u64 po", R"(
    .reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %rd<5>;
    mov.u32 %r0, %laneid;
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
  LOOP:
    add.u32 %r3, %r0, %r1;
    mul.lo.u32 %r6, %r3, 0x9e3779b1;
    shr.u32 %r6, %r6, 13;
    and.b32 %r3, %r6, 3;
    setp.eq.u32 %p1, %r3, 0;
    @%p1 bra A;
    setp.eq.u32 %p1, %r3, 1;
    @%p1 bra B;
    setp.eq.u32 %p1, %r3, 2;
    @%p1 bra C;
    shfl.sync.idx.b32 %r4, %r6, 3, 31, -1;
    bra NEXT;
  C:
    shfl.sync.idx.b32 %r4, %r6, 3, 31, -1;
    add.u32 %r2, %r2, 3;
    bra NEXT;
  B:
    shfl.sync.idx.b32 %r4, %r6, 3, 31, -1;
    add.u32 %r2, %r2, 7;
    bra NEXT;
  A:
    shfl.sync.idx.b32 %r4, %r6, 3, 31, -1;
    add.u32 %r2, %r2, 5;
  NEXT:
  )" + at_the_end + R"(
    mad.lo.u32 %r2, %r2, 31, %r4;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p2, %r1, 60;
    @%p2 bra LOOP;
    mov.u32 %r7, %tid.x;
    ld.param.u64 %rd1, [po];
    mul.wide.u32 %rd2, %r7, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
  )"),
        {1}, {192}, {address(out.data())});
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      const auto hash = [&](std::uint32_t lane) { return (lane + turn) * 0x9e3779b1u >> 13; };
      for (std::uint32_t t = 0; t < 192; ++t) expected[t] += std::array<std::uint32_t, 4>{5, 7, 3, 0}[hash(t % 32) & 3];
      for (std::uint32_t warp = 0; warp < 6; ++warp) also(&expected[32 * warp]);
      for (std::uint32_t& value : expected) value = value * 31 + hash(3);
    }
    EXPECT_EQ(out, expected);
  }
};

TEST_P(CopiesInALoop, MeetEveryTurn) {
  loop("", [](std::uint32_t*) {});
}

TEST_P(CopiesInALoop, MeetEveryTurnAndBehindThem) {
  loop("shfl.sync.idx.b32 %r10, %r2, 5, 31, -1;\n add.u32 %r2, %r2, %r10;\n", [](std::uint32_t* warp) {
    const std::uint32_t fifth = warp[5];
    for (unsigned lane = 0; lane < 32; ++lane) warp[lane] += fifth;
  });
}

using sm::PipelineShape;
const auto kMachines = ::testing::Values(
    Machine{"stack32", "reconvergence_stack", "scoreboard", 32, 32, 2, PipelineShape::buffered},
    Machine{"stack32_barrel", "reconvergence_stack", "one_in_flight", 32, 32, 1, PipelineShape::barrel},
    Machine{"stack32_one", "reconvergence_stack", "one_in_flight", 32, 8, 1, PipelineShape::one_in_flight},
    Machine{"stack8", "reconvergence_stack", "scoreboard", 8, 8, 1, PipelineShape::buffered},
    Machine{"stack4", "reconvergence_stack", "scoreboard", 4, 4, 1, PipelineShape::buffered},
    Machine{"stack256", "reconvergence_stack", "scoreboard", 256, 64, 1, PipelineShape::buffered},
    Machine{"frontiers64", "thread_frontiers", "scoreboard", 64, 64, 1, PipelineShape::buffered},
    Machine{"gangs4", "variable_warps", "scoreboard", 4, 32, 8, PipelineShape::buffered},
    Machine{"gangs8_narrow", "variable_warps", "scoreboard", 8, 16, 4, PipelineShape::buffered},
    Machine{"gangs4_one", "variable_warps", "one_in_flight", 4, 32, 8, PipelineShape::one_in_flight},
    Machine{"partners8", "dynamic_warp_resizing", "one_in_flight", 8, 8, 1, PipelineShape::barrel},
    Machine{"partners16", "dynamic_warp_resizing", "scoreboard", 16, 16, 2, PipelineShape::buffered},
    Machine{"partners32_one", "dynamic_warp_resizing", "one_in_flight", 32, 32, 1, PipelineShape::one_in_flight},
    Machine{"interweaving64", "branch_interweaving", "full_masks", 64, 64, 2, PipelineShape::buffered},
    Machine{"interweaving64_matrix", "branch_interweaving", "dependency_matrix", 64, 64, 2, PipelineShape::buffered},
    Machine{"interweaving64_one", "branch_interweaving", "one_in_flight", 64, 64, 2, PipelineShape::one_in_flight},
    Machine{"cascade64", "warp_interweaving", "scoreboard", 64, 64, 2, PipelineShape::buffered},
    Machine{"cascade64_splits", "branch_and_warp_interweaving", "dependency_matrix", 64, 64, 2,
            PipelineShape::buffered},
    Machine{"tables64", "table_frontiers", "scoreboard", 64, 64, 1, PipelineShape::buffered},
    Machine{"large256", "large_warps", "in_flight_bits", 256, 32, 1, PipelineShape::barrel},
    Machine{"counters32", "thread_counters", "scoreboard", 32, 32, 2, PipelineShape::buffered},
    Machine{"counters64", "thread_counters", "one_in_flight", 64, 64, 1, PipelineShape::barrel},
    Machine{"predication32", "predication", "scoreboard", 32, 32, 2, PipelineShape::buffered},
    Machine{"predication32_barrel", "predication", "one_in_flight", 32, 32, 1, PipelineShape::barrel},
    Machine{"compaction32", "thread_block_compaction", "full_masks", 32, 32, 2, PipelineShape::buffered},
    Machine{"compaction32_barrel", "thread_block_compaction", "one_in_flight", 32, 32, 1, PipelineShape::barrel},
    Machine{"formation32", "dynamic_warp_formation", "full_masks", 32, 32, 2, PipelineShape::buffered},
    Machine{"formation32_barrel", "dynamic_warp_formation", "one_in_flight", 32, 32, 1, PipelineShape::barrel},
    Machine{"subdivision32", "warp_subdivision", "full_masks", 32, 32, 2, PipelineShape::buffered},
    Machine{"subdivision32_barrel", "warp_subdivision", "one_in_flight", 32, 32, 1, PipelineShape::barrel},
    Machine{"subdivision64", "warp_subdivision", "full_masks", 64, 32, 1, PipelineShape::buffered});
const auto name_of = [](const auto& machine) { return std::string(machine.param.name); };
INSTANTIATE_TEST_SUITE_P(All, Grouping, kMachines, name_of);
INSTANTIATE_TEST_SUITE_P(All, CopiesInALoop, kMachines, name_of);

}  // namespace
}  // namespace heddle
