// SPDX-License-Identifier: Apache-2.0
// Calls are inlined; arguments are folded away or kept in memory.
#include "../front_end_fixture.h"

namespace heddle::isa {
namespace {

using Texts = std::vector<std::string>;

std::string message(const std::string& rest, const std::string& kernel = "k") {
  return message_of([&] { lower_text(module_text(rest), kernel); });
}

constexpr const char* kSquare = R"(
.func (.param .b32 ret) square(.param .b32 x)
{ .reg .b32 %r<4>; ld.param.u32 %r1, [x]; mul.lo.s32 %r2, %r1, %r1; st.param.b32 [ret+0], %r2; ret; }
)";

TEST(Calls, PassValuesWithoutMoves) {
  const auto kernel = lower_text(module_text(std::string(kSquare) + R"(
.entry k(.param .u32 n) { .reg .b32 %r<9>;
ld.param.u32 %r1, [n];
{ .param .b32 p0; st.param.b32 [p0+0], %r1; .param .b32 q0; call.uni (q0), square, (p0); ld.param.b32 %r2, [q0+0]; }
{ .param .b32 p0; st.param.b32 [p0+0], %r2; .param .b32 q0; call.uni (q0), square, (p0); ld.param.b32 %r3, [q0+0]; }
st.global.u32 [0], %r3; ret; })"));
  EXPECT_EQ(texts_of(*kernel), (Texts{"ld.param.u32 %r1, [n]", "mul.lo.s32 %r2, %r1, %r1", "mul.lo.s32 %r2, %r1, %r1",
                                      "st.global.u32 [0], %r3", "ret"}));
  EXPECT_EQ(kernel->ops[1].destinations[0].offset, kernel->ops[2].sources[0].offset);
  EXPECT_EQ(kernel->ops[2].destinations[0].offset, kernel->ops[3].sources[1].offset);
  EXPECT_EQ(kernel->registers, 1u);
}

TEST(Calls, FoldImmediates) {
  const auto kernel = lower_text(module_text(std::string(kSquare) + R"(
.entry k() { .reg .b32 %r<9>;
{ .param .b32 p0; st.param.b32 [p0+0], 7; .param .b32 q0; call.uni (q0), square, (p0); ld.param.b32 %r2, [q0+0]; }
st.global.u32 [0], %r2; ret; })"));
  ASSERT_EQ(kernel->ops.size(), 3u);
  EXPECT_EQ(constant_of(*kernel, kernel->ops[0].sources[0]), 7u);
  EXPECT_EQ(constant_of(*kernel, kernel->ops[0].sources[1]), 7u);
}

TEST(Calls, PassRegistersOfOldFunctions) {
  const auto kernel = lower_text(module_text(R"(
.func (.reg .u32 out) twice(.reg .u32 in, .reg .f32 unused) { add.u32 out, in, in; ret; }
.entry k() { .reg .u32 a, b; mov.u32 a, 5; call (b), twice, (a, 0f00000000); st.global.u32 [0], b; exit; })"));
  EXPECT_EQ(texts_of(*kernel), (Texts{"mov.u32 a, 5", "add.u32 out, in, in", "st.global.u32 [0], b", "exit"}));
}

TEST(Calls, KeepAMoveWhereTheFormalIsWritten) {
  const auto kernel = lower_text(module_text(R"(
.func (.reg .u32 out) f(.reg .u32 in) { add.u32 in, in, 1; add.u32 out, in, in; ret; }
.entry k() { .reg .u32 a, b; mov.u32 a, 5; call (b), f, (a); add.u32 b, b, a; st.global.u32 [0], b; exit; })"));
  // a is live after the call; b is written twice, so its move stays too.
  EXPECT_EQ(kernel->ops.size(), 8u);
  EXPECT_EQ(kernel->ops[1].opcode, Opcode::mov);
  EXPECT_NE(kernel->ops[1].destinations[0].offset, kernel->ops[0].destinations[0].offset);
}

TEST(Calls, ReturnFromTheMiddleJoinsBehindTheCall) {
  const auto kernel = lower_text(module_text(R"(
.func (.param .b32 ret) clamp(.param .b32 x) { .reg .b32 %r<4>; .reg .pred %p;
ld.param.u32 %r1, [x]; setp.lt.s32 %p, %r1, 0; @%p bra NEG; st.param.b32 [ret], %r1; ret; NEG: st.param.b32 [ret], 0; ret; }
.entry k(.param .u32 n) { .reg .b32 %r<9>; ld.param.u32 %r1, [n];
{ .param .b32 p0; st.param.b32 [p0], %r1; .param .b32 q0; call (q0), clamp, (p0); ld.param.b32 %r2, [q0]; }
st.global.u32 [0], %r2; ret; })"));
  const MicroOp* branch = nullptr;
  for (const MicroOp& op : kernel->ops) {
    if (op.opcode == Opcode::bra && op.guard.present()) branch = &op;
  }
  ASSERT_NE(branch, nullptr);
  EXPECT_LT(branch->reconvergence_pc, kernel->ops.size()) << "both ways meet behind the call, not at the end";
}

TEST(Calls, UnderAGuardAreJumpedOver) {
  const auto kernel = lower_text(module_text(R"(
.func f() { st.global.u32 [4], 1; ret; }
.entry k() { .reg .pred %p; setp.eq.u32 %p, 0, 0; @!%p call f; st.global.u32 [0], 2; ret; })"));
  ASSERT_EQ(kernel->ops.size(), 5u);
  EXPECT_EQ(kernel->ops[1].opcode, Opcode::bra);
  EXPECT_FALSE(kernel->ops[1].guard.negate) << "jumps where the call is not made";
  EXPECT_EQ(kernel->ops[1].target, 3u);
}

TEST(Calls, PassStructuresPieceByPiece) {
  const auto kernel = lower_text(module_text(R"(
.func (.param .align 8 .b8 ret[16]) swap(.param .align 8 .b8 s[16]) { .reg .b64 %d<4>;
ld.param.u64 %d1, [s]; ld.param.u64 %d2, [s+8]; st.param.v2.b64 [ret], {%d2, %d1}; ret; }
.entry k(.param .u64 a, .param .u64 b) { .reg .b64 %d<9>;
ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b];
{ .param .align 8 .b8 p[16]; st.param.b64 [p], %d1; st.param.b64 [p+8], %d2; .param .align 8 .b8 q[16];
call (q), swap, (p); ld.param.b64 %d3, [q]; ld.param.b64 %d4, [q+8]; }
st.global.v2.u64 [0], {%d3, %d4}; ret; })"));
  EXPECT_EQ(texts_of(*kernel),
            (Texts{"ld.param.u64 %d1, [a]", "ld.param.u64 %d2, [b]", "st.global.v2.u64 [0], {%d3, %d4}", "ret"}));
  EXPECT_EQ(kernel->ops[2].sources[1].offset, kernel->ops[1].destinations[0].offset);
  EXPECT_EQ(kernel->local_bytes, 0u);
}

TEST(Calls, NarrowLoadsExtendPiecesOfWiderStores) {
  const auto kernel = lower_text(module_text(R"(
.func f(.param .b32 c) { .reg .b16 %h<4>; .reg .b32 %r<4>; ld.param.s8 %h1, [c]; ld.param.u8 %r1, [c+1]; st.global.u16 [0], %h1; st.global.u32 [4], %r1; ret; }
.entry k() { .reg .b32 %r<9>; mov.u32 %r1, %tid.x; { .param .b32 p; st.param.b32 [p], %r1; call f, (p); } ret; })"));
  ASSERT_EQ(kernel->ops.size(), 7u);
  EXPECT_EQ(kernel->ops[1].opcode, Opcode::cvt);
  EXPECT_EQ(kernel->ops[1].type, DataType::s16);
  EXPECT_EQ(kernel->ops[1].source_type, DataType::s8);
  EXPECT_EQ(kernel->ops[2].opcode, Opcode::shr);
  EXPECT_EQ(kernel->ops[3].type, DataType::u32);
  EXPECT_EQ(kernel->ops[3].source_type, DataType::u8);
}

TEST(Calls, KeepParametersInMemoryWherePiecesDisagreeOrAddressesAreTaken) {
  const auto disagree = lower_text(module_text(R"(
.func f(.param .align 4 .b8 s[8]) { .reg .b64 %d<4>; ld.param.u64 %d1, [s]; st.global.u64 [0], %d1; ret; }
.entry k() { .reg .b32 %r<9>; { .param .align 4 .b8 p[8]; st.param.b32 [p], 1; st.param.b32 [p+4], 2; call f, (p); } ret; })"));
  EXPECT_EQ(disagree->local_bytes, 8u);
  EXPECT_EQ(disagree->ops[0].space, Space::local);
  EXPECT_EQ(disagree->ops[0].address_offset, 0);
  EXPECT_EQ(disagree->ops[1].address_offset, 4);
  EXPECT_EQ(disagree->ops[2].space, Space::local);

  const auto addressed = lower_text(module_text(R"(
.func f(.param .align 4 .b8 s[8], .param .b32 i) { .reg .b64 %d<4>; .reg .b32 %r<4>; mov.b64 %d1, s; ld.param.u32 %r1, [i];
cvt.u64.u32 %d2, %r1; add.u64 %d3, %d1, %d2; ld.param.u32 %r2, [%d3+4]; st.global.u32 [0], %r2; ret; }
.entry k() { .reg .b32 %r<9>; .local .b8 mine[20]; st.local.u8 [mine], 1;
{ .param .align 4 .b8 p[8]; st.param.b32 [p], 1; st.param.b32 [p+4], 2; .param .b32 q; st.param.b32 [q], 0; call f, (p, q); } ret; })"));
  EXPECT_EQ(addressed->local_bytes, 32u) << "behind the caller's own variables, aligned";
  EXPECT_EQ(addressed->ops[1].space, Space::local);
  EXPECT_EQ(addressed->ops[1].address_offset, 24);
  bool loaded = false;
  for (const MicroOp& op : addressed->ops)
    loaded |= op.opcode == Opcode::ld && op.space == Space::local && !op.absolute_address;
  EXPECT_TRUE(loaded);
}

TEST(Calls, BodiesOfSiblingsShareLocalMemory) {
  const auto kernel = lower_text(module_text(R"(
.func f() { .local .align 8 .b8 d[40]; .reg .b32 %r; st.local.u32 [d+4], 1; ret; }
.entry k() { .local .align 4 .b8 mine[4]; st.local.u32 [mine], 1; call f; call f; ret; })"));
  EXPECT_EQ(kernel->ops[1].address_offset, 12);
  EXPECT_EQ(kernel->ops[2].address_offset, 12);
  EXPECT_EQ(kernel->local_bytes, 48u);
}

TEST(Calls, IndirectOnesCompareWithEveryFunctionThatFits) {
  const auto kernel = lower_text(module_text(R"(
.func (.param .b32 r) one(.param .b32 x) { .reg .b32 %r<4>; ld.param.u32 %r1, [x]; add.u32 %r2, %r1, 1; st.param.b32 [r], %r2; ret; }
.func (.param .b32 r) two(.param .b32 x) { .reg .b32 %r<4>; ld.param.u32 %r1, [x]; add.u32 %r2, %r1, 2; st.param.b32 [r], %r2; ret; }
.func (.param .b64 r) wide(.param .b32 x) { st.param.b64 [r], 0; ret; }
.func (.param .b32 r) never(.param .b32 x) { st.param.b32 [r], 0; ret; }
.global .u64 table[3] = {one, two, wide};
.entry k() { .reg .b32 %r<9>; .reg .b64 %d<9>; ld.global.u64 %d1, [table];
{ .param .b32 p0; st.param.b32 [p0], 5; .param .b32 q0;
prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);
call (q0), %d1, (p0), prototype_0; ld.param.b32 %r2, [q0]; }
st.global.u32 [0], %r2; ret; })"));
  unsigned compares = 0, traps = 0;
  Texts adds;
  for (const MicroOp& op : kernel->ops) {
    if (op.opcode == Opcode::setp) {
      EXPECT_EQ(op.compare, Compare::ne);
      ++compares;
    }
    if (op.opcode == Opcode::add) adds.push_back(kernel->text(op));
    traps += op.opcode == Opcode::trap ? 1 : 0;
  }
  EXPECT_EQ(compares, 2u) << "another signature, or an address that is never taken, cannot be meant";
  EXPECT_EQ(adds, (Texts{"add.u32 %r2, %r1, 1", "add.u32 %r2, %r1, 2"}));
  EXPECT_EQ(traps, 1u);
  const auto module = Module::parse(module_text(".func a() { ret; } .func b() { ret; }"), "m");
  EXPECT_NE(*module->function_address("a"), *module->function_address("b"));
  EXPECT_FALSE(module->function_address("c").has_value());
}

TEST(Calls, IndirectOnesMayListTheirTargets) {
  const auto kernel = lower_text(module_text(R"(
.func f() { st.global.u32 [0], 1; ret; }
.func g() { st.global.u32 [0], 2; ret; }
.entry k(.param .u64 a) { .reg .b64 %d; ld.param.u64 %d, [a]; T: .calltargets g; call %d, T; ret; })"));
  unsigned stores = 0;
  for (const MicroOp& op : kernel->ops) stores += op.opcode == Opcode::st ? 1 : 0;
  EXPECT_EQ(stores, 1u);
  EXPECT_NE(message(".entry k(.param .u64 a) { .reg .b64 %d; ld.param.u64 %d, [a]; call %d, NONE; ret; }")
                .find("no function in the program matches this indirect call"),
            std::string::npos);
}

TEST(Calls, ToTheSystemBecomeOneOp) {
  const auto kernel = lower_text(module_text(R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.extern .func (.param .b64 r) malloc(.param .b64 s);
.extern .func free(.param .b64 p);
.global .b8 text[4] = {65, 66, 67, 0};
.entry k() { .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p; .local .align 8 .b8 buffer[8];
mov.u64 %d1, text; cvta.global.u64 %d2, %d1; add.u64 %d3, %d2, 1;
{ .param .b64 p0; st.param.b64 [p0], %d2; .param .b64 p1; st.param.b64 [p1], %d3; .param .b32 q; call.uni (q), vprintf, (p0, p1); ld.param.b32 %r1, [q]; }
{ .param .b64 p0; st.param.b64 [p0], 64; .param .b64 q; call (q), malloc, (p0); ld.param.b64 %d4, [q]; }
{ .param .b64 p0; st.param.b64 [p0], %d4; call free, (p0); }
setp.eq.u32 %p, %r1, 0; @%p bra END;
{ .param .b64 a; st.param.b64 [a], %d1; .param .b64 b; st.param.b64 [b], %d2; .param .b32 c; st.param.b32 [c], 12; .param .b64 d; st.param.b64 [d], %d3;
.param .b64 e; st.param.b64 [e], 1; call __assertfail, (a, b, c, d, e); }
END: ret; })"));
  std::vector<const MicroOp*> calls;
  for (const MicroOp& op : kernel->ops) {
    if (op.opcode == Opcode::syscall) calls.push_back(&op);
  }
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_EQ(calls[0]->system_call, SystemCall::vprintf);
  EXPECT_EQ(calls[0]->source_count, 2);
  EXPECT_EQ(calls[0]->sources[1].offset, kernel->ops[2].destinations[0].offset);
  EXPECT_EQ(calls[0]->destinations[0].type, DataType::b32);
  EXPECT_EQ(calls[1]->system_call, SystemCall::malloc);
  EXPECT_EQ(calls[1]->destinations[0].type, DataType::b64);
  EXPECT_EQ(constant_of(*kernel, calls[1]->sources[0]), 64u);
  EXPECT_EQ(calls[2]->system_call, SystemCall::free);
  EXPECT_FALSE(calls[2]->destinations[0].present());
  EXPECT_EQ(calls[3]->system_call, SystemCall::assertfail);
  EXPECT_EQ(calls[3]->source_count, 5);
  EXPECT_EQ(kernel->ops[calls[3]->pc + 1].opcode, Opcode::exit_) << "it does not come back";
  EXPECT_EQ(kernel->ops.size(), kernel->ops[calls[3]->pc].pc + 3u) << "no moves around it";
}

TEST(Calls, SayWhatCannotBeCalled) {
  EXPECT_EQ(message(".extern .func other();\n.entry k() { call other; ret; }"),
            "test.ptx:5:14: function 'other' is called but not defined in any module");
  EXPECT_EQ(message(".extern .func (.param .b32 r) __nv_sinf(.param .b32 x);\n.entry k() { .param .b32 a, b; call (a), "
                    "__nv_sinf, (b); ret; }"),
            "test.ptx:5:32: math function '__nv_sinf' is called but not defined in the PTX: compile with heddle cc, "
            "whose headers define it");
  EXPECT_EQ(message(".entry k() { call nobody; ret; }"), "test.ptx:4:14: function 'nobody' is not declared");
  EXPECT_EQ(message(".func f(.param .b32 x) { ret; }\n.entry k() { call f; ret; }"),
            "test.ptx:5:14: call of 'f' passes 0 values and takes 0 results, the function has 1 and 0");
  EXPECT_EQ(message(".entry other() { ret; }\n.entry k() { call other; ret; }"),
            "test.ptx:5:14: kernel 'other' cannot be called from a kernel");
}

TEST(Calls, GrowthOfInliningIsBounded) {
  std::string text = ".func f0() { st.global.u32 [0], 1; ret; }\n";
  for (int i = 1; i < 40; ++i) {
    text += fmt::format(".func f{}() {{ call f{}; call f{}; ret; }}\n", i, i - 1, i - 1);
  }
  EXPECT_NE(message(text + ".entry k() { call f39; ret; }").find("instructions when its calls are inlined"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle::isa
