// SPDX-License-Identifier: Apache-2.0
// Any text is parsed, linked and lowered, or refused with heddle::Error.
#include <vector>

#include "core/error.h"
#include "fuzz.h"
#include "isa/module.h"

namespace heddle::fuzz {
namespace {

class AnyAddress final : public isa::SymbolResolver {
 public:
  std::uint64_t address(const isa::Variable&) const override { return 0x100000; }
};

const char* const kTexts[] = {
    R"(.version 6.4
.target sm_70, debug
.address_size 64
.file 1 "a.cu", 1, 2
.global .align 4 .u32 g[2][3] = {{1, 2}, {0x3}};
.const .f32 c = 0f3F800000;
.visible .global .attribute(.managed) .u64 m = generic(g) + 8;
.extern .shared .align 16 .b8 dyn[];
.global .texref t;
.visible .entry k(.param .u64 .ptr .global .align 8 p, .param .align 4 .b8 s[12], .param .f32 x)
.maxntid 64, 2, 1 .minnctapersm 2 .maxnreg 32
{
  .reg .pred %p<5>; .reg .b16 %h<9>; .reg .b32 %r<30>; .reg .b64 %d<30>; .reg .f32 %f<9>; .reg .v4 .f32 v;
  .shared .align 8 .b8 sh[128];
  .local .align 8 .b8 depot[32];
  .loc 1 3 1, function_name $L__i+4, inlined_at 1 2 3
  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [s+4];
  cvta.to.global.u64 %d2, %d1;
  mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r2, 4, -1;
  setp.lt.and.s32 %p1|%p2, %r3, %r1, !%p3;
  @!%p1 bra $L_end;
$L_top:
  ld.global.nc.v2.f32 {%f1, _}, [%d2+-8];
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [t, {%f1, %f2}];
  ld.global.v4.f32 v, [%d2]; add.f32 %f2, v.x, 1.5e1;
  atom.global.add.u32 %r4, [%d2], %r3; red.shared.or.b32 [sh+4], 1;
  shfl.sync.bfly.b32 %r5|%p4, %r4, 16, 31, -1; vote.sync.ballot.b32 %r6, %p4, -1; bar.red.popc.u32 %r7, 0, 64, %p4;
  mov.b64 %d3, {%r5, %r6}; mov.b64 {%r8, %r9}, %d3; lop3.b32 %r9, %r8, %r7, %r6, 0x96;
  add.cc.u32 %r10, %r9, 1; addc.u32 %r11, %r10, 0; selp.b32 %r12, %r11, (1 << 4) | 3, %p2;
  @%p2 exit;
  setp.ne.u32 %p1, %r12, WARP_SZ; @%p1 bra $L_top;
$L_end:
  st.local.u8 [depot+3], %h1; st.shared.v2.u32 [sh], {%r1, 0};
  bar.sync 0; bar.synch_partner 0; membar.gl;
  ret;
}
)",
    R"(.version 8.5
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.func (.param .b32 out) f(.param .b32 in) { .reg .b32 %r<4>; ld.param.b32 %r1, [in]; add.s32 %r2, %r1, 1; st.param.b32 [out+0], %r2; ret; }
.weak .func (.reg .u32 o) old(.reg .u32 i) { add.u32 o, i, i; ret; }
.global .u64 table[2] = {f, 0};
.global .b8 text[5] = {37, 100, 10, 0};
.entry k(.param .u64 a)
{ .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p; .reg .u32 a1, a2; .local .align 8 .b8 buf[8];
  ld.param.u64 %d1, [a]; ld.global.u64 %d2, [table];
  { .param .b32 p0; st.param.b32 [p0+0], 7; .param .b32 q0; P0: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (q0), %d2, (p0), P0; ld.param.b32 %r1, [q0]; }
  { .param .b32 p0; st.param.b32 [p0], %r1; .param .b32 q0; call.uni (q0), f, (p0); ld.param.b32 %r2, [q0+0]; }
  mov.u32 a1, 5; call (a2), old, (a1);
  mov.u64 %d3, text; { .param .b64 x; st.param.b64 [x], %d3; .param .b64 y; st.param.b64 [y], %d1; .param .b32 z; call.uni (z), vprintf, (x, y); }
  T: .branchtargets A, B, A;
  brx.idx %r2, T;
A: barrier.sync 1, 64; st.global.u32 [%d1], a2; trap;
B: setp.gt.u32 %p, %r2, 3; @%p bra A; @!%p ret; bra.uni B;
}
.entry bad() { wmma.something %r1; }
)",
    R"(.version 8.0
.target sm_80
.address_size 32
.visible .func (.param .b32 r) later (.param .b32 a)
.func early()
;
.global .u32 where[2] = {where, where+4};
.visible .entry k(.param .u32 out, .param .align 8 .b8 s[16])
{
  .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<30>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .v4 .u32 %v; .reg .v2 .b32 %w<3>;
  .global .align 4 .u32 own[4] = {1, 2, 3, 4}; { .const .u32 own = 5; ld.const.u32 %r1, [own]; }
  .shared .align 16 .b8 sh[256]; .shared .align 8 .b64 bar;
  mov.v4.u32 %v, %tid; mov.v2.b32 %w1, {%v.x, %v.w}; ld.global.u32 %r1, own[2]; mov.u32 %r2, own[1 << 1];
  cvta.shared.u32 %r3, %r2; ld.u32 %r4, [%r3 - 4 + 2]; ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%r9];
  bmsk.clamp.b32 %r1, %r2, 5; szext.wrap.s32 %r1, %r2, %r3; fns.b32 %r1, %r2, 0, -1; lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0xe8, !%p2;
  cvt.pack.sat.s8.s32.b32 %r1, %r2, %r3, %r4; cvt.pack.sat.u4.s32.b32 %r1, %r2, %r3, 0; cvt.rn.satfinite.relu.e4m3x2.f32 %h1, %f1, %f2;
  cvt.rna.tf32.f32 %r1, %f1; cvt.rn.f16x2.e5m2x2 %r1, %h1; fma.rn.relu.bf16x2 %r1, %r2, %r3, %r4; min.xorsign.abs.f16 %h1, %h2, %h3;
  vadd.s32.u32.s32.sat.min %r1, %r2.b0, %r3.h1, %r4; vshl.u32.u32.u32.wrap %r1.b2, %r2, %r3, %r4; vmad.s32.s32.s32.sat.shr7 %r1, -%r2.h0, %r3, %r4;
  vset.s32.u32.ge %r1, %r2, %r3; vavrg4.u32.u32.u32 %r1.b310, %r2.b7531, %r3.b6420, %r4; vset2.s32.s32.lt.add %r1, %r2, %r3.h31, %r4;
  redux.sync.max.abs.NaN.f32 %f1, %f2, -1; elect.sync _|%p1, -1; setp.lt.f16x2 %p1|%p2, %r1, %r2; dp4a.u32.s32 %r1, %r2, %r3, %r4;
  cp.async.ca.shared.global.L2::cache_hint [sh+16], [%r1], 8, %r2, %d1; cp.async.cg.shared::cta.global [%r1], [%r2+16], 16, %p1;
  cp.async.commit_group; cp.async.wait_group 1; cp.async.wait_all; cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
  mbarrier.init.shared.b64 [bar], 7; mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %d1, [bar], 16; mbarrier.arrive_drop.noComplete.b64 _, [bar], 2;
  mbarrier.try_wait.parity.acquire.cta.b64 %p1, [bar], 1, 1000; mbarrier.pending_count.b64 %r1, %d1; mbarrier.inval.b64 [bar];
  createpolicy.fractional.L2::evict_last.b64 %d1, 0.5; discard.global.L2 [%r1], 128; fence.proxy.async; fence.mbarrier_init.release.gpu;
  mov.u32 %r2, later; @%p1 call (%r1), %r2, (%r3), P; P: .callprototype (.param .b32 _) _ (.param .b32 _) .abi_preserve 4;
  brx.idx %r1, T; T: .branchtargets A, B; A: nanosleep.u32 %r1; B: prmt.rc16.b32 %r1, %r2, %r3, 7;
  ret;
}
.func early() { ret; }
.visible .func (.param .b32 r) later (.param .b32 a) { ret; }
)",
};

}  // namespace

std::vector<std::string> texts() { return {std::begin(kTexts), std::end(kTexts)}; }

std::vector<std::string> words() {
  return {"{",
          "}",
          "(",
          ")",
          "[",
          "]",
          ";",
          ",",
          "0x7fffffffffffffff",
          "-1",
          "4294967296",
          "0f7F800000",
          "%r1",
          "%p1",
          "%d1",
          ".u64",
          ".v4",
          ".pred",
          ".align",
          "_",
          "@",
          "!",
          "\"",
          "/*",
          "//",
          ".param",
          "f",
          "k",
          "t",
          "sh",
          "<",
          ">",
          "+",
          "$L_top",
          "call",
          "bra",
          "ret",
          ".f16x2",
          "%tid.y",
          "0",
          ".b3210",
          ".h1",
          ".sat",
          "vadd4",
          "cp.async",
          "mbarrier.arrive",
          ".global",
          "[bar]",
          "-",
          ".tf32",
          ".relu",
          "own",
          "%v"};
}

void try_text(std::string_view text) {
  try {
    const auto module = isa::Module::parse(text, "fuzz.ptx");
    for (const auto& kernel : module->kernels()) {
      try {
        isa::dump(*module->lower(kernel.name, AnyAddress()));
      } catch (const Error&) {
      }
    }
    static const auto other = isa::Module::parse(kTexts[1], "other.ptx");
    isa::Module::link(std::vector{module, other}, "linked");
  } catch (const Error&) {
  }
}

}  // namespace heddle::fuzz
