// SPDX-License-Identifier: Apache-2.0
// PTX that keeps the units of the interweaving machines busy. Uses %f1 .. %f11, %r1 (the thread), %r2, %r28, %r29, %p1
// and %rd2 (the thread's word), and the shared variable `box`.
#pragma once

#include <fmt/format.h>

#include <string>

namespace heddle::interweaving_kernels {

/// Additions to ten values in turn, which end() stores: a value that nothing uses has no register of its own.
inline std::string add(unsigned i) { return fmt::format("add.f32 %f{0}, %f{0}, %f1; ", 2 + i % 10); }

inline std::string adds(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += add(i);
  return text;
}

inline std::string begin() {
  std::string text = "mov.f32 %f1, 0f3F000000; mov.u32 %r29, box; ";
  for (unsigned i = 0; i < 10; ++i) text += fmt::format("mov.f32 %f{}, %f1; ", 2 + i);
  return text;
}

inline std::string end() {
  std::string text;
  for (unsigned i = 1; i < 10; ++i) text += fmt::format("add.f32 %f2, %f2, %f{}; ", 2 + i);
  return text + "st.global.f32 [%rd2], %f2; ";
}

/// Threads of a warp go two ways of equal length.
inline std::string balanced(unsigned length) {
  return begin() + "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra ELSE; " + adds(length) +
         "bra JOIN; ELSE: " + adds(length) + "JOIN: " + end();
}

/// Work for all units at the same time: twelve warps add, three load and one asks the SFU, so that MAD x 64, LSU x 32
/// and SFU x 8 have 1, 1/2 and 1/8 instructions a cycle. Instructions that add are the oldest, so that the first of
/// two schedulers picks them and leaves the others to the second.
inline std::string mixture() {
  std::string loads, others;
  for (unsigned i = 0; i < 200; ++i) loads += fmt::format("ld.shared.f32 %f{}, [%r29]; ", 2 + i % 10);
  for (unsigned i = 0; i < 150; ++i) others += fmt::format("ex2.approx.ftz.f32 %f{0}, %f{0}; ", 2 + i % 10);
  return "shr.u32 %r28, %r1, 6; setp.ge.u32 %p1, %r28, 12; @%p1 bra LSU; " + adds(100) +
         "bra END; LSU: setp.ge.u32 %p1, %r28, 15; @%p1 bra SFU; " + loads + "bra END; SFU: " + others + "END: ";
}

}  // namespace heddle::interweaving_kernels
