// SPDX-License-Identifier: Apache-2.0
// Heddle's own opcodes and modifiers: spelling, resulting operations, refusals; and predicates passed through inline
// assembly as integers.
#include "../front_end_fixture.h"
#include "isa/collective.h"

namespace heddle::isa {
namespace {

TEST(OwnOperations, CondAccHasTypeSpaceAndOperandsInTheOrderOfTheText) {
  const auto kernel = lower_body("heddle.cond_acc.shared.b16 %r1, [%r2+6], !%p1, %h3; ret;");
  const MicroOp& op = kernel->ops[0];
  EXPECT_EQ(op.opcode, Opcode::cond_acc);
  EXPECT_EQ(op.unit, Unit::memory);
  EXPECT_EQ(op.space, Space::shared);
  EXPECT_EQ(op.type, DataType::b16);
  EXPECT_EQ(op.address_offset, 6);
  EXPECT_FALSE(op.sync_form);
  ASSERT_EQ(op.source_count, 3);
  EXPECT_EQ(op.sources[1].type, DataType::pred);
  EXPECT_TRUE(op.sources[1].negate);
  EXPECT_EQ(op.sources[2].type, DataType::b16);
  EXPECT_EQ(op.destinations[0].type, DataType::b32);
  EXPECT_TRUE(kernel->uses_collectives);
}

TEST(OwnOperations, WithoutASpaceAnAddressIsGenericAndSyncAddsTheMembers) {
  const MicroOp op = lower_body("heddle.cond_acc.sync.b64 %r1, [%d2], %p1, %d3, -1; ret;")->ops[0];
  EXPECT_EQ(op.space, Space::generic);
  EXPECT_TRUE(op.sync_form);
  EXPECT_EQ(op.source_count, 4);
  EXPECT_EQ(member_mask_source(op), 3u);
}

TEST(OwnOperations, TreeTraverseIsArithmeticOfAClassOfItsOwn) {
  const MicroOp op = lower_body("heddle.tree_traverse.u64 %d1, %d2, %p1, 32; ret;")->ops[0];
  EXPECT_EQ(op.opcode, Opcode::tree_traverse);
  EXPECT_EQ(op.unit, Unit::alu);
  EXPECT_EQ(op.timing_class, TimingClass::prefix);
  EXPECT_EQ(op.sources[0].type, DataType::b64);
  EXPECT_EQ(op.sources[2].type, DataType::b32);
}

TEST(OwnOperations, ARowHintIsKeptWithTheLoad) {
  for (const char* text : {"ld.global.rowhint.u32 %r1, [%d1]; ret;", "ld.rowhint.v2.u64 {%d1, %d2}, [%d3]; ret;",
                           "ld.global.nc.rowhint.f32 %f1, [%d1]; ret;"}) {
    EXPECT_TRUE(lower_body(text)->ops[0].row_hint) << text;
  }
  EXPECT_FALSE(lower_body("ld.global.u32 %r1, [%d1]; ret;")->ops[0].row_hint);
}

TEST(OwnOperations, WhatMakesNoSenseIsRefused) {
  EXPECT_EQ(body_message("ld.shared.rowhint.u32 %r1, [%r2]; ret;"),
            "test.ptx:12:1: 'ld.shared.rowhint.u32': a row hint is only allowed on loads from global memory");
  EXPECT_EQ(body_message("st.global.rowhint.u32 [%d1], %r2; ret;"),
            "test.ptx:12:1: 'st.global.rowhint.u32': modifier '.rowhint' is not supported");
  EXPECT_EQ(body_message("heddle.cond_acc.local.b32 %r1, [%r2], %p1, %r3; ret;"),
            "test.ptx:12:1: 'heddle.cond_acc.local.b32' can only write shared or global memory");
  EXPECT_EQ(body_message("heddle.cond_acc.b128 %r1, [%d2], %p1, %r3; ret;"),
            "test.ptx:12:1: 'heddle.cond_acc.b128': modifier '.b128' is not supported");
  EXPECT_EQ(body_message("heddle.cond_acc.f32 %r1, [%d2], %p1, %f3; ret;"),
            "test.ptx:12:1: 'heddle.cond_acc.f32' is not a legal combination of types and modifiers");
  EXPECT_EQ(body_message("heddle.tree_traverse.u16 %h1, %h2, %p1, 32; ret;"),
            "test.ptx:12:1: 'heddle.tree_traverse.u16' is not a legal combination of types and modifiers");
  EXPECT_EQ(body_message("heddle.unknown.u32 %r1; ret;"),
            "test.ptx:12:1: instruction 'heddle.unknown.u32' is not supported");
  EXPECT_EQ(body_message("heddle; ret;"), "test.ptx:12:1: instruction 'heddle' is not supported");
}

const std::string kRoundTrip =
    "setp.lt.u32 %p1, %r1, %r2; selp.u32 %r3, 1, 0, %p1; setp.ne.s32 %p2, %r3, 0;"
    "heddle.cond_acc.b32 %r4, [%d1], %p2, %r1; ";

TEST(PredicateFolding, HandsThePredicateToTheOperation) {
  const auto kernel = lower_body(kRoundTrip + "ret;");
  ASSERT_EQ(kernel->ops.size(), 3u);
  EXPECT_EQ(kernel->ops[0].opcode, Opcode::setp);
  EXPECT_EQ(kernel->ops[1].opcode, Opcode::cond_acc);
  EXPECT_EQ(kernel->ops[1].sources[1].offset, kernel->ops[0].destinations[0].offset);
  EXPECT_FALSE(kernel->ops[1].sources[1].negate);
}

TEST(PredicateFolding, KeepsTheNumberThatIsReadElsewhere) {
  const auto kernel = lower_body(kRoundTrip + "st.global.u32 [%d1], %r3; ret;");
  ASSERT_EQ(kernel->ops.size(), 5u);
  EXPECT_EQ(kernel->ops[1].opcode, Opcode::selp);
  EXPECT_EQ(kernel->ops[2].opcode, Opcode::cond_acc);
}

TEST(PredicateFolding, LeavesARoundTripWhosePredicateChangesOnTheWay) {
  const auto kernel = lower_body(
      "setp.lt.u32 %p1, %r1, %r2; selp.u32 %r3, 1, 0, %p1; setp.gt.u32 %p1, %r1, 9; setp.ne.s32 %p2, %r3, 0;"
      "heddle.cond_acc.b32 %r4, [%d1], %p2, %r1; @%p1 st.global.u32 [%d1], %r4; ret;");
  EXPECT_EQ(kernel->ops.size(), 7u);
}

TEST(PredicateFolding, LeavesOtherNumbersAndOtherOperations) {
  EXPECT_EQ(lower_body("selp.u32 %r3, 2, 0, %p1; setp.ne.s32 %p2, %r3, 0;"
                       "heddle.tree_traverse.u32 %r4, %r5, %p2, 4; ret;")
                ->ops.size(),
            4u);
  EXPECT_EQ(lower_body("selp.u32 %r3, 1, 0, %p1; setp.ne.s32 %p2, %r3, 0; vote.ballot.b32 %r4, %p2; ret;")->ops.size(),
            4u);
  // Written in two places, either of which may reach the operation.
  EXPECT_EQ(lower_body("selp.u32 %r3, 1, 0, %p1; @%p3 mov.u32 %r3, 1; setp.ne.s32 %p2, %r3, 0;"
                       "heddle.tree_traverse.u32 %r4, %r5, %p2, 4; ret;")
                ->ops.size(),
            5u);
}

}  // namespace
}  // namespace heddle::isa
