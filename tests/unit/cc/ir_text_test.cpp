// SPDX-License-Identifier: Apache-2.0
#include "cc/ir_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::cc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(IrText, NamesOfALine) {
  EXPECT_EQ(result_of("  %12 = call i32 @f(i32* %3)"), "12");
  EXPECT_EQ(result_of("  %\"a b\" = load i32, i32* %3"), "a b");
  EXPECT_EQ(result_of("  store i32 0, i32* %3"), "");
  EXPECT_THAT(names_in("  %12 = add i32 %7, %x.y"), ElementsAre("7", "x.y"));
  EXPECT_EQ(instruction_of("  %12 = add i32 %7, 1"), "add i32 %7, 1");
  EXPECT_EQ(callee_of("  %1 = call dereferenceable(4) i32* @_Z1fPi(i32* @g)"), "_Z1fPi");
  EXPECT_EQ(callee_of("  call void %5(i32* @g)"), "");
  EXPECT_EQ(callee_of("  call void asm sideeffect \"@%p bra L;\", \"\"()"), "");
}

TEST(IrText, BlocksAndLoops) {
  const IrText text(
      "@g = global i32 0\n"
      "define void @\"k k\"(i1 %0) {\n"
      "entry:\n"
      "  br label %head\n"
      "head:                 ; preds = %last, %entry\n"
      "  switch i32 %x, label %out [\n"
      "    i32 0, label %7\n"
      "    i32 1, label %last\n"
      "  ]\n"
      "7:\n"
      "  br i1 %0, label %7, label %last\n"
      "last:\n"
      "  br label %head\n"
      "out:\n"
      "  ret void\n"
      "}\n");
  ASSERT_EQ(text.functions().size(), 1u);
  const IrFunction& function = text.functions().front();
  EXPECT_EQ(function.name, "k k");
  ASSERT_EQ(function.blocks.size(), 5u);
  EXPECT_THAT(function.blocks[0].successors, ElementsAre(1u));
  EXPECT_THAT(function.blocks[1].successors, ElementsAre(4u, 2u, 3u));
  EXPECT_THAT(function.blocks[1].predecessors, ElementsAre(0u, 3u));
  EXPECT_EQ(text.lines()[function.blocks[2].end], "  br i1 %0, label %7, label %last");
  const std::vector<IrLoop> loops = loops_of(function);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].header, 1u);
  EXPECT_THAT(loops[0].blocks, ElementsAre(1u, 2u, 3u));
  EXPECT_THAT(loops[0].latches, ElementsAre(3u));
  EXPECT_EQ(loops[1].header, 2u);
  EXPECT_THAT(loops[1].blocks, ElementsAre(2u));
}

TEST(IrText, ALoopWithTwoEntriesIsNone) {
  const IrText text(
      "define void @k(i1 %0) {\n"
      "  br i1 %0, label %2, label %3\n"
      "2:\n"
      "  br label %3\n"
      "3:\n"
      "  br label %2\n"
      "}\n");
  EXPECT_THAT(loops_of(text.functions().front()), IsEmpty());
}

}  // namespace
}  // namespace heddle::cc
