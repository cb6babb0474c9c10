// SPDX-License-Identifier: Apache-2.0
// Accepted instructions, and the fields their words set.
#include "isa/ptx/forms.h"

#include <set>

#include "../front_end_fixture.h"

namespace heddle::isa {
namespace {

// One of every form found in public CUDA programs, in old and new versions of the language.
const char* const kAccepted[] = {
    "heddle.cond_acc.shared.b8 %r1, [%r2], %p1, %h3;",
    "heddle.cond_acc.sync.global.b32 %r1, [%d2], %p1, %r3, -1;",
    "heddle.tree_traverse.u32 %r1, %r2, %p1, 32;",
    "heddle.tree_traverse.sync.u64 %d1, %d2, !%p1, %r3, -1;",
    "ld.global.rowhint.u32 %r1, [%d1];",
    "applypriority.global.L2::evict_normal [%d1], 128;",
    "cp.async.commit_group;",
    "cp.async.ca.shared.global.L2::128B [%r1], [%d1], 16;",
    "cp.async.wait_group 2;",
    "cp.async.wait_all;",
    "bmsk.clamp.b32 %r1, %r2, %r3;",
    "createpolicy.fractional.L2::evict_last.b64 %d1, 0.5;",
    "cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, 0;",
    "discard.global.L2 [%d1], 128;",
    "elect.sync %r1|%p1, -1;",
    "fns.b32 %r1, %r2, 0, 3;",
    "griddepcontrol.wait;",
    "mbarrier.init.shared.b64 [%r1], 32;",
    "mbarrier.pending_count.b64 %r1, %d1;",
    "szext.wrap.s32 %r1, %r2, 5;",
    "vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h1;",
    "vsub.s32.u32.s32.sat %r1, %r2.b0, %r3.h1;",
    "vabsdiff.s32.u32.s32.sat %r1, %r2.b0, %r3.h1;",
    "vmin.s32.u32.s32.sat %r1, %r2.b0, %r3.h1;",
    "vmax.s32.u32.s32.sat %r1, %r2.b0, %r3.h1;",
    "vshl.u32.u32.u32.clamp.add %r1, %r2, %r3, %r4;",
    "vshr.u32.u32.u32.clamp.add %r1, %r2, %r3, %r4;",
    "vmad.s32.s32.u32.po.shr15 %r1, %r2.h0, %r3, %r4;",
    "vset.u32.s32.ge %r1.b3, %r2, %r3, %r4;",
    "vadd2.u32.u32.u32.add %r1, %r2, %r3, %r4;",
    "vsub2.u32.u32.u32.add %r1, %r2, %r3, %r4;",
    "vavrg2.u32.u32.u32.add %r1, %r2, %r3, %r4;",
    "vabsdiff2.u32.u32.u32.add %r1, %r2, %r3, %r4;",
    "vmin2.u32.u32.u32.add %r1, %r2, %r3, %r4;",
    "vmax2.u32.u32.u32.add %r1, %r2, %r3, %r4;",
    "vset2.u32.u32.ne %r1, %r2, %r3, %r4;",
    "vadd4.u32.u32.u32.add %r1, %r2, %r3, %r4;",
    "vsub4.u32.u32.u32.add %r1, %r2, %r3, %r4;",
    "vavrg4.u32.u32.u32.add %r1, %r2, %r3, %r4;",
    "vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;",
    "vmin4.u32.u32.u32.add %r1, %r2, %r3, %r4;",
    "vmax4.u32.u32.u32.add %r1, %r2, %r3, %r4;",
    "vset4.u32.u32.ne %r1, %r2, %r3, %r4;",
    "abs.s16 %h1, %h2;",
    "abs.s32 %r1, %r2;",
    "abs.f32 %f1, %f2;",
    "abs.ftz.f32 %f1, %f2;",
    "abs.f64 %fd1, %fd2;",
    "abs.f16 %h1, %h2;",
    "activemask.b32 %r1;",
    "add.u16 %h1, %h2, %h3;",
    "add.s32 %r1, %r2, 5;",
    "add.sat.s32 %r1, %r2, %r3;",
    "add.u64 %d1, %d2, -8;",
    "add.cc.u32 %r1, %r2, %r3;",
    "add.f32 %f1, %f2, 0f3F800000;",
    "add.rz.ftz.sat.f32 %f1, %f2, %f3;",
    "add.rm.f64 %fd1, %fd2, 1.5;",
    "add.f16 %h1, %h2, %h3;",
    "add.rn.f16x2 %r1, %r2, %r3;",
    "addc.u32 %r1, %r2, %r3;",
    "addc.cc.s32 %r1, %r2, 0;",
    "and.b32 %r1, %r2, 255;",
    "and.pred %p1, %p2, %p3;",
    "and.b16 %h1, %h2, %h3;",
    "or.b64 %d1, %d2, %d3;",
    "xor.pred %p1, %p2, !%p3;",
    "atom.global.add.u32 %r1, [%d1], %r2;",
    "atom.global.add.f32 %f1, [%d1+4], %f2;",
    "atom.add.f64 %fd1, [%d1], %fd2;",
    "atom.shared.cas.b32 %r1, [%r2], %r3, %r4;",
    "atom.global.cas.b64 %d1, [%d2], %d3, %d4;",
    "atom.global.exch.b32 %r1, [%d1], %r2;",
    "atom.relaxed.gpu.global.inc.u32 %r1, [%d1], %r2;",
    "atom.global.max.s32 %r1, [%d1], -1;",
    "atom.cta.shared.min.u32 %r1, [%r2], %r3;",
    "atom.acq_rel.sys.global.and.b32 %r1, [%d1], %r2;",
    "atom.global.add.noftz.f16x2 %r1, [%d1], %r2;",
    "atom.global.xor.b64 _, [%d1], %d2;",
    "atom.global.dec.u32 %r1, [%d1], 7;",
    "bar.sync 0;",
    "bar.sync 1, 64;",
    "bar.sync %r1, %r2;",
    "barrier.sync 0;",
    "barrier.sync.aligned 0, 32;",
    "bar.arrive 1, 64;",
    "bar.red.popc.u32 %r1, 0, %p1;",
    "bar.red.and.pred %p1, 0, 64, !%p2;",
    "barrier.red.or.pred %p1, %r1, %p2;",
    "bar.synch_partner 0;",
    "bar.warp.sync -1;",
    "bfe.u32 %r1, %r2, 8, 8;",
    "bfe.s64 %d1, %d2, %r1, %r2;",
    "bfi.b32 %r1, %r2, %r3, 0, 8;",
    "bfi.b64 %d1, %d2, %d3, %r1, %r2;",
    "bfind.u32 %r1, %r2;",
    "bfind.shiftamt.s32 %r1, %r2;",
    "bfind.u64 %r1, %d1;",
    "brev.b32 %r1, %r2;",
    "brev.b64 %d1, %d2;",
    "clz.b32 %r1, %r2;",
    "clz.b64 %r1, %d1;",
    "popc.b32 %r1, %r2;",
    "popc.b64 %r1, %d1;",
    "cnot.b32 %r1, %r2;",
    "copysign.f32 %f1, %f2, %f3;",
    "cos.approx.f32 %f1, %f2;",
    "sin.approx.ftz.f32 %f1, %f2;",
    "ex2.approx.f32 %f1, %f2;",
    "lg2.approx.ftz.f32 %f1, %f2;",
    "tanh.approx.f32 %f1, %f2;",
    "sin.f32 %f1, %f2;",
    "cvt.u32.u16 %r1, %h1;",
    "cvt.s64.s32 %d1, %r1;",
    "cvt.u32.u64 %r1, %d1;",
    "cvt.u16.u8 %h1, %h2;",
    "cvt.s32.s8 %r1, %r2;",
    "cvt.rn.f32.s32 %f1, %r1;",
    "cvt.rzi.s32.f32 %r1, %f1;",
    "cvt.rzi.ftz.u32.f32 %r1, %f1;",
    "cvt.rn.f32.f64 %f1, %fd1;",
    "cvt.f64.f32 %fd1, %f1;",
    "cvt.rmi.f32.f32 %f1, %f2;",
    "cvt.rni.f64.f64 %fd1, %fd2;",
    "cvt.sat.f32.f32 %f1, %f2;",
    "cvt.rn.f16.f32 %h1, %f1;",
    "cvt.f32.f16 %f1, %h1;",
    "cvt.rn.f16x2.f32 %r1, %f1, %f2;",
    "cvt.sat.u8.s32 %r1, %r2;",
    "cvta.to.global.u64 %d1, %d2;",
    "cvta.local.u64 %d1, %d2;",
    "cvta.shared.u64 %d1, %d2;",
    "cvta.to.shared.u64 %d1, %d2;",
    "div.s32 %r1, %r2, %r3;",
    "div.u64 %d1, %d2, %d3;",
    "div.rn.f32 %f1, %f2, %f3;",
    "div.approx.ftz.f32 %f1, %f2, %f3;",
    "div.full.f32 %f1, %f2, %f3;",
    "div.rn.f64 %fd1, %fd2, %fd3;",
    "rem.s32 %r1, %r2, 10;",
    "rem.u16 %h1, %h2, %h3;",
    "dp4a.s32.u32 %r1, %r2, %r3, %r4;",
    "dp2a.lo.u32.s32 %r1, %r2, %r3, %r4;",
    "exit;",
    "fence.sc.gpu;",
    "fence.acq_rel.cta;",
    "membar.gl;",
    "membar.cta;",
    "membar.sys;",
    "fma.rn.f32 %f1, %f2, %f3, %f4;",
    "fma.rz.ftz.sat.f32 %f1, %f2, %f3, %f4;",
    "fma.rn.f64 %fd1, %fd2, %fd3, %fd4;",
    "fma.rn.f16 %h1, %h2, %h3, %h4;",
    "fma.rn.f16x2 %r1, %r2, %r3, %r4;",
    "isspacep.global %p1, %d1;",
    "isspacep.shared::cta %p1, %d1;",
    "ld.global.f32 %f1, [%d1];",
    "ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%d1+16];",
    "ld.u8 %h1, [%d1];",
    "ld.volatile.shared.u32 %r1, [%r2];",
    "ld.global.ca.s8 %r1, [%d1+-1];",
    "ld.relaxed.gpu.u32 %r1, [%d1];",
    "ld.global.L1::evict_last.L2::128B.u32 %r1, [%d1];",
    "ld.shared::cta.v2.u64 {%d1, %d2}, [%d3];",
    "ld.const.u16 %h1, [%d1];",
    "ld.const[1].u16 %h1, [%d1];",
    "ldu.global.f32 %f1, [%d1];",
    "ld.local.v2.b16 {%h1, _}, [%d1];",
    "ld.global.b64 %d1, [64];",
    "ld.global.s16 %r1, [%d1];",
    "ld.acquire.sys.global.u64 %d1, [%d2];",
    "lop3.b32 %r1, %r2, %r3, %r4, 0x96;",
    "mad.lo.s32 %r1, %r2, %r3, %r4;",
    "mad.wide.u32 %d1, %r1, 4, %d2;",
    "mad.hi.u32 %r1, %r2, %r3, %r4;",
    "mad.hi.sat.s32 %r1, %r2, %r3, %r4;",
    "mad.lo.cc.u32 %r1, %r2, %r3, %r4;",
    "madc.hi.cc.u32 %r1, %r2, %r3, %r4;",
    "madc.lo.u32 %r1, %r2, %r3, %r4;",
    "mad.f32 %f1, %f2, %f3, %f4;",
    "mad.rn.f32 %f1, %f2, %f3, %f4;",
    "mad.rn.f64 %fd1, %fd2, %fd3, %fd4;",
    "mad24.lo.s32 %r1, %r2, %r3, %r4;",
    "match.any.sync.b32 %r1, %r2, %r3;",
    "match.all.sync.b64 %r1|%p1, %d1, -1;",
    "max.s32 %r1, %r2, 0;",
    "max.f32 %f1, %f2, %f3;",
    "min.ftz.f32 %f1, %f2, %f3;",
    "min.u64 %d1, %d2, %d3;",
    "max.NaN.f32 %f1, %f2, %f3;",
    "mov.u32 %r1, %tid.x;",
    "mov.b64 %d1, {%r1, %r2};",
    "mov.b64 {%r1, _}, %d1;",
    "mov.b32 %r1, {%h1, %h2};",
    "mov.b64 {%h1, %h2, %h3, %h4}, %d1;",
    "mov.pred %p1, %p2;",
    "mov.f32 %f1, 0f00000000;",
    "mov.f64 %fd1, 0d4000000000000000;",
    "mov.b32 %r1, %f1;",
    "mov.u64 %d1, %clock64;",
    "mov.u16 %h1, 7;",
    "mul.lo.s32 %r1, %r2, %r3;",
    "mul.hi.u64 %d1, %d2, %d3;",
    "mul.wide.u16 %r1, %h1, %h2;",
    "mul.wide.s32 %d1, %r1, -4;",
    "mul.f32 %f1, %f2, %f3;",
    "mul.rn.ftz.f32 %f1, %f2, %f3;",
    "mul.f64 %fd1, %fd2, 0d3FE0000000000000;",
    "mul24.lo.u32 %r1, %r2, %r3;",
    "nanosleep.u32 100;",
    "neg.s32 %r1, %r2;",
    "neg.ftz.f32 %f1, %f2;",
    "neg.f16x2 %r1, %r2;",
    "not.b32 %r1, %r2;",
    "not.pred %p1, %p2;",
    "pmevent 3;",
    "prefetch.global.L2 [%d1];",
    "prefetchu.L1 [%d1];",
    "prmt.b32 %r1, %r2, %r3, 0x3210;",
    "prmt.b32.f4e %r1, %r2, %r3, %r4;",
    "rcp.rn.f32 %f1, %f2;",
    "rcp.approx.ftz.f32 %f1, %f2;",
    "rcp.rn.f64 %fd1, %fd2;",
    "rcp.approx.ftz.f64 %fd1, %fd2;",
    "rsqrt.approx.f32 %f1, %f2;",
    "sqrt.rn.f32 %f1, %f2;",
    "sqrt.approx.ftz.f32 %f1, %f2;",
    "sqrt.rn.f64 %fd1, %fd2;",
    "red.global.add.u32 [%d1], %r1;",
    "red.shared.or.b32 [%r1], %r2;",
    "red.relaxed.gpu.global.add.f32 [%d1], %f1;",
    "redux.sync.add.s32 %r1, %r2, -1;",
    "redux.sync.xor.b32 %r1, %r2, %r3;",
    "ret;",
    "ret.uni;",
    "sad.u32 %r1, %r2, %r3, %r4;",
    "selp.b32 %r1, %r2, 0, %p1;",
    "selp.f64 %fd1, %fd2, %fd3, !%p1;",
    "set.lt.u32.f32 %r1, %f1, %f2;",
    "set.eq.and.s32.u32 %r1, %r2, %r3, !%p1;",
    "setp.lt.s32 %p1, %r1, %r2;",
    "setp.neu.ftz.f32 %p1|%p2, %f1, %f2;",
    "setp.ge.or.u64 %p1, %d1, 5, %p2;",
    "setp.nan.f64 %p1, %fd1, %fd1;",
    "setp.hi.u32 %p1, %r1, %r2;",
    "setp.eq.b16 %p1, %h1, 0;",
    "setp.gt.f16 %p1, %h1, %h2;",
    "shf.l.wrap.b32 %r1, %r2, %r3, 7;",
    "shf.r.clamp.b32 %r1, %r2, %r3, %r4;",
    "shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;",
    "shfl.sync.idx.b32 %r1, %r2, %r3, 0x1f, %r4;",
    "shfl.down.b32 %r1, %r2, 1, 31;",
    "shl.b32 %r1, %r2, 3;",
    "shl.b64 %d1, %d2, %r1;",
    "shr.s32 %r1, %r2, 31;",
    "shr.u64 %d1, %d2, 32;",
    "shr.b16 %h1, %h2, 1;",
    "slct.f32.s32 %f1, %f2, %f3, %r1;",
    "slct.u32.f32 %r1, %r2, %r3, %f1;",
    "st.global.f32 [%d1], %f1;",
    "st.global.v2.u32 [%d1+8], {%r1, 0};",
    "st.volatile.shared.u8 [%r1], %h1;",
    "st.cs.global.u64 [%d1], 0;",
    "st.release.gpu.global.u32 [%d1], %r1;",
    "st.u8 [%d1], %r1;",
    "st.local.v4.f32 [%d1], {%f1, %f2, %f3, %f4};",
    "sub.s32 %r1, %r2, %r3;",
    "sub.cc.u32 %r1, %r2, %r3;",
    "subc.u32 %r1, %r2, %r3;",
    "sub.f32 %f1, %f2, %f3;",
    "testp.infinite.f32 %p1, %f1;",
    "testp.notanumber.f64 %p1, %fd1;",
    "trap;",
    "brkpt;",
    "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %f6}];",
    "tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%d1, {%r5}];",
    "tex.3d.v4.u32.f32 {%r1, _, _, _}, [%d1, {%f1, %f2, %f3, %f4}];",
    "tex.base.a1d.v4.u32.s32 {%r1, _, _, _}, [%d1, {%r1, %r2}];",
    "tex.level.acube.v4.f32.f32 {%f1, _, _, _}, [%d1, {%r1, %f1, %f2, %f3}], 0f3F800000;",
    "tex.grad.cube.v4.f32.f32 {%f1, _, _, _}, [%d1, {%f1, %f2, %f3, %f3}], {%f1, %f2, %f3, %f3}, {%f1, %f2, %f3, %f3};",
    "tex.grad.1d.v4.f32.f32 {%f1, _, _, _}, [%d1, {%f1}], {%f2}, %f3;",
    "tld4.b.2d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%d1, {%f1, %f2}];",
    "txq.width.b32 %r1, [%d1];",
    "txq.level.depth.b32 %r1, [%d1], 1;",
    "suld.b.2d.v2.b32.trap {%r1, %r2}, [%d1, {%r3, %r4}];",
    "suld.b.a2d.cg.b64.zero %d1, [%d1, {%r1, %r2, %r3, %r3}];",
    "sust.b.3d.v2.b64.clamp [%d1, {%r1, %r2, %r3, %r3}], {%d1, %d2};",
    "sust.p.1d.v4.b32.trap [%d1, {%r1}], {%r1, %r2, %r3, %r4};",
    "sured.b.min.a1d.s64.zero [%d1, {%r1, %r2}], %d2;",
    "suq.array_size.b32 %r1, [%d1];",
    "vote.sync.ballot.b32 %r1, %p1, -1;",
    "vote.sync.any.pred %p1, !%p2, %r1;",
    "vote.all.pred %p1, %p2;",
    "vote.ballot.b32 %r1, %p1;",
    "vote.uni.pred %p1, %p2;",
};

TEST(Forms, AcceptWhatProgramsUse) {
  for (const char* text : kAccepted) EXPECT_EQ(body_message(std::string(text) + " ret;"), "") << text;
}

TEST(Forms, EveryRowIsReachedByAnAcceptedInstructionOrAVariantOfIt) {
  // Every row must be used by an instruction above, or it would be untested.
  std::set<Opcode> used;
  for (const char* text : kAccepted) {
    const auto kernel = lower_body(std::string(text) + " ret;");
    for (const MicroOp& op : kernel->ops) used.insert(op.opcode);
  }
  // Spelled differently from the opcode.
  for (const Opcode opcode : {Opcode::tld4, Opcode::txq, Opcode::suq, Opcode::suld, Opcode::sust, Opcode::sured}) {
    const auto names = [&](const char* text) { return std::string_view(text).starts_with(name_of(opcode)); };
    if (std::any_of(std::begin(kAccepted), std::end(kAccepted), names)) used.insert(opcode);
  }
  for (const Form& form : all_forms()) {
    if (form.opcode == Opcode::bra || form.opcode == Opcode::brx || form.opcode == Opcode::call ||
        form.opcode == Opcode::ret)
      continue;
    // Hints generate no operation.
    const bool hint = form.opcode == Opcode::applypriority || form.opcode == Opcode::createpolicy ||
                      form.opcode == Opcode::discard || form.opcode == Opcode::griddepcontrol;
    EXPECT_TRUE(hint || used.contains(form.opcode)) << name_of(form.opcode);
  }
}

const char* const kRefused[] = {
    "add.f32.f32 %f1, %f2, %f3;",
    "add.sat.u32 %r1, %r2, %r3;",
    "add.ftz.s32 %r1, %r2, %r3;",
    "add.ftz.f64 %fd1, %fd2, %fd3;",
    "add.u8 %h1, %h2, %h3;",
    "add.pred %p1, %p2, %p3;",
    "fma.f32 %f1, %f2, %f3, %f4;",
    "fma.rn.s32 %r1, %r2, %r3, %r4;",
    "mul.s32 %r1, %r2, %r3;",
    "mul.wide.u64 %d1, %d2, %d3;",
    "mul.wide.f32 %f1, %f2, %f3;",
    "mad.lo.f32 %f1, %f2, %f3, %f4;",
    "and.u32 %r1, %r2, %r3;",
    "shl.s32 %r1, %r2, 1;",
    "setp.s32 %p1, %r1, %r2;",
    "setp.lt.and.s32 %p1, %r1, %r2;",
    "setp.lt.s32 %p1, %r1, %r2, %p2;",
    "selp.pred %p1, %p2, %p3, %p4;",
    "cvt.rn.s32.f32 %r1, %f1;",
    "cvt.rzi.f32.s32 %f1, %r1;",
    "cvt.rzi.f32.f64 %f1, %fd1;",
    "ld.pred %p1, [%d1];",
    "ld.global.v3.u32 {%r1, %r2, %r3}, [%d1];",
    "st.nc.global.u32 [%d1], %r1;",
    "atom.global.inc.s32 %r1, [%d1], %r2;",
    "atom.global.min.f32 %f1, [%d1], %f2;",
    "atom.global.u32 %r1, [%d1], %r2;",
    "bar.sync;",
    "bar.arrive 1;",
    "shfl.sync.bfly.b32 %r1, %r2, 1, 31;",
    "shfl.bfly.b32 %r1, %r2, 1, 31, -1;",
    "vote.sync.ballot.pred %p1, %p2, -1;",
    "clz.u32 %r1, %r2;",
    "neg.u32 %r1, %r2;",
    "rcp.f32.f32 %f1, %f2;",
    "div.full.f64 %fd1, %fd2, %fd3;",
    "membar;",
    "prmt.b64 %d1, %d2, %d3, %d4;",
    "lop3.b32 %r1, %r2, %r3, %r4, 256;",
    "lop3.b32 %r1, %r2, %r3, %r4, %r5;",
    "add.s32 %r1|%p1, %r2, %r3;",
    "setp.lt.s32 %p1|%p2|%p3, %r1, %r2;",
    "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5}];",
    "tex.2d.f32.f32 %f1, [%d1, {%f5, %f6}];",
    "tex.cube.v4.f32.s32 {%f1, _, _, _}, [%d1, {%r1, %r2, %r3, %r3}];",
    "tex.level.2d.v4.f32.s32 {%f1, _, _, _}, [%d1, {%r1, %r2}], 1;",
    "tex.grad.2d.v4.f32.f32 {%f1, _, _, _}, [%d1, {%f1, %f2}], {%f1}, {%f2};",
    "tld4.r.3d.v4.f32.f32 {%f1, _, _, _}, [%d1, {%f1, %f2, %f3, %f3}];",
    "suld.b.2d.v4.b64.trap {%d1, %d2, %d3, %d4}, [%d1, {%r3, %r4}];",
    "suld.p.2d.b32.trap %r1, [%d1, {%r3, %r4}];",
    "sust.b.2d.b32.trap [%d1, {%r3}], %r1;",
    "sured.p.add.1d.b32.trap [%d1, {%r3}], %r1;",
    "ld.global.v8.u64 {%d1, %d2, %d3, %d4, %d5, %d6, %d7, %d8}, [%d5];",
    "add.s32 %r1, %r2;",
    "add.s32 %r1, %r2, %r3, %r4;",
    "exit 1;",
    "st.global.u32 %r1, [%d1];",
    "mov.b32 {%r1, %r2}, %d1;",
    "mov.b64 {%r1, %r2}, {%r3, %r4};",
};

TEST(Forms, RefuseWhatTheManualDoesNotList) {
  for (const char* text : kRefused) {
    const std::string message = body_message(std::string(text) + " ret;");
    EXPECT_TRUE(message.starts_with("test.ptx:12:")) << text << "  gave: " << message;
  }
}

TEST(Forms, NameTheInstructionTheyRefuse) {
  EXPECT_EQ(body_message("add.ftz.s32 %r1, %r2, %r3;"),
            "test.ptx:12:1: 'add.ftz.s32' is not a legal combination of types and modifiers");
  EXPECT_EQ(body_message("frobnicate.ca.u32 %r1, %r2;"),
            "test.ptx:12:1: instruction 'frobnicate.ca.u32' is not supported");
  EXPECT_EQ(body_message("ld.global.fast.u32 %r1, [%d1];"),
            "test.ptx:12:1: 'ld.global.fast.u32': modifier '.fast' is not supported");
  EXPECT_EQ(body_message("mov.b128 %d1, %d2;"), "test.ptx:12:1: 'mov.b128': modifier '.b128' is not supported");
}

const MicroOp only(const std::string& text) {
  const auto kernel = lower_body(text + " ret;");
  EXPECT_EQ(kernel->ops.size(), 2u) << text;
  return kernel->ops[0];
}

TEST(Forms, FillModifiers) {
  MicroOp op = only("ld.volatile.global.v2.s8 {%r1, %r2}, [%d1+-3];");
  EXPECT_EQ(op.space, Space::global);
  EXPECT_EQ(op.type, DataType::s8);
  EXPECT_EQ(op.vector_width, 2);
  EXPECT_TRUE(op.is_volatile);
  EXPECT_EQ(op.address_offset, -3);
  EXPECT_EQ(op.destinations[0].type, DataType::b32);
  EXPECT_EQ(op.unit, Unit::memory);

  op = only("setp.geu.xor.ftz.f32 %p1|%p2, %f1, %f2, !%p3;");
  EXPECT_EQ(op.compare, Compare::geu);
  EXPECT_EQ(op.bool_op, BoolOp::xor_);
  EXPECT_TRUE(op.flush_to_zero);
  EXPECT_EQ(op.destination_count, 2);
  EXPECT_EQ(op.source_count, 3);
  EXPECT_TRUE(op.sources[2].negate);

  op = only("atom.release.sys.shared.add.u64 %d1, [%r1+8], %d2;");
  EXPECT_EQ(op.atom_op, AtomOp::add);
  EXPECT_EQ(op.scope, Scope::sys);
  EXPECT_EQ(op.space, Space::shared);
  EXPECT_EQ(op.source_count, 2);

  op = only("bar.red.and.pred %p1, 2, %p2;");
  EXPECT_EQ(op.bar_mode, BarMode::red_and);
  ASSERT_EQ(op.source_count, 3);
  EXPECT_FALSE(op.sources[1].present()) << "no thread count";
  EXPECT_EQ(op.sources[2].type, DataType::pred);

  op = only("shf.r.wrap.b32 %r1, %r2, %r3, %r4;");
  EXPECT_TRUE(op.right && op.shift_wrap);
  op = only("cvta.to.shared.u64 %d1, %d2;");
  EXPECT_TRUE(op.to_space);
  EXPECT_EQ(op.space, Space::shared);
  op = only("lop3.b32 %r1, %r2, %r3, %r4, 0x96;");
  EXPECT_EQ(op.immediate_table, 0x96);
  EXPECT_EQ(op.source_count, 3);
  op = only("ld.u32 %r1, [%d1];");
  EXPECT_EQ(op.space, Space::generic);
  op = only("match.all.sync.b32 %r1|%p1, %r2, %r3;");
  EXPECT_EQ(op.match_mode, MatchMode::all);
  EXPECT_EQ(op.destination_count, 2);
  EXPECT_TRUE(op.sync_form);
}

TEST(Forms, SupplyWhatOldProgramsLeaveOut) {
  EXPECT_EQ(only("add.f32 %f1, %f2, %f3;").rounding, Rounding::rn);
  EXPECT_EQ(only("add.s32 %r1, %r2, %r3;").rounding, Rounding::none);
  EXPECT_EQ(only("cvt.s32.f32 %r1, %f1;").rounding, Rounding::rzi);
  EXPECT_EQ(only("cvt.f32.s32 %f1, %r1;").rounding, Rounding::rn);
  EXPECT_EQ(only("cvt.f32.f64 %f1, %fd1;").rounding, Rounding::rn);
  EXPECT_EQ(only("cvt.f64.f32 %fd1, %f1;").rounding, Rounding::none);
  EXPECT_TRUE(only("sin.f32 %f1, %f2;").approximate);
  EXPECT_TRUE(only("div.f32 %f1, %f2, %f3;").approximate);
  EXPECT_EQ(only("div.f64 %fd1, %fd2, %fd3;").rounding, Rounding::rn);
}

TEST(Forms, ClassifyForTiming) {
  const auto expect = [](const char* text, Unit unit, TimingClass timing_class) {
    const MicroOp op = only(text);
    EXPECT_EQ(op.unit, unit) << text;
    EXPECT_EQ(op.timing_class, timing_class) << text;
  };
  expect("add.s32 %r1, %r2, %r3;", Unit::alu, TimingClass::int_add);
  expect("add.f32 %f1, %f2, %f3;", Unit::alu, TimingClass::fp32_add);
  expect("add.f64 %fd1, %fd2, %fd3;", Unit::fp64, TimingClass::fp64_add);
  expect("cvt.s32.f64 %r1, %fd1;", Unit::fp64, TimingClass::fp64_add);
  expect("ld.global.f64 %fd1, [%d1];", Unit::memory, TimingClass::memory);
  expect("mov.f64 %fd1, %fd2;", Unit::alu, TimingClass::int_add);
  expect("ex2.approx.f32 %f1, %f2;", Unit::sfu, TimingClass::sfu);
  expect("bar.sync 0;", Unit::control, TimingClass::barrier);
  expect("bar.warp.sync -1;", Unit::control, TimingClass::barrier);
}

}  // namespace
}  // namespace heddle::isa
