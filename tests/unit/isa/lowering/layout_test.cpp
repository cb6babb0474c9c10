// SPDX-License-Identifier: Apache-2.0
// Order of basic blocks, and reconvergence points of diverged threads.
#include "../front_end_fixture.h"

namespace heddle::isa {
namespace {

using Texts = std::vector<std::string>;

TEST(Layout, LeavesTheTextOrderWhereItIsAFrontierOrder) {
  const auto kernel = lower_body(R"(
@%p1 bra ELSE;
mov.u32 %r1, 1;
bra.uni JOIN;
ELSE: mov.u32 %r1, 2;
JOIN: st.global.u32 [0], %r1;
ret;)");
  EXPECT_EQ(texts_of(*kernel), (Texts{"@%p1 bra ELSE", "mov.u32 %r1, 1", "bra.uni JOIN", "mov.u32 %r1, 2",
                                      "st.global.u32 [0], %r1", "ret"}));
  EXPECT_EQ(kernel->ops[0].target, 3u);
  EXPECT_EQ(kernel->ops[0].reconvergence_pc, 4u);
  EXPECT_EQ(kernel->ops[2].target, 4u);
  EXPECT_EQ(kernel->blocks.size(), 4u);
  EXPECT_EQ(kernel->blocks[0].immediate_post_dominator, 3u);
  EXPECT_EQ(kernel->blocks[3].immediate_dominator, 0u);
  EXPECT_EQ(kernel->blocks[3].predecessors, (std::vector<std::uint32_t>{1, 2}));
}

TEST(Layout, MovesAMeetingPointThatStandsTooEarly) {
  // JOIN precedes the second arm in the text, as compilers may lay out code.
  const auto kernel = lower_body(R"(
@%p1 bra THEN;
bra ELSE;
JOIN: st.global.u32 [0], %r1;
ret;
THEN: mov.u32 %r1, 1;
bra JOIN;
ELSE: mov.u32 %r1, 2;
bra JOIN;)");
  ASSERT_EQ(kernel->ops.back().opcode, Opcode::exit_);
  EXPECT_EQ(kernel->text(kernel->ops[kernel->ops[0].reconvergence_pc]), "st.global.u32 [0], %r1");
  EXPECT_GT(kernel->ops[0].reconvergence_pc, kernel->ops[0].target);
  for (const MicroOp& op : kernel->ops) {
    if (op.opcode == Opcode::bra) {
      EXPECT_GT(op.target, op.pc) << "nothing here needs to go back";
    }
  }
}

TEST(Layout, KeepsTheTextOrderOnRequest) {
  const std::string body = R"(
@%p1 bra THEN;
bra ELSE;
JOIN: st.global.u32 [0], %r1;
ret;
THEN: mov.u32 %r1, 1;
bra JOIN;
ELSE: mov.u32 %r1, 2;
bra JOIN;)";
  const auto kernel = lower_text(kernel_text(body), "k", {.code_order = CodeOrder::text});
  EXPECT_EQ(texts_of(*kernel), (Texts{"@%p1 bra THEN", "bra ELSE", "st.global.u32 [0], %r1", "ret", "mov.u32 %r1, 1",
                                      "bra JOIN", "mov.u32 %r1, 2", "bra JOIN"}));
  EXPECT_EQ(kernel->ops[0].reconvergence_pc, 2u) << "where the ways meet does not depend on the order";
}

TEST(Layout, KeepsTheBackEdgesOfALoopInTextOrder) {
  const std::string body = R"(
HEAD: @%p1 bra OUT;
@%p2 bra HEAD;
add.u32 %r1, %r1, 1;
bra HEAD;
OUT: ret;)";
  EXPECT_EQ(lower_text(kernel_text(body), "k", {.code_order = CodeOrder::text})->ops[1].target, 0u);
  EXPECT_NE(lower_body(body)->ops[1].target, 0u) << "else they share one, behind both branches";
}

TEST(Layout, TurnsABranchRoundWhenItsTargetComesNext) {
  const auto kernel = lower_body(R"(
bra START;
FAR: mov.u32 %r1, 2;
bra JOIN;
START: @%p1 bra NEAR;
bra FAR;
NEAR: mov.u32 %r1, 1;
JOIN: st.global.u32 [0], %r1;
ret;)");
  // FAR ranks first in the text, so it follows the branch.
  ASSERT_EQ(kernel->ops[0].opcode, Opcode::bra);
  EXPECT_FALSE(kernel->ops[0].guard.negate);
  EXPECT_EQ(kernel->text(kernel->ops[1]), "mov.u32 %r1, 2");
  EXPECT_EQ(kernel->text(kernel->ops[kernel->ops[0].target]), "mov.u32 %r1, 1");

  const auto turned = lower_body(R"(
bra START;
FAR: mov.u32 %r1, 2;
bra JOIN;
START: @%p1 bra FAR;
mov.u32 %r1, 1;
JOIN: st.global.u32 [0], %r1;
ret;)");
  EXPECT_TRUE(turned->ops[0].guard.negate);
  EXPECT_EQ(turned->text(turned->ops[1]), "mov.u32 %r1, 2");
  EXPECT_EQ(turned->text(turned->ops[turned->ops[0].target]), "mov.u32 %r1, 1");
}

TEST(Layout, DropsJumpsToTheNextOpAndWhatIsNeverReached) {
  const auto kernel = lower_body(R"(
bra A;
A: bra.uni B;
mov.u32 %r1, 1;
B: @%p1 bra C;
C: ret;
mov.u32 %r2, 2;)");
  EXPECT_EQ(texts_of(*kernel), (Texts{"ret"}));
}

TEST(Layout, EndsAKernelThatFallsOffItsText) {
  EXPECT_EQ(lower_body("mov.u32 %r1, 1;")->ops.back().opcode, Opcode::exit_);
  EXPECT_EQ(lower_body("")->ops.size(), 1u);
  EXPECT_EQ(lower_body("L: bra L;")->ops.size(), 1u);
}

TEST(Layout, ContinueMeetsAtACommonBackEdge) {
  const auto kernel = lower_body(R"(
HEAD: setp.ge.u32 %p2, %r1, 9;
@%p2 bra END;
ld.global.u32 %r1, [%d1];
setp.eq.u32 %p1, %r1, 0;
@%p1 bra HEAD;
add.u32 %r1, %r1, 1;
bra HEAD;
END: ret;)");
  // Both paths meet at the header; the added jump gives the meeting a place after the branch.
  const MicroOp& branch = kernel->ops[4];
  ASSERT_EQ(branch.opcode, Opcode::bra);
  EXPECT_GT(branch.reconvergence_pc, branch.pc);
  const MicroOp& meet = kernel->ops[branch.reconvergence_pc];
  EXPECT_EQ(meet.opcode, Opcode::bra);
  EXPECT_EQ(meet.target, 0u);
  EXPECT_EQ(branch.target, meet.pc);
  ASSERT_EQ(kernel->loops.size(), 1u);
  EXPECT_EQ(kernel->loops[0].header, 0u);
}

TEST(Layout, NestedLoopsAreNumberedWithTheirBlocks) {
  const auto kernel = lower_body(R"(
A: add.u32 %r1, %r1, 1;
B: add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, 9;
@%p1 bra B;
setp.lt.u32 %p2, %r1, 9;
@%p2 bra A;
ret;)");
  ASSERT_EQ(kernel->loops.size(), 2u);
  EXPECT_EQ(kernel->loops[0].blocks, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(kernel->loops[1].blocks, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(kernel->loops[1].parent, 1u);
  EXPECT_EQ(kernel->loops[1].depth, 2u);
  EXPECT_EQ(kernel->blocks[1].loop, 2u);
  EXPECT_EQ(kernel->blocks[3].loop, 0u);
  EXPECT_FALSE(kernel->irreducible);
}

TEST(Layout, MarksIrreducibleKernels) {
  const auto kernel = lower_body(R"(
@%p1 bra B;
A: add.u32 %r1, %r1, 1;
B: add.u32 %r2, %r2, 1;
@%p2 bra A;
ret;)");
  EXPECT_TRUE(kernel->irreducible);
  EXPECT_TRUE(kernel->loops.empty());
}

TEST(Layout, IndirectBranchesListTheirTargets) {
  const auto kernel = lower_body(R"(
TABLE: .branchtargets B, A, B;
brx.idx.uni %r1, TABLE;
A: mov.u32 %r2, 1; bra END;
B: mov.u32 %r2, 2;
END: st.global.u32 [0], %r2; ret;)");
  const MicroOp& branch = kernel->ops[0];
  ASSERT_EQ(branch.opcode, Opcode::brx);
  const auto& list = kernel->target_lists[branch.target_list];
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(kernel->text(kernel->ops[list[0]]), "mov.u32 %r2, 2");
  EXPECT_EQ(kernel->text(kernel->ops[list[1]]), "mov.u32 %r2, 1");
  EXPECT_EQ(list[2], list[0]);
  EXPECT_EQ(kernel->text(kernel->ops[branch.reconvergence_pc]), "st.global.u32 [0], %r2");
  EXPECT_EQ(body_message("brx.idx %r1, NONE; ret;"), "test.ptx:12:14: there is no .branchtargets 'NONE'");
  EXPECT_EQ(body_message("T: .branchtargets T; brx.idx T; ret;").substr(0, 15), "test.ptx:12:31:");
}

TEST(Layout, WaysThatOnlyEndTogetherMeetBehindTheLastOp) {
  const auto kernel = lower_body("@%p1 bra A; mov.u32 %r1, 1; exit; A: mov.u32 %r1, 2; exit;");
  EXPECT_EQ(kernel->ops[0].reconvergence_pc, kernel->ops.size());
}

TEST(Layout, AThreadThatLeavesUnderAGuardDoesNotKeepTheOthersApart) {
  const auto kernel = lower_body("@%p1 bra A; mov.u32 %r1, 1; @%p2 exit; A: mov.u32 %r1, 2; ret;");
  EXPECT_EQ(kernel->text(kernel->ops[kernel->ops[0].reconvergence_pc]), "mov.u32 %r1, 2");
}

TEST(Layout, ProgramCountersAndBlocksAgree) {
  const auto kernel = lower_body("@%p1 bra A; @%p2 exit; mov.u32 %r1, 1; A: ret;");
  for (std::uint32_t pc = 0; pc < kernel->ops.size(); ++pc) {
    EXPECT_EQ(kernel->ops[pc].pc, pc);
    const BasicBlock& block = kernel->blocks[kernel->ops[pc].block];
    EXPECT_TRUE(block.first <= pc && pc <= block.last);
  }
  EXPECT_EQ(kernel->blocks.size(), 4u) << "a guarded exit ends a block";
}

}  // namespace
}  // namespace heddle::isa
