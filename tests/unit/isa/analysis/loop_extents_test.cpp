// SPDX-License-Identifier: Apache-2.0
// Where loops begin and end in program order, and which of their loads access one line.
#include <string>
#include <vector>

#include "../front_end_fixture.h"
#include "isa/analysis/loop_extents.h"
#include "isa/analysis/shared_lines.h"

namespace heddle::isa {
namespace {

std::vector<std::uint32_t> pcs_of(const Kernel& kernel, Opcode opcode, Space space = Space::none) {
  std::vector<std::uint32_t> all;
  for (const MicroOp& op : kernel.ops) {
    if (op.opcode == opcode && (space == Space::none || op.space == space)) all.push_back(op.pc);
  }
  return all;
}

constexpr const char* kNested = R"(
  mov.u32 %r1, 0; mov.u64 %d1, 4096;
OUTER:
  ld.global.u32 %r5, [%d1];
  mov.u32 %r2, 0;
INNER:
  ld.global.u32 %r6, [%d1+4];
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, %r6; @%p1 bra INNER;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p2, %r1, %r5; @%p2 bra OUTER;
  ld.global.u32 %r7, [%d1+8];
AFTER:
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p3, %r7, %r5; @%p3 bra AFTER;
  st.global.u32 [%d1], %r7;
  ret;
)";

TEST(LoopExtentsTest, LoopsBeginAndEndInProgramOrder) {
  const auto kernel = lower_body(kNested);
  const LoopExtents loops(*kernel);
  const std::vector<std::uint32_t> loads = pcs_of(*kernel, Opcode::ld), branches = pcs_of(*kernel, Opcode::bra);
  ASSERT_EQ(loads.size(), 3u);
  ASSERT_EQ(branches.size(), 3u);
  ASSERT_EQ(loops.all().size(), 3u);
  const LoopExtent &outer = loops.all()[0], &inner = loops.all()[1], &after = loops.all()[2];
  EXPECT_EQ(outer.begin, loads[0]);
  EXPECT_EQ(outer.end, branches[1]);
  EXPECT_EQ(inner.begin, loads[1]);
  EXPECT_EQ(inner.end, branches[0]);
  EXPECT_EQ(after.end, branches[2]);
  EXPECT_EQ(inner.parent, &outer);
  EXPECT_EQ(inner.outermost, &outer);
  EXPECT_EQ(outer.outermost, &outer);
  EXPECT_EQ(outer.parent, nullptr);
  EXPECT_EQ(inner.depth, 2u);
  EXPECT_EQ(after.depth, 1u);
  EXPECT_EQ(loops.begins_at(loads[0]), &outer);
  EXPECT_EQ(loops.begins_at(loads[1]), &inner);
  EXPECT_EQ(loops.begins_at(loads[1] + 1), nullptr);
  EXPECT_EQ(loops.begins_at(100000), nullptr);
  EXPECT_EQ(loops.innermost(loads[0]), &outer);
  EXPECT_EQ(loops.innermost(loads[1]), &inner);
  EXPECT_EQ(loops.innermost(loads[2]), nullptr);
  EXPECT_EQ(loops.innermost(branches[1]), &outer);
  EXPECT_EQ(loops.next_after(loads[0]), &inner);
  EXPECT_EQ(loops.next_after(loads[2]), &after);
  EXPECT_EQ(loops.next_after(after.begin), nullptr);
  EXPECT_EQ(loops.irreducible(), 0u);
}

TEST(LoopExtentsTest, ACycleWithTwoEntriesIsCountedAndIsNoLoop) {
  const auto kernel = lower_body(R"(
  mov.u32 %r1, %tid.x; mov.u64 %d1, 4096;
  setp.lt.u32 %p1, %r1, 8; @%p1 bra SECOND;
FIRST:
  add.u32 %r1, %r1, 1;
SECOND:
  add.u32 %r1, %r1, 3;
  setp.lt.u32 %p2, %r1, 100; @%p2 bra FIRST;
  st.global.u32 [%d1], %r1;
  ret;
)");
  const LoopExtents loops(*kernel);
  EXPECT_TRUE(loops.all().empty());
  EXPECT_EQ(loops.irreducible(), 1u);
}

/// The numbers of the body's loads of global memory.
std::vector<unsigned> lines_of(const std::string& body) {
  const auto kernel =
      lower_body("ld.param.u64 %d1, [p]; mov.u32 %r9, 0;" + body + "st.global.u32 [%d1], %r9; ret;", ".param .u64 p");
  return loads_by_line(*kernel, pcs_of(*kernel, Opcode::ld, Space::global), 128);
}
using Numbers = std::vector<unsigned>;

/// Loads a word and uses it.
std::string load(const std::string& address) { return "ld.global.u32 %r1, [" + address + "]; add.u32 %r9, %r9, %r1; "; }

TEST(SharedLinesTest, OneBaseWithDisplacementsWithinALineIsOneLine) {
  EXPECT_EQ(lines_of(load("%d1") + load("%d1+124") + load("%d1+128")), (Numbers{0, 0, 1}));
  EXPECT_EQ(lines_of(load("%d1+64") + load("%d1-32") + load("%d1+90")), (Numbers{0, 0, 0}));
  EXPECT_EQ(lines_of(load("%d1+64") + load("%d1-65")), (Numbers{0, 1})) << "129 bytes apart";
}

TEST(SharedLinesTest, AnAdditionOfAConstantIsADisplacement) {
  EXPECT_EQ(lines_of("add.u64 %d2, %d1, 16; add.u64 %d3, %d2, 16; " + load("%d1") + load("%d2+4") + load("%d3")),
            (Numbers{0, 0, 0}));
  EXPECT_EQ(lines_of("add.u64 %d2, %d1, 128; " + load("%d1") + load("%d2")), (Numbers{0, 1}));
  EXPECT_EQ(lines_of("mov.u32 %r2, %tid.x; cvt.u64.u32 %d4, %r2; add.u64 %d2, %d1, %d4; " + load("%d1") + load("%d2")),
            (Numbers{0, 1}))
      << "the sum of two registers is another base";
}

TEST(SharedLinesTest, TheSameRegisterWrittenBetweenIsAnotherBase) {
  const std::string loop = "LOOP: " + load("%d1") + load("%d1+4") +
                           "mov.u32 %r3, %tid.x; cvt.u64.u32 %d4, %r3; add.u64 %d1, %d1, %d4; " + load("%d1+4") +
                           "setp.lt.u32 %p1, %r9, 100; @%p1 bra LOOP; ";
  EXPECT_EQ(lines_of(loop), (Numbers{0, 0, 1}));
  const std::string steps =
      "LOOP: " + load("%d1") + "add.u64 %d1, %d1, 4; " + load("%d1") + "setp.lt.u32 %p1, %r9, 100; @%p1 bra LOOP; ";
  EXPECT_EQ(lines_of(steps), (Numbers{0, 0})) << "a step by a constant is a displacement";
  const std::string guarded =
      load("%d1") + "setp.lt.u32 %p1, %r9, 7; @%p1 add.u64 %d1, %d1, 4; " + load("%d1") + load("%d1+8");
  EXPECT_EQ(lines_of(guarded), (Numbers{0, 1, 1})) << "a guarded step may not have happened";
}

/// Element k of an index array at %d1, and the element of an array at %d2 that it names. line: of the source.
std::string gather(unsigned k, unsigned line, const std::string& scale = "4", const std::string& more = "") {
  const std::string at = ".loc 1 " + std::to_string(line) + " 1\n";
  return at + "ld.global.u32 %r2, [%d1+" + std::to_string(4 * k) + "]; mul.wide.u32 %d4, %r2, " + scale +
         "; add.s64 %d5, %d2, %d4;\n" + at + "ld.global.u32 %r1, [%d5" + more + "]; add.u32 %r9, %r9, %r1; ";
}
std::vector<unsigned> lines_of_gathers(const std::string& body) {
  const auto kernel =
      lower_text(kernel_text("ld.param.u64 %d1, [p]; mov.u64 %d2, 65536; mov.u32 %r9, 0; LOOP:\n" + body +
                                 "add.u64 %d1, %d1, 16; setp.lt.u32 %p1, %r9, 100; @%p1 bra LOOP;"
                                 "st.global.u32 [%d1], %r9; ret;",
                             ".param .u64 p") +
                 ".file 1 \"k.cu\"\n");
  return loads_by_line(*kernel, pcs_of(*kernel, Opcode::ld, Space::global), 128);
}

// sum += x[index[k]], unrolled four times: the index array is one line, and a trip as written gathers once. By hand:
// two groups, {0, 2, 4, 6} and {1, 3, 5, 7} of the loads in program order.
TEST(SharedLinesTest, CopiesOfAGatherInAnUnrolledLoopCountOnce) {
  EXPECT_EQ(lines_of_gathers(gather(0, 7) + gather(1, 7) + gather(2, 7) + gather(3, 7)),
            (Numbers{0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST(SharedLinesTest, GathersThatAreNoCopiesCountEach) {
  EXPECT_EQ(lines_of_gathers(gather(0, 7) + gather(1, 8)), (Numbers{0, 1, 0, 2})) << "another line of the source";
  EXPECT_EQ(lines_of_gathers(gather(0, 7) + gather(1, 7, "8")), (Numbers{0, 1, 0, 2})) << "another computation";
  EXPECT_EQ(lines_of_gathers(gather(0, 7) + gather(1, 7, "4", "+512")), (Numbers{0, 1, 0, 2})) << "another member";
  EXPECT_EQ(lines_of_gathers(gather(0, 7) + gather(40, 7)), (Numbers{0, 1, 2, 3})) << "indices of another line";
}

// A chain of two: x[a[b[k]]], unrolled twice.
TEST(SharedLinesTest, CopiesOfAChainOfGathersCountOnce) {
  const auto next =
      std::string(".loc 1 7 1\nmul.wide.u32 %d6, %r1, 4; add.s64 %d7, %d2, %d6; ld.global.u32 %r3, [%d7]; ");
  EXPECT_EQ(lines_of_gathers(gather(0, 7) + next + gather(1, 7) + next), (Numbers{0, 1, 2, 0, 1, 2}));
}

}  // namespace
}  // namespace heddle::isa
