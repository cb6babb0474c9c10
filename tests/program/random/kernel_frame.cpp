// SPDX-License-Identifier: Apache-2.0
#include "kernel_frame.h"

#include <fmt/format.h>

#include <array>

namespace heddle::random {

std::string_view sum_operation(unsigned index) {
  constexpr std::array<std::string_view, kSharedSums> kOperations = {"add.u32", "min.u32", "max.s32", "or.b32",
                                                                     "and.b32", "xor.b32", "add.u32", "max.u32"};
  return kOperations[index % kOperations.size()];
}

std::uint32_t first_sum(unsigned index) {
  const std::string_view operation = sum_operation(index);
  if (operation == "min.u32" || operation == "and.b32") return ~0u;
  return operation == "max.s32" ? 0x80000000u : 0;
}

std::string prologue(Chance& chance) {
  std::string text =
      R"(.visible .entry k(.param .u64 p_inputs, .param .u64 p_results, .param .u64 p_scratch, .param .u64 p_sums)
{
  .reg .b32 %r<8>, %t<6>, %c<6>, %self, %threads, %cta, %lane, %warp, %full, %own, %places, %depot, %thread;
  .reg .b64 %d<3>, %a<2>, %inputs, %mine, %scratch, %block_scratch, %sums;
  .reg .f32 %f<3>; .reg .f64 %e<2>; .reg .pred %p<3>, %q<2>;
  .local .align 8 .b8 depot[32];
  mov.u32 %t0, %tid.x; mov.u32 %t1, %tid.y; mov.u32 %t2, %tid.z; mov.u32 %t3, %ntid.x; mov.u32 %t4, %ntid.y;
  mad.lo.u32 %self, %t2, %t4, %t1; mad.lo.u32 %self, %self, %t3, %t0;
  mov.u32 %t5, %ntid.z; mul.lo.u32 %threads, %t3, %t4; mul.lo.u32 %threads, %threads, %t5;
  mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ctaid.y; mov.u32 %t2, %nctaid.x; mad.lo.u32 %cta, %t1, %t2, %t0;
  mad.lo.u32 %thread, %cta, %threads, %self;
  and.b32 %lane, %self, 31; shr.u32 %warp, %self, 5;
  sub.u32 %t0, %threads, %self; add.u32 %t0, %t0, %lane; mov.u32 %t1, 32; min.u32 %t0, %t0, %t1;
  sub.u32 %t0, %t1, %t0; mov.u32 %t1, -1; shr.u32 %full, %t1, %t0;
  ld.param.u64 %inputs, [p_inputs]; cvta.to.global.u64 %inputs, %inputs;
  ld.param.u64 %mine, [p_results]; ld.param.u64 %block_scratch, [p_scratch]; ld.param.u64 %sums, [p_sums];
)";
  text += fmt::format("  mul.wide.u32 %d0, %thread, {}; add.s64 %mine, %mine, %d0;\n", kResultBytes);
  text += fmt::format("  mul.wide.u32 %d0, %thread, {}; add.s64 %scratch, %block_scratch, %d0;\n", kScratchBytes);
  text += fmt::format("  mul.wide.u32 %d0, %self, {}; sub.s64 %block_scratch, %scratch, %d0;\n", kScratchBytes);
  text += fmt::format("  mov.u32 %places, box; add.u32 %places, %places, {}; mad.lo.u32 %own, %self, {}, %places;\n",
                      4 * kSharedSums, kSharedThreadBytes);
  text += "  mov.u32 %depot, depot;\n";
  for (unsigned i = 0; i < kWords; ++i)
    text += fmt::format("  mad.lo.u32 %r{}, %thread, 0x{:x}, 0x{:x};\n", i, 0x9e3779b1u * (i + 1), chance.bits());
  for (unsigned i = 0; i < 8; ++i) text += fmt::format("  st.local.u32 [depot+{}], %r{};\n", 4 * i, i);
  for (unsigned i = 0; i < kLongs; ++i) text += fmt::format("  mul.wide.u32 %d{}, %r{}, %r{};\n", i, i, i + 3);
  for (unsigned i = 0; i < kFloats; ++i) text += fmt::format("  cvt.rn.f32.u32 %f{}, %r{};\n", i, i);
  for (unsigned i = 0; i < kDoubles; ++i) text += fmt::format("  cvt.rn.f64.s32 %e{}, %r{};\n", i, i);
  for (unsigned i = 0; i < kPredicates; ++i) text += fmt::format("  setp.lt.u32 %p{}, %r{}, 0x80000000;\n", i, i);
  // Shared memory is initially undefined.
  text += "  st.shared.u32 [%own], %r0; st.shared.u32 [%own+4], %r1; st.global.u32 [%scratch], %r2;\n";
  text += "  setp.ne.u32 %q0, %self, 0; @%q0 bra READY;\n";
  for (unsigned i = 0; i < kSharedSums; ++i)
    text += fmt::format("  st.shared.u32 [box+{}], 0x{:x};\n", 4 * i, first_sum(i));
  return text + "READY:\n  bar.sync 0;\n";
}

std::string epilogue() {
  std::string text;
  for (unsigned i = 0; i < kWords; ++i) text += fmt::format("  st.global.u32 [%mine+{}], %r{};\n", 4 * i, i);
  for (unsigned i = 0; i < kLongs; ++i) text += fmt::format("  st.global.u64 [%mine+{}], %d{};\n", 32 + 8 * i, i);
  for (unsigned i = 0; i < kFloats; ++i) text += fmt::format("  st.global.f32 [%mine+{}], %f{};\n", 56 + 4 * i, i);
  for (unsigned i = 0; i < kDoubles; ++i) text += fmt::format("  st.global.f64 [%mine+{}], %e{};\n", 72 + 8 * i, i);
  text += "  mov.u32 %t0, 0;\n";
  for (unsigned i = 0; i < kPredicates; ++i) text += fmt::format("  @%p{} or.b32 %t0, %t0, {};\n", i, 1u << i);
  text += "  st.global.u32 [%mine+68], %t0;\n  bar.sync 0;\n";
  // Adds the block's sums to the grid's by the same operations; the first remaining threads to arrive do it.
  text += "  atom.shared.exch.b32 %t0, [%places+4], 0x5eed;\n  setp.eq.u32 %q0, %t0, 0x5eed;\n  @%q0 bra DONE;\n";
  for (unsigned i = 0; i < kSharedSums; ++i) {
    text += fmt::format("  ld.shared.u32 %t1, [box+{}]; red.global.{} [%sums+{}], %t1;\n", 4 * i, sum_operation(i),
                        4 * (i == 6 ? 14 : i));
  }
  return text + "DONE:\n  ret;\n}\n";
}

}  // namespace heddle::random
