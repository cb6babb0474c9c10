// SPDX-License-Identifier: Apache-2.0
// PTX as written by hand and by old and new compilers: declarations, vectors, addresses, calls, copies.
#include <cstring>

#include "../front_end_fixture.h"
#include "../warp_interpreter.h"
#include "core/error.h"

namespace heddle::isa {
namespace {

/// What every lane stores: `out` is the first parameter, one 32-bit word a lane.
std::array<std::uint32_t, 32> words_of_text(const std::string& text, std::uint64_t second = 0) {
  alignas(64) static std::array<std::uint32_t, 32> out;
  out.fill(0xdeadbeef);
  const auto kernel = lower_text(text);
  WarpInterpreter warp(*kernel, parameters_of({reinterpret_cast<std::uint64_t>(out.data()), second}));
  EXPECT_TRUE(warp.run());
  return out;
}

std::string storing(const std::string& declarations, const std::string& body) {
  return module_text(
      declarations +
      ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .pred %p<9>;\n.reg .b16 %h<20>;\n.reg .b32 "
      "%r<40>;\n.reg .b64 %d<20>;\n.reg .f32 %f<20>;\nld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\n"
      "mul.wide.u32 %d1, %r0, 4;\nadd.u64 %d0, %d0, %d1;\n" +
      body + "\nst.global.u32 [%d0], %r1;\nret;\n}\n");
}

TEST(AsWritten, FunctionsAreDeclaredWithAndWithoutASemicolon) {
  const std::string text =
      ".visible .func (.param .b32 r) twice (.param .b32 a)\n"
      ".extern .func other (.param .b32 a)\n.weak .func third ()\n;\n"
      ".visible .func (.param .b32 r) twice (.param .b32 a)\n{ .reg .b32 %x; ld.param.b32 %x, [a]; add.u32 %x, %x, "
      "%x;\n"
      "st.param.b32 [r], %x; ret; }\n";
  const auto out = words_of_text(storing(
      text,
      "{ .param .b32 a0; .param .b32 r0; st.param.b32 [a0], %r0; call (r0), twice, (a0); ld.param.b32 %r1, [r0]; }"));
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], 2 * i);
}

TEST(AsWritten, CallsThroughPrototypesAndTargets) {
  const std::string functions =
      ".func (.param .b32 r) one (.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; add.u32 %x, %x, 1; st.param.b32 "
      "[r], %x; ret; }\n"
      ".func (.param .b32 r) ten (.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; add.u32 %x, %x, 10; "
      "st.param.b32 "
      "[r], %x; ret; }\n";
  const std::string call =
      "and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0; mov.u64 %d5, one; mov.u64 %d6, ten; selp.b64 %d7, %d5, %d6, %p1;\n"
      "{ .param .b32 a0; .param .b32 r0; st.param.b32 [a0], %r0;\n";
  const auto by_prototype = words_of_text(
      storing(functions, call + "call (r0), %d7, (a0), proto;\nproto: .callprototype (.param .b32 _) _ (.param .b32 _) "
                                ".abi_preserve 8;\nld.param.b32 %r1, [r0]; }"));
  const auto by_targets = words_of_text(storing(
      functions, call + "list: .calltargets one, ten;\ncall (r0), %d7, (a0), list;\nld.param.b32 %r1, [r0]; }"));
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(by_prototype[i], i + (i % 2 == 0 ? 1 : 10));
    EXPECT_EQ(by_targets[i], by_prototype[i]);
  }
}

TEST(AsWritten, BranchTargetsMayFollowTheirBranch) {
  const auto out = words_of_text(
      storing("",
              "and.b32 %r2, %r0, 1; brx.idx %r2, list; list: .branchtargets A, B;\nA: mov.u32 %r1, 5; bra.uni C;\n"
              "B: mov.u32 %r1, 7;\nC: "));
  EXPECT_EQ(out[0], 5u);
  EXPECT_EQ(out[1], 7u);
}

TEST(AsWritten, GlobalVariablesInABodyAreTheModulesOwn) {
  const auto module = Module::parse(
      storing("",
              ".global .align 8 .u32 table[4] = {3, 5, 7, 9};\n.const .u32 c = 4;\n{ .global .u32 table; mov.u64 %d3, "
              "table; }\nmov.u64 %d2, table;\nld.global.u32 %r1, [table+4];\nld.const.u32 %r2, [c];"),
      "test.ptx");
  ASSERT_EQ(module->variables().size(), 3u);
  EXPECT_NE(module->variables()[0].name, module->variables()[2].name);
  EXPECT_EQ(module->variables()[0].size, 16u);
  EXPECT_EQ(module->variables()[0].initial.size(), 16u);
  TestAddresses addresses;
  const auto kernel = module->lower("k", addresses);
  const std::vector<std::string> texts = texts_of(*kernel);
  const auto at = [&](const std::string& text) -> const MicroOp& {
    return kernel->ops[static_cast<std::size_t>(std::find(texts.begin(), texts.end(), text) - texts.begin())];
  };
  const auto outer = constant_of(*kernel, at("mov.u64 %d2, table").sources[0]);
  EXPECT_NE(constant_of(*kernel, at("mov.u64 %d3, table").sources[0]), outer);
  EXPECT_EQ(static_cast<std::uint64_t>(at("ld.global.u32 %r1, [table+4]").address_offset), outer + 4);
}

TEST(AsWritten, VectorRegistersHaveMembersAndMoveWhole) {
  const auto out = words_of_text(storing(
      "",
      ".reg .v4 .u32 %v, %w; .reg .v2 .u32 %q<3>;\nmov.v4.u32 %v, %tid;\nadd.u32 %v.y, %v.x, 100;\nmov.v4.u32 {%w.y, "
      "%w.x, %w.z, %w.w}, %v;\nmov.v2.u32 %q1, {%w.x, %w.y};\nmov.v2.b32 {%q1.x, %q1.y}, {%q1.y, %q1.x};\n"
      "mad.lo.u32 %r1, %q1.y, 1000, %q1.x;"));
  // v = (tid, tid + 100), w = (tid + 100, tid), q = the same, turned.
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], (i + 100) * 1000 + i);
  EXPECT_NE(body_message(".reg .v2 .u32 %v; mov.v4.u32 %v, %tid; ret;").find("needs vectors of 4 elements"),
            std::string::npos);
}

TEST(AsWritten, WideVectorsAreTwoAccesses) {
  alignas(64) std::array<std::uint32_t, 16> in;
  for (unsigned i = 0; i < 16; ++i) in[i] = 1u << i;
  const auto out = words_of_text(
      storing(
          "",
          "ld.param.u64 %d2, [in];\nld.global.v8.b32 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, [%d2];\nadd.u32 %r1, "
          "%r2, %r9;\nld.global.v4.u64 {%d2, _, %d3, %d4}, [%d2+32];\ncvt.u32.u64 %r2, %d2; add.u32 %r1, %r1, %r2;\n"
          "cvt.u32.u64 %r2, %d4; add.u32 %r1, %r1, %r2;"),
      reinterpret_cast<std::uint64_t>(in.data()));
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], (1u << 0) + (1u << 7) + (1u << 8) + (1u << 14));
  EXPECT_NE(
      body_message("ld.global.v8.b64 {%d1, %d2, %d3, %d4, %d5, %d6, %d7, %d8}, [%d1]; ret;").find("the maximum is 32"),
      std::string::npos);
}

TEST(AsWritten, ConstantExpressionsStandWhereAConstantMay) {
  const auto out = words_of_text(storing(
      "",
      ".shared .align 4 .b32 temp[8];\nst.shared.u32 [temp+1*4], %r0;\nmov.u32 %r2, temp+4;\nld.shared.u32 %r1, "
      "[%r2 - 4 + 2*2];\nld.shared.u32 %r3, temp[1];\nadd.u32 %r1, %r1, %r3;\nmov.u32 %r4, temp[2];\nsub.u32 %r4, "
      "%r4, temp;\nadd.u32 %r1, %r1, %r4;\nadd.u32 %r1, %r1, (3 > 2 ? 1 << 4 : ~0) & 0xF0 | WARP_SZ - 31;"));
  // Of 32 stores to one place the last one stays.
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], 2 * 31 + 8 + 17);
}

TEST(AsWritten, AddressesOf32Bits) {
  const std::string text =
      ".version 3.0\n.target sm_20\n.address_size 32\n.global .u32 cell;\n.global .u32 pointers[2] = {cell, cell+4};\n"
      ".entry k(.param .u32 out, .param .u32 n)\n{ .reg .u32 %r<9>; .reg .pred %p; .shared .u32 s[4]; .local .u32 "
      "l[2];\n"
      "ld.param.u32 %r1, [out]; cvta.to.global.u32 %r1, %r1; mov.u32 %r2, s; cvta.shared.u32 %r3, %r2; st.u32 [%r3+4], "
      "7;\n"
      "ld.shared.u32 %r4, [s+4]; mov.u32 %r5, l; cvta.local.u32 %r6, %r5; st.u32 [%r6], %r4; ld.local.u32 %r4, [l];\n"
      "isspacep.shared %p, %r3; selp.u32 %r7, 1, 0, %p; add.u32 %r4, %r4, %r7; mov.u32 %r8, cell; st.global.u32 [%r8], "
      "%r4; "
      "ret; }\n";
  const auto module = Module::parse(text, "narrow.ptx");
  EXPECT_EQ(module->address_bits(), 32u);
  EXPECT_EQ(module->kernels()[0].parameter_bytes, 8u);
  ASSERT_EQ(module->find_variable("pointers")->relocations.size(), 2u);
  EXPECT_EQ(module->find_variable("pointers")->relocations[1].bytes, 4u);
  TestAddresses addresses;
  std::uint32_t cell = 0;
  const auto kernel = module->lower("k", addresses);
  // The store goes to an address of 32 bits: the interpreter's cell lies above, so that it is read from the register.
  (void)cell;
  EXPECT_EQ(kernel->ops.back().opcode, Opcode::exit_);
  EXPECT_EQ(Module::parse(".version 1.4\n.target sm_10\n.entry k(.param .u32 a) { exit; }", "a")->address_bits(), 32u);
  EXPECT_EQ(Module::parse(".version 1.4\n.target sm_10\n.entry k(.param .u64 a) { exit; }", "a")->address_bits(), 64u);
  EXPECT_NE(message_of([] {
              Module::parse(".version 3.0\n.target sm_20\n.address_size 16\n", "a");
            }).find("must be 32 or 64"),
            std::string::npos);
}

TEST(AsWritten, VideoInstructionsSelectAndNegate) {
  const auto out = words_of_text(storing(
      "",
      "mov.u32 %r2, 0x80FF7F01;\nvadd.s32.s32.s32.sat %r3.b0, %r2.b3, %r2.b2, 0x11223344;\nvmad.s32.s32.s32.shr7 %r4, "
      "-%r2.h0, %r2.b0, %r0;\nvabsdiff4.u32.u32.u32.add %r5, %r2, 0, 0;\nvadd2.u32.u32.u32 %r6.h1, %r2.h01, %r2.h32, "
      "5;\n"
      "add.u32 %r1, %r3, %r4; add.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r6;"));
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t merged = 0x11223380;  // -128 + -1, clamped
    const auto scaled =
        static_cast<std::uint32_t>((static_cast<std::int32_t>(i) - 0x7f01) >> 7);  // -(0x7f01 * 1) + tid
    const std::uint32_t sum = 0x80 + 0xff + 0x7f + 1;
    // .h01: the upper element is the lower half of the first source; .h32: those of the second in order.
    const std::uint32_t upper = ((0x7f01 + 0x80ff) & 0xffff) << 16 | 5;
    EXPECT_EQ(out[i], merged + scaled + sum + upper);
  }
  EXPECT_NE(body_message("vadd.u32.u32.u32 %r1, %r2, %r3, %r4; ret;").find("needs a third source"), std::string::npos);
  EXPECT_NE(body_message("vadd.u32.u32.u32 %r1, %r2.b4, %r3; ret;").find("'.b4' cannot select"), std::string::npos);
  EXPECT_NE(body_message("vadd4.u32.u32.u32 %r1, %r2.b01, %r3, %r4; ret;").find("'.b01' cannot select"),
            std::string::npos);
  EXPECT_NE(body_message("add.u32 %r1, -%r2, %r3; ret;").find("does not accept a negated register"), std::string::npos);
}

TEST(AsWritten, CopiesFillSharedMemoryAndArrive) {
  alignas(64) std::array<std::uint32_t, 128> in;
  for (unsigned i = 0; i < 128; ++i) in[i] = 1000 + i;
  const auto out = words_of_text(
      storing(
          "",
          ".shared .align 16 .b8 s[512]; .shared .align 8 .b64 bar;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 "
          "mbarrier.init.shared.b64 [bar], 32;\nld.param.u64 %d2, [in]; shl.b32 %r2, %r0, 4; cvt.u64.u32 %d3, %r2;\n"
          "add.u64 %d2, %d2, %d3; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;\nand.b32 %r4, %r0, 3; shl.b32 %r4, %r4, 2;\n"
          "cp.async.cg.shared.global [%r3], [%d2], 16, %r4;\ncp.async.commit_group;\ncp.async.wait_group 0;\n"
          "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\nmbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;\n"
          "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r3];\nadd.u32 %r1, %r5, %r8; add.u32 %r1, %r1, %r6; selp.u32 %r9, "
          "5, 0, %p2; add.u32 %r1, %r1, %r9;"),
      reinterpret_cast<std::uint64_t>(in.data()));
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned words = i % 4;  // read; the rest is zero
    EXPECT_EQ(out[i], (words > 0 ? 1000 + 4 * i : 0) + (words > 1 ? 1001 + 4 * i : 0) + 5);
  }
}

TEST(AsWritten, MbarrierPhasesFollowEachOther) {
  const auto out = words_of_text(storing(
      "",
      ".shared .align 8 .b64 bar;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [bar], 33;\n"
      "mbarrier.arrive.shared.b64 %d2, [bar];\nmbarrier.test_wait.shared.b64 %p2, [bar], %d2;\n@%p1 "
      "mbarrier.arrive_drop.shared.b64 _, [bar];\nmbarrier.test_wait.shared.b64 %p3, [bar], %d2;\n"
      "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 4;\nmbarrier.try_wait.parity.shared.b64 %p4, [bar], 1, 100;\n"
      "mbarrier.complete_tx.shared.b64 [bar], 4;\nmbarrier.try_wait.parity.shared.b64 %p5, [bar], 1;\n"
      "mbarrier.pending_count.b64 %r2, %d2;\nselp.u32 %r1, 1, 0, %p2; selp.u32 %r3, 2, 0, %p3; add.u32 %r1, %r1, "
      "%r3; selp.u32 %r3, 4, 0, %p4; add.u32 %r1, %r1, %r3; selp.u32 %r3, 8, 0, %p5; add.u32 %r1, %r1, %r3; mad.lo.u32 "
      "%r1, "
      "%r2, 100, %r1;"));
  // Not done after 32 of 33 arrivals; done with the last; then the second phase waits for its bytes.
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], 2 + 8 + 100 * (33 - i));
}

TEST(AsWritten, HintsAreReadAndLeftOut) {
  const auto kernel = lower_body(
      "createpolicy.fractional.L2::evict_last.b64 %d5, 1.0;\nld.global.L2::cache_hint.u32 %r1, [%d1], %d5;\n"
      "discard.global.L2 [%d1], 128;\napplypriority.global.L2::evict_normal [%d1], 128;\ngriddepcontrol.wait;\nret;");
  ASSERT_EQ(kernel->ops.size(), 3u);
  EXPECT_EQ(kernel->ops[0].opcode, Opcode::mov);
  EXPECT_EQ(kernel->ops[1].opcode, Opcode::ld);
}

}  // namespace
}  // namespace heddle::isa
