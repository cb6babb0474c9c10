// SPDX-License-Identifier: Apache-2.0
// Operands, scopes, labels and directives of function bodies, tested by the resulting operations.
#include "../front_end_fixture.h"
#include "isa/describe.h"
#include "isa/ptx/body/source_places.h"

namespace heddle::isa {
namespace {

TEST(Body, PutsImmediatesIntoThePoolOnceEach) {
  const auto kernel =
      lower_body("add.s32 %r1, %r2, 5; sub.s32 %r3, %r1, 5; add.s64 %d1, %d2, -1; mov.f32 %f1, 1.5; ret;");
  EXPECT_EQ(constant_of(*kernel, kernel->ops[0].sources[1]), 5u);
  EXPECT_EQ(kernel->ops[0].sources[1].offset, kernel->ops[1].sources[1].offset);
  EXPECT_EQ(constant_of(*kernel, kernel->ops[2].sources[1]), ~std::uint64_t{0});
  EXPECT_EQ(constant_of(*kernel, kernel->ops[3].sources[0]), 0x3fc00000u);
  EXPECT_EQ(kernel->constants.size(), 128u + 256u + 128u);
  for (const MicroOp& op : kernel->ops) {
    if (op.source_count == 2) {
      EXPECT_EQ(op.sources[1].offset % 64, 0u);
    }
  }
}

TEST(Body, ConvertsFloatsToTheTypeOfTheInstruction) {
  const auto bits = [](const std::string& text) {
    const auto kernel = lower_body(text + " ret;");
    return constant_of(*kernel, kernel->ops[0].sources[0]);
  };
  EXPECT_EQ(bits("mov.f64 %fd1, 0f3F800000;"), 0x3ff0000000000000u);
  EXPECT_EQ(bits("mov.f32 %f1, 0d3FF0000000000000;"), 0x3f800000u);
  EXPECT_EQ(bits("mov.b32 %r1, 0f7F800001;"), 0x7f800001u);
  EXPECT_EQ(bits("mov.u16 %h1, -1;"), 0xffffu);
  EXPECT_EQ(bits("mov.u32 %r1, 1 << 4 | 3;"), 19u);
  EXPECT_EQ(bits("mov.u32 %r1, WARP_SZ;"), 32u);
  EXPECT_EQ(bits("mov.pred %p1, 1;"), 0xffffffffu);
  EXPECT_EQ(body_message("mov.f32 %f1, 1; ret;"), "test.ptx:12:14: an integer cannot be used as type .f32");
  EXPECT_EQ(body_message("mov.u32 %r1, 1.0; ret;"),
            "test.ptx:12:14: a floating-point constant cannot be used as type .u32");
}

TEST(Body, ReadsSpecialRegistersBySpecialOpsOnly) {
  const auto kernel = lower_body(
      "mov.u32 %r1, %tid.x; add.u32 %r2, %ctaid.y, %r1; cvt.u64.u32 %d1, %laneid; mov.u64 %d2, %clock64; cvt.u32.u16 "
      "%r3, %ntid.x; ret;");
  ASSERT_EQ(kernel->ops.size(), 9u);
  EXPECT_EQ(kernel->ops[0].opcode, Opcode::special);
  EXPECT_EQ(kernel->ops[0].special, SpecialRegister::tid_x);
  EXPECT_EQ(kernel->ops[1].opcode, Opcode::special);
  EXPECT_EQ(kernel->ops[1].special, SpecialRegister::ctaid_y);
  EXPECT_EQ(kernel->ops[2].opcode, Opcode::add);
  EXPECT_EQ(kernel->ops[3].special, SpecialRegister::laneid);
  EXPECT_EQ(kernel->ops[5].special, SpecialRegister::clock64);
  EXPECT_EQ(kernel->ops[5].destinations[0].type, DataType::b64);
  EXPECT_EQ(kernel->ops[7].opcode, Opcode::cvt);
  EXPECT_EQ(body_message("mov.u32 %r1, %cluster_ctaid.x;"),
            "test.ptx:12:14: '%cluster_ctaid.x' is neither declared nor a supported special register");
}

TEST(Body, ResolvesEveryFormOfAddress) {
  const auto kernel = lower_text(module_text(R"(
.global .align 8 .u64 g[4];
.const .u32 c;
.visible .entry k(.param .u32 a, .param .u64 b) {
.reg .b32 %r<9>; .reg .b64 %d<9>;
.shared .align 8 .b8 s[24];
.shared .align 4 .b8 t[8];
.local .align 8 .b8 depot[32];
ld.param.u64 %d1, [b];
ld.param.u32 %r0, [b+4];
ld.global.u64 %d2, [g+8];
ld.const.u32 %r1, [c];
ld.u64 %d2, [g];
st.shared.u32 [t+4], %r1;
st.shared.u64 [s], %d1;
st.local.u32 [depot+12], %r1;
ld.u32 %r2, [%d1];
mov.u64 %d3, depot;
mov.u32 %r3, t;
mov.u64 %d4, g+16;
mov.u64 %d5, b;
ret; })"));
  const auto& ops = kernel->ops;
  const auto absolute = [&](std::size_t i, Space space, std::int64_t offset) {
    EXPECT_TRUE(ops[i].absolute_address) << i;
    EXPECT_EQ(ops[i].space, space) << i;
    EXPECT_EQ(ops[i].address_offset, offset) << i;
    EXPECT_FALSE(ops[i].sources[0].present()) << i;
  };
  absolute(0, Space::param, 8);
  absolute(1, Space::param, 12);
  absolute(2, Space::global, 0x10008);
  absolute(3, Space::constant, 0x11000);
  absolute(4, Space::global, 0x10000);
  absolute(5, Space::shared, 4);
  absolute(6, Space::shared, 8);
  absolute(7, Space::local, 12);
  EXPECT_FALSE(ops[8].absolute_address);
  EXPECT_EQ(constant_of(*kernel, ops[9].sources[0]), 0u);
  EXPECT_EQ(constant_of(*kernel, ops[10].sources[0]), 0u);
  EXPECT_EQ(constant_of(*kernel, ops[11].sources[0]), 0x10010u);
  EXPECT_EQ(constant_of(*kernel, ops[12].sources[0]), 8u);
  EXPECT_EQ(kernel->static_shared_bytes, 32u);
  EXPECT_EQ(kernel->local_bytes, 32u);
}

TEST(Body, PlacesDynamicSharedMemoryBehindTheStaticOnes) {
  const auto kernel = lower_text(module_text(R"(
.extern .shared .align 16 .b8 dynamic[];
.shared .align 4 .b8 used[20];
.shared .align 4 .b8 unused[1000];
.visible .entry k() { .reg .b32 %r<9>;
mov.u32 %r1, dynamic; st.shared.u32 [dynamic+4], %r1; st.shared.u32 [used], %r1; ret; })"));
  EXPECT_EQ(kernel->static_shared_bytes, 32u);
  EXPECT_EQ(constant_of(*kernel, kernel->ops[0].sources[0]), 32u);
  EXPECT_EQ(kernel->ops[1].address_offset, 36);
  EXPECT_EQ(kernel->ops[2].address_offset, 0);
}

TEST(Body, ChecksStateSpacesOfNames) {
  EXPECT_EQ(message_of([] {
              lower_text(module_text(".global .u32 g;\n.entry k() { .reg .b32 %r; ld.shared.u32 %r, [g]; ret; }"));
            }),
            "test.ptx:5:47: 'g' is in state space .global, not .shared");
  EXPECT_EQ(body_message("st.param.u32 [a], %r1;", ".param .u32 a"),
            "test.ptx:12:15: parameter 'a' of a kernel can only be loaded");
  EXPECT_EQ(body_message("ld.global.u32 %r1, [nowhere];"), "test.ptx:12:21: 'nowhere' is not defined");
  EXPECT_EQ(
      message_of([] {
        lower_text(module_text(".extern .global .u32 g;\n.entry k() { .reg .b32 %r; ld.global.u32 %r, [g]; ret; }"));
      }),
      "test.ptx:5:47: variable 'g' is declared but not defined in any module");
}

TEST(Body, KeepsNamesOfInnerScopesApart) {
  const auto kernel = lower_body(R"(
mov.u32 %r1, 1;
{ .reg .b32 %r1; .reg .b32 tmp; mov.u32 %r1, 2; mov.u32 tmp, %r1; L: @%p1 bra L; }
{ .reg .b64 tmp; mov.u64 tmp, 3; L: @%p2 bra L; }
add.u32 %r2, %r1, %r1; st.global.u32 [0], %r2; ret;)");
  // The outer %r1 survives the inner one.
  EXPECT_EQ(kernel->ops[0].named.writes[0], kernel->ops[6].named.reads[0]);
  EXPECT_NE(kernel->ops[0].named.writes[0], kernel->ops[1].named.writes[0]);
  EXPECT_EQ(kernel->ops[3].target, 3u);
  EXPECT_EQ(kernel->ops[5].target, 5u);
  EXPECT_EQ(body_message(".reg .b32 x; .reg .b64 x;"), "test.ptx:12:24: 'x' is declared twice");
  EXPECT_EQ(body_message("L: L: ret;"), "test.ptx:12:4: label 'L' is defined twice");
  EXPECT_EQ(body_message("bra M;"), "test.ptx:12:5: there is no label 'M'");
  EXPECT_EQ(body_message("}"), "test.ptx:13:1: expected a directive, found '}'")
      << "closes the function: module scope follows";
}

TEST(Body, MakesRegistersOfARangeOnUse) {
  EXPECT_EQ(body_message(".reg .b32 %big<4000000000>; mov.u32 %big3999999999, 1; ret;"), "");
  EXPECT_EQ(lower_body(".reg .b32 %big<4000000000>; mov.u32 %big3999999999, 1; ret;")->registers, 1u);
  EXPECT_EQ(body_message("mov.u32 %r40, 1;"),
            "test.ptx:12:9: '%r40' is neither declared nor a supported special register");
  EXPECT_EQ(body_message("mov.u32 %r01, 1;"),
            "test.ptx:12:9: '%r01' is neither declared nor a supported special register");
}

TEST(Body, TakesVectorRegistersApart) {
  const auto kernel =
      lower_body(".reg .v4 .f32 v; ld.global.v4.f32 v, [%d1]; add.f32 %f1, v.x, v.w; st.global.f32 [%d1], %f1; ret;");
  EXPECT_EQ(kernel->ops[0].destination_count, 4);
  EXPECT_EQ(kernel->ops[1].sources[0].offset, kernel->ops[0].destinations[0].offset);
  EXPECT_EQ(kernel->ops[1].sources[1].offset, kernel->ops[0].destinations[3].offset);
  EXPECT_EQ(body_message(".reg .v2 .f32 v; mov.f32 %f1, v.z;"), "test.ptx:12:32: 'v' has no element '.z'");
}

TEST(Body, ChecksSizesOfRegisters) {
  EXPECT_EQ(body_message("add.s32 %r1, %d1, 1;"),
            "test.ptx:12:14: operand '%d1' of 64 bits cannot be used as type .s32");
  EXPECT_EQ(body_message("add.s64 %r1, %d1, 1;"),
            "test.ptx:12:9: register '%r1' of 32 bits cannot take a result of type .s64");
  EXPECT_EQ(body_message("ld.global.u64 %r1, [%d1];"),
            "test.ptx:12:15: register '%r1' of 32 bits cannot take a result of type .u64");
  EXPECT_EQ(body_message("setp.eq.s32 %r1, %r2, 0;"),
            "test.ptx:12:13: register '%r1' of 32 bits cannot take a result of type .pred");
  EXPECT_EQ(body_message("@%r1 bra L; L: ret;"), "test.ptx:12:1: a guard must be a predicate register");
  EXPECT_EQ(body_message("selp.b32 %r1, %r2, %r3, !%r4;"),
            "test.ptx:12:26: operand '%r4' of 32 bits cannot be used as type .pred");
  EXPECT_EQ(body_message("add.s32 %r1, !%r2, 1;"), "test.ptx:12:15: '!' can only be applied to a predicate");
  EXPECT_EQ(body_message("ld.global.u32 %r1, [%h1];"),
            "test.ptx:12:21: register '%h1' of 16 bits cannot be an address");
  EXPECT_EQ(body_message("ld.global.v2.u32 %r1, [%d1];"),
            "test.ptx:12:18: the operand has 1 elements, the instruction 2");
  EXPECT_EQ(body_message("mov.u16 %h1, k;"), "test.ptx:12:14: the address of 'k' does not fit type .u16");
}

TEST(Body, SurvivesOperandsNestedWithoutEnd) {
  EXPECT_NE(body_message("mov.b64 %d1, " + std::string(10'000, '{') + ";"), "");
  EXPECT_NE(body_message("ld.u32 %r1, " + std::string(10'000, '[') + ";"), "");
  EXPECT_NE(body_message("mov.pred %p1, " + std::string(10'000, '!') + "%p2;"), "");
}

TEST(Body, RemembersWhereInstructionsCameFrom) {
  const auto kernel = lower_text(module_text(R"(.file 1 "a.cu"
.file 2 "b.h"
.entry k() { .reg .b32 %r<4>;
.loc 1 10 3
mov.u32 %r1,
  1;
.loc 2 20 3, function_name $L__info_string0+4, inlined_at 1 11 5
add.u32 %r2, %r1, %r1; // a comment
ret; })"));
  ASSERT_EQ(kernel->ops.size(), 3u);
  EXPECT_EQ(kernel->text(kernel->ops[0]), "mov.u32 %r1, 1");
  EXPECT_EQ(kernel->ops[0].ptx_line, 8u);
  EXPECT_EQ(kernel->ops[0].source_line, 10u);
  EXPECT_EQ(kernel->files[kernel->ops[0].source_file], "a.cu");
  EXPECT_EQ(kernel->ops[1].source_line, 20u);
  EXPECT_EQ(kernel->files[kernel->ops[1].source_file], "b.h");
  EXPECT_EQ(kernel->text(kernel->ops[1]), "add.u32 %r2, %r1, %r1");
  EXPECT_EQ(kernel->ptx_name, "test.ptx");
}

TEST(Body, ChargesAnInlinedLibraryFunctionToTheLineThatCallsIt) {
  const auto kernel = lower_text(module_text(R"(.file 1 "a.cu"
.file 2 "/opt/heddle/platforms/cuda/include/math.h"
.file 3 "own.h"
.entry k() { .reg .b32 %r<6>;
.loc 1 11 5
mov.u32 %r1, 1;
.loc 2 20 3, function_name $L__info_string0, inlined_at 1 11 5
add.u32 %r2, %r1, %r1;
.loc 2 90 1, function_name $L__info_string9+3, inlined_at 2 20 3
add.u32 %r3, %r1, %r1;
.loc 3 7 1, function_name $L__info_string9, inlined_at 1 12 5
add.u32 %r4, %r1, %r1;
.loc 2 21 3
add.u32 %r5, %r1, %r1;
ret; })"));
  ASSERT_EQ(kernel->ops.size(), 6u);
  const auto source = [&](std::size_t pc) { return describe_source(*kernel, kernel->ops[pc]); };
  const std::string library = "/opt/heddle/platforms/cuda/include/math.h";
  EXPECT_EQ(source(0), "a.cu:11");
  EXPECT_EQ(source(1), "a.cu:11, inlined from " + library + ":20");
  EXPECT_EQ(source(2), "a.cu:11, inlined from " + library + ":90") << "through the calls between";
  EXPECT_EQ(source(3), "own.h:7") << "the program's own file is charged itself";
  EXPECT_EQ(source(4), library + ":21") << "nobody is known to call it";
  EXPECT_EQ(kernel->ops[2].source_line, 11u);
  EXPECT_EQ(kernel->files[kernel->ops[2].source_file], "a.cu");
}

TEST(Body, KnowsTheFilesOfLibraries) {
  EXPECT_TRUE(is_library_file("/usr/include/thrust/sort.h"));
  EXPECT_TRUE(is_library_file("/opt/heddle/include/heddle/cuda/heddle_device/atomics.h"));
  EXPECT_TRUE(is_library_file("/opt/cuda/include/math.h"));
  EXPECT_FALSE(is_library_file("/home/u/include/own.h"));
  EXPECT_FALSE(is_library_file("own.h"));
}

TEST(Body, PlacesThatAreInlinedIntoEachOtherEnd) {
  const auto kernel = lower_text(module_text(R"(.file 1 "/usr/include/x.h"
.entry k() { .reg .b32 %r<3>;
.loc 1 11 5, function_name $a, inlined_at 1 12 5
.loc 1 12 5, function_name $a, inlined_at 1 11 5
mov.u32 %r1, 1;
ret; })"));
  EXPECT_EQ(kernel->ops[0].source_line, 12u);
}

TEST(Body, WritesTheConditionCodeToOneRegister) {
  const auto kernel = lower_body(
      "add.cc.u32 %r1, %r2, %r3; addc.cc.u32 %r4, %r5, %r6; addc.u32 %r7, %r8, %r9; st.global.v2.u32 [0], {%r1, %r4}; "
      "ret;");
  const auto& ops = kernel->ops;
  ASSERT_EQ(ops[0].destination_count, 2);
  EXPECT_EQ(ops[0].destinations[1].type, DataType::pred);
  ASSERT_EQ(ops[1].source_count, 3);
  EXPECT_EQ(ops[1].sources[2].offset, ops[0].destinations[1].offset);
  EXPECT_EQ(ops[1].destination_count, 2);
  EXPECT_EQ(ops[2].source_count, 3);
  EXPECT_EQ(ops[2].destination_count, 1);
}

}  // namespace
}  // namespace heddle::isa
