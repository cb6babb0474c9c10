// SPDX-License-Identifier: Apache-2.0
#include "isa/analysis/sync_points.h"

#include "../front_end_fixture.h"

namespace heddle::isa {

void PrintTo(const SyncPoint& point, std::ostream* os) { *os << point.divergence_pc << " .. " << point.pc; }

namespace {

using Points = std::vector<SyncPoint>;

TEST(SyncPoints, OfTheExampleWaitBehindTheLastCommonInstruction) {
  // The control flow of docs/sources/branch-and-warp-interweaving.md V2 with the addresses of V3: A 0-1, B 2-9, C
  // 10-11, D 12-13, E 14-15, F 16-17, G 18-19.
  const auto kernel = lower_body(R"(
setp.eq.u32 %p1, %r1, 0;
@%p1 bra C;
add.u32 %r2, %r2, 1;
add.u32 %r2, %r2, 2;
add.u32 %r2, %r2, 3;
add.u32 %r2, %r2, 4;
add.u32 %r2, %r2, 5;
add.u32 %r2, %r2, 6;
add.u32 %r2, %r2, 7;
bra G;
C: setp.eq.u32 %p2, %r1, 1;
@%p2 bra E;
add.u32 %r2, %r2, 8;
bra F;
E: add.u32 %r2, %r2, 9;
add.u32 %r2, %r2, 10;
F: add.u32 %r2, %r2, 11;
add.u32 %r2, %r2, 12;
G: st.global.u32 [0], %r2;
ret;)");
  ASSERT_EQ(kernel->ops.size(), 20u);
  ASSERT_EQ(kernel->ops[9].target, 18u);
  ASSERT_EQ(kernel->ops[13].target, 16u);
  EXPECT_EQ(kernel->sync_points, (Points{{16, 11}, {18, 1}}));
}

TEST(SyncPoints, SeveralBranchesToOnePointWaitBehindTheirCommonDominator) {
  // Both branches leave for END, which only the first one's block dominates.
  const auto kernel = lower_body(R"(
setp.eq.u32 %p1, %r1, 0;
@%p1 bra END;
setp.eq.u32 %p2, %r1, 1;
@%p2 bra END;
add.u32 %r2, %r2, 1;
END: st.global.u32 [0], %r2;
ret;)");
  EXPECT_EQ(kernel->sync_points, (Points{{5, 1}}));
}

TEST(SyncPoints, BehindALoopNobodyWaitsIfItsTestIsAtItsEnd) {
  const auto kernel = lower_body(R"(
mov.u32 %r1, %tid.x;
L: add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 9;
@%p1 bra L;
st.global.u32 [0], %r1;
ret;)");
  // Threads still in the loop have a lower program counter than its last instruction: the rule does not hold the others
  // back, and they run ahead.
  EXPECT_EQ(kernel->sync_points, (Points{{4, 3}}));
}

TEST(SyncPoints, ALoopWithItsTestAtTheTopHoldsThoseWhoLeftIt) {
  const auto kernel = lower_body(R"(
L: setp.ge.u32 %p1, %r1, 9;
@%p1 bra END;
add.u32 %r1, %r1, 1;
bra L;
END: ret;)");
  EXPECT_EQ(kernel->sync_points, (Points{{4, 1}}));
}

TEST(SyncPoints, NeverWaitForThreadsThatGoBack) {
  // Block 2 branches, and its ways meet in block 1, before it. Layout leaves such an order only in irreducible kernels.
  Kernel kernel;
  kernel.ops.resize(4);
  kernel.ops[0].opcode = kernel.ops[2].opcode = Opcode::bra;
  kernel.blocks.resize(4);
  for (std::uint32_t b = 0; b < 4; ++b) kernel.blocks[b].first = kernel.blocks[b].last = b;
  kernel.blocks[0].successors = {2};
  kernel.blocks[2].successors = {1, 3};
  kernel.blocks[3].successors = {1};
  kernel.blocks[0].immediate_post_dominator = 2;
  kernel.blocks[1].immediate_post_dominator = 4;
  kernel.blocks[2].immediate_post_dominator = kernel.blocks[3].immediate_post_dominator = 1;
  kernel.blocks[1].immediate_dominator = kernel.blocks[3].immediate_dominator = 2;
  EXPECT_TRUE(find_sync_points(kernel).empty());
  kernel.blocks[1].immediate_dominator = 0;
  EXPECT_EQ(find_sync_points(kernel), (Points{{1, 0}})) << "the same point, had all threads passed block 0 last";
}

TEST(SyncPoints, OfASwitchIsWhereItsCasesJoin) {
  const auto kernel = lower_body(R"(
TABLE: .branchtargets A, B, C;
brx.idx %r1, TABLE;
A: mov.u32 %r2, 1;
bra END;
B: mov.u32 %r2, 2;
bra END;
C: mov.u32 %r2, 3;
END: st.global.u32 [0], %r2;
ret;)");
  EXPECT_EQ(kernel->sync_points, (Points{{6, 0}}));
}

TEST(SyncPoints, AGuardedExitNeedsNone) {
  EXPECT_TRUE(lower_body("@%p1 exit; mov.u32 %r1, 1; st.global.u32 [0], %r1; ret;")->sync_points.empty());
  EXPECT_TRUE(lower_body("@%p1 bra A; mov.u32 %r1, 1; exit; A: mov.u32 %r1, 2; exit;")->sync_points.empty());
}

}  // namespace
}  // namespace heddle::isa
