// SPDX-License-Identifier: Apache-2.0
// The DPX functions: fused three-operand sums, maxima and minima for dynamic programming, on host and device, of words
// and of half-word pairs. CUDA calls words s32 and u32, pairs s16x2 and u16x2.
#pragma once

#include "macros.h"

namespace heddle_cuda {

HEDDLE_BOTH int larger(int a, int b) { return a > b ? a : b; }
HEDDLE_BOTH int smaller(int a, int b) { return a < b ? a : b; }
HEDDLE_BOTH unsigned int larger(unsigned int a, unsigned int b) { return a > b ? a : b; }
HEDDLE_BOTH unsigned int smaller(unsigned int a, unsigned int b) { return a < b ? a : b; }
HEDDLE_BOTH int wrapped_sum(int a, int b) {
  return static_cast<int>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b));
}
HEDDLE_BOTH unsigned int wrapped_sum(unsigned int a, unsigned int b) { return a + b; }
HEDDLE_BOTH short signed_half(unsigned int w, int lane) { return static_cast<short>(w >> (16 * lane)); }
HEDDLE_BOTH unsigned short unsigned_half(unsigned int w, int lane) {
  return static_cast<unsigned short>(w >> (16 * lane));
}
HEDDLE_BOTH unsigned int joined(unsigned int low, unsigned int high) { return (low & 0xffffu) | high << 16; }

}  // namespace heddle_cuda

#define HEDDLE_DPX_WORDS(suffix, type, choice, better)                     \
  HEDDLE_BOTH type __viadd##choice##_##suffix(type a, type b, type c) {    \
    return heddle_cuda::better(heddle_cuda::wrapped_sum(a, b), c);         \
  }                                                                        \
  HEDDLE_BOTH type __vi##choice##3_##suffix(type a, type b, type c) {      \
    return heddle_cuda::better(heddle_cuda::better(a, b), c);              \
  }                                                                        \
  HEDDLE_BOTH type __vib##choice##_##suffix(type a, type b, bool* first) { \
    *first = heddle_cuda::better(a, b) == a;                               \
    return heddle_cuda::better(a, b);                                      \
  }
#define HEDDLE_DPX_RELU(choice, better)                             \
  HEDDLE_BOTH int __viadd##choice##_s32_relu(int a, int b, int c) { \
    return heddle_cuda::larger(__viadd##choice##_s32(a, b, c), 0);  \
  }                                                                 \
  HEDDLE_BOTH int __vi##choice##3_s32_relu(int a, int b, int c) {   \
    return heddle_cuda::larger(__vi##choice##3_s32(a, b, c), 0);    \
  }                                                                 \
  HEDDLE_BOTH int __vi##choice##_s32_relu(int a, int b) { return heddle_cuda::larger(heddle_cuda::better(a, b), 0); }

// The same per half-word: `as` is the type of a half, in which sums wrap.
#define HEDDLE_DPX_HALVES(suffix, as, half, choice, word)                                                              \
  HEDDLE_BOTH unsigned int __viadd##choice##_##suffix(unsigned int a, unsigned int b, unsigned int c) {                \
    unsigned int r[2];                                                                                                 \
    for (int lane = 0; lane < 2; ++lane) {                                                                             \
      const as sum = static_cast<as>(heddle_cuda::half(a, lane) + heddle_cuda::half(b, lane));                         \
      r[lane] = static_cast<unsigned int>(__vi##choice##3_##word(sum, heddle_cuda::half(c, lane), sum));               \
    }                                                                                                                  \
    return heddle_cuda::joined(r[0], r[1]);                                                                            \
  }                                                                                                                    \
  HEDDLE_BOTH unsigned int __vi##choice##3_##suffix(unsigned int a, unsigned int b, unsigned int c) {                  \
    unsigned int r[2];                                                                                                 \
    for (int lane = 0; lane < 2; ++lane) {                                                                             \
      r[lane] = static_cast<unsigned int>(                                                                             \
          __vi##choice##3_##word(heddle_cuda::half(a, lane), heddle_cuda::half(b, lane), heddle_cuda::half(c, lane))); \
    }                                                                                                                  \
    return heddle_cuda::joined(r[0], r[1]);                                                                            \
  }                                                                                                                    \
  HEDDLE_BOTH unsigned int __vib##choice##_##suffix(unsigned int a, unsigned int b, bool* high, bool* low) {           \
    const unsigned int h =                                                                                             \
        static_cast<unsigned int>(__vib##choice##_##word(heddle_cuda::half(a, 1), heddle_cuda::half(b, 1), high));     \
    const unsigned int l =                                                                                             \
        static_cast<unsigned int>(__vib##choice##_##word(heddle_cuda::half(a, 0), heddle_cuda::half(b, 0), low));      \
    return heddle_cuda::joined(l, h);                                                                                  \
  }
#define HEDDLE_DPX_HALVES_RELU(choice)                                                                    \
  HEDDLE_BOTH unsigned int __viadd##choice##_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) { \
    return __vimax3_s16x2(__viadd##choice##_s16x2(a, b, c), 0, 0);                                        \
  }                                                                                                       \
  HEDDLE_BOTH unsigned int __vi##choice##3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) {   \
    return __vimax3_s16x2(__vi##choice##3_s16x2(a, b, c), 0, 0);                                          \
  }                                                                                                       \
  HEDDLE_BOTH unsigned int __vi##choice##_s16x2_relu(unsigned int a, unsigned int b) {                    \
    return __vimax3_s16x2(__vi##choice##3_s16x2(a, b, b), 0, 0);                                          \
  }
HEDDLE_DPX_WORDS(s32, int, max, larger)
HEDDLE_DPX_WORDS(s32, int, min, smaller)
HEDDLE_DPX_WORDS(u32, unsigned int, max, larger)
HEDDLE_DPX_WORDS(u32, unsigned int, min, smaller)
HEDDLE_DPX_RELU(max, larger)
HEDDLE_DPX_RELU(min, smaller)
HEDDLE_DPX_HALVES(s16x2, short, signed_half, max, s32)
HEDDLE_DPX_HALVES(s16x2, short, signed_half, min, s32)
HEDDLE_DPX_HALVES(u16x2, unsigned short, unsigned_half, max, u32)
HEDDLE_DPX_HALVES(u16x2, unsigned short, unsigned_half, min, u32)
HEDDLE_DPX_HALVES_RELU(max)
HEDDLE_DPX_HALVES_RELU(min)
#undef HEDDLE_DPX_HALVES_RELU
#undef HEDDLE_DPX_HALVES
#undef HEDDLE_DPX_RELU
#undef HEDDLE_DPX_WORDS
