// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/resizing/partner_barriers.h"

#include "../isa/front_end_fixture.h"

namespace heddle::sm {
namespace {

using namespace isa;

using Indices = std::vector<std::uint32_t>;

std::shared_ptr<const Kernel> with_barriers(const std::string& body, LatMask lats = {},
                                            const std::string& parameters = "") {
  LowerOptions options;
  options.passes = {std::make_shared<PartnerBarriers>(lats)};
  options.code_order = CodeOrder::text;
  return lower_text(kernel_text(body, parameters), "k", options);
}

Indices barriers_of(const Kernel& kernel) {
  Indices out;
  for (const MicroOp& op : kernel.ops) {
    if (op.opcode == Opcode::bar_partner) out.push_back(op.pc);
  }
  return out;
}

/// Listing 1 of the source. A `ret` follows it, to which the branch leads.
const std::string kListing =
    "cvt.u64.s32 %d1, %r3;\n"
    "ld.param.u64 %d2, [parm1];\n"
    "add.u64 %d3, %d2, %d1;\n"
    "ld.global.s8 %r5, [%d3+0];\n"
    "mov.u32 %r6, 0;\n"
    "setp.eq.s32 %p2, %r5, %r6;\n"
    "@%p2 bra $Lt_0_5122;\n"
    "mov.s16 %h2, 0;\n"
    "st.global.s8 [%d3+0], %h2;\n"
    "$Lt_0_5122: ret;\n";
constexpr std::size_t kAdded = 1;  // the `ret`

TEST(PartnerBarriers, TheListingGetsOneBeforeEachAccessToGlobalMemory) {
  EXPECT_EQ(with_barriers(kListing, {false, false, false}, ".param .u64 parm1")->ops.size(), 9 + kAdded);
  const auto kernel = with_barriers(kListing, {}, ".param .u64 parm1");
  EXPECT_EQ(kernel->ops.size(), 11 + kAdded);
  EXPECT_EQ(barriers_of(*kernel), (Indices{3, 9}));
  EXPECT_EQ(kernel->ops[4].opcode, Opcode::ld);
  EXPECT_EQ(kernel->ops[10].opcode, Opcode::st);
  EXPECT_EQ(kernel->ops[7].target, 11u) << "behind the store";
}

TEST(PartnerBarriers, TheListingHasThreeWhereParametersCount) {
  const auto kernel = with_barriers(kListing, {true, true, true}, ".param .u64 parm1");
  EXPECT_EQ(kernel->ops.size(), 12 + kAdded);
  EXPECT_EQ(barriers_of(*kernel), (Indices{1, 4, 10}));
}

TEST(PartnerBarriers, WithoutThePassThereAreNone) {
  EXPECT_TRUE(barriers_of(*lower_text(kernel_text(kListing, ".param .u64 parm1"))).empty());
}

TEST(PartnerBarriers, ABranchToTheAccessLeadsToItsBarrier) {
  const auto kernel = with_barriers(
      "L: ld.global.u32 %r1, [%d1];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nst.global.u32 [%d1], %r1;\nret;");
  EXPECT_EQ(barriers_of(*kernel), (Indices{0, 4}));
  EXPECT_EQ(kernel->ops[3].target, 0u);
  EXPECT_EQ(kernel->ops[3].reconvergence_pc, 4u);
}

TEST(PartnerBarriers, SoDoTheTargetsOfAnIndirectBranch) {
  const auto kernel = with_barriers(R"(
TABLE: .branchtargets A, B;
brx.idx %r1, TABLE;
A: ld.global.u32 %r2, [%d1];
bra END;
B: ld.global.u32 %r2, [%d2];
END: st.global.u32 [%d1], %r2;
ret;)");
  EXPECT_EQ(barriers_of(*kernel), (Indices{1, 4, 6}));
  EXPECT_EQ(kernel->target_lists[0], (Indices{1, 4}));
  EXPECT_EQ(kernel->ops[3].target, 6u);
}

TEST(PartnerBarriers, AGuardedAccessHasAnUnguardedBarrier) {
  const auto kernel = with_barriers("@%p1 ld.global.u32 %r1, [%d1];\n@!%p1 st.local.u32 [%d2], %r1;\nret;");
  EXPECT_EQ(barriers_of(*kernel), (Indices{0, 2}));
  EXPECT_FALSE(kernel->ops[0].guard.present());
  EXPECT_TRUE(kernel->ops[1].guard.present());
  EXPECT_FALSE(kernel->ops[2].guard.present());
  EXPECT_TRUE(kernel->ops[3].guard.present());
}

TEST(PartnerBarriers, OneThatIsWrittenServesItsAccess) {
  const auto kernel =
      with_barriers("bar.synch_partner 0;\nL: ld.global.u32 %r1, [%d1];\n@%p1 bra L;\nst.global.u32 [%d1], %r1;\nret;");
  EXPECT_EQ(texts_of(*kernel),
            (std::vector<std::string>{"bar.synch_partner 0", "ld.global.u32 %r1, [%d1]", "@%p1 bra L",
                                      "bar.synch_partner 0 (inserted)", "st.global.u32 [%d1], %r1", "ret"}));
  EXPECT_EQ(kernel->ops[2].target, 0u);
}

TEST(PartnerBarriers, SeveralPassesAreOneForAllTheirSpaces) {
  LowerOptions options;
  options.passes = {std::make_shared<PartnerBarriers>(LatMask{true, false, false}),
                    std::make_shared<PartnerBarriers>(LatMask{true, true, false})};
  const auto kernel =
      lower_text(kernel_text("ld.global.u32 %r1, [%d1];\nst.local.u32 [%d2], %r1;\nret;"), "k", options);
  EXPECT_EQ(barriers_of(*kernel), (Indices{0, 2}));
}

TEST(PartnerBarriers, SpilledRegistersAreLocalAccesses) {
  LowerOptions options;
  options.passes = {std::make_shared<PartnerBarriers>(LatMask{false, true, false})};
  options.spill_limit = [](const Kernel&) { return 6u; };
  std::string body;
  for (int i = 1; i < 12; ++i) body += "ld.global.u32 %r" + std::to_string(i) + ", [%d1];\n";
  for (int i = 1; i < 12; ++i) body += "st.global.u32 [%d1], %r" + std::to_string(i) + ";\n";
  const auto kernel = lower_text(kernel_text(body + "ret;"), "k", options);
  ASSERT_NE(kernel->spilled_values, 0u);
  std::size_t local = 0;
  for (const MicroOp& op : kernel->ops) local += op.space == Space::local ? 1 : 0;
  EXPECT_EQ(barriers_of(*kernel).size(), local);
}

TEST(PartnerBarriers, AWrittenBarrierIsAControlOperationWithoutRegisters) {
  const auto kernel = lower_body("bar.synch_partner 0;\nbar.synch_partner 3;\nret;");
  ASSERT_EQ(kernel->ops.size(), 3u);
  for (std::uint32_t pc = 0; pc < 2; ++pc) {
    const MicroOp& op = kernel->ops[pc];
    EXPECT_EQ(op.opcode, Opcode::bar_partner);
    EXPECT_EQ(op.unit, isa::Unit::control);
    EXPECT_EQ(op.timing_class, TimingClass::barrier);
    EXPECT_EQ(op.source_count + op.destination_count, 0);
    EXPECT_EQ(op.allocated.read_count + op.allocated.write_count, 0);
  }
  EXPECT_FALSE(kernel->uses_collectives);
}

TEST(PartnerBarriers, AGuardOrARegisterIsRefused) {
  EXPECT_EQ(body_message("@%p1 bar.synch_partner 0; ret;"),
            "test.ptx:12:6: 'bar.synch_partner' has no guard: warps that would skip it leave their partners waiting; "
            "guard what follows instead");
  EXPECT_EQ(body_message("bar.synch_partner %r1; ret;"),
            "test.ptx:12:1: the operand of 'bar.synch_partner' must be a literal");
  EXPECT_EQ(body_message("bar.synch_partner; ret;"), "test.ptx:12:1: 'bar.synch_partner' has 0 operands");
  EXPECT_EQ(body_message("bar.synch_partner.u32 0; ret;"),
            "test.ptx:12:1: 'bar.synch_partner.u32' is not a legal combination of types and modifiers");
}

}  // namespace
}  // namespace heddle::sm
