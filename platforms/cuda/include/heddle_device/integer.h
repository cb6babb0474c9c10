// SPDX-License-Identifier: Apache-2.0
// Integer intrinsics: bits, funnel shifts, wide and 24-bit products, sums of absolute differences, averages.
#pragma once

#include "../vector_types.h"
#include "macros.h"

HEDDLE_DEVICE int __clz(int x) { return __builtin_clz(static_cast<unsigned int>(x)); }
HEDDLE_DEVICE int __clzll(long long x) { return __builtin_clzll(static_cast<unsigned long long>(x)); }
HEDDLE_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
HEDDLE_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
HEDDLE_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
HEDDLE_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
// Isolates the lowest set bit and counts from the top; without a set bit, clz = width gives 0.
HEDDLE_DEVICE int __ffs(int x) { return 32 - __clz(x & -x); }
HEDDLE_DEVICE int __ffsll(long long x) { return 64 - __clzll(x & -x); }
HEDDLE_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  // The position of the offset-th set bit from base: upwards when positive, downwards when negative.
  if (offset == 0) return (mask >> (base & 31) & 1) != 0 ? base : 0xffffffffu;
  const int step = offset > 0 ? 1 : -1;
  int remaining = offset > 0 ? offset : -offset;
  for (int position = static_cast<int>(base); position >= 0 && position < 32; position += step) {
    if ((mask >> position & 1) != 0 && --remaining == 0) return static_cast<unsigned int>(position);
  }
  return 0xffffffffu;
}
HEDDLE_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  return __nvvm_prmt(x, y, selector);
}

#define HEDDLE_FUNNEL(name, operation)                                                             \
  HEDDLE_DEVICE unsigned int name(unsigned int low, unsigned int high, unsigned int shift) {       \
    unsigned int result;                                                                           \
    asm("shf." operation ".b32 %0, %1, %2, %3;" : "=r"(result) : "r"(low), "r"(high), "r"(shift)); \
    return result;                                                                                 \
  }
HEDDLE_FUNNEL(__funnelshift_l, "l.wrap")
HEDDLE_FUNNEL(__funnelshift_lc, "l.clamp")
HEDDLE_FUNNEL(__funnelshift_r, "r.wrap")
HEDDLE_FUNNEL(__funnelshift_rc, "r.clamp")
#undef HEDDLE_FUNNEL

HEDDLE_DEVICE int __mulhi(int x, int y) { return __nvvm_mulhi_i(x, y); }
HEDDLE_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y) { return __nvvm_mulhi_ui(x, y); }
HEDDLE_DEVICE long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
HEDDLE_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return __nvvm_mulhi_ull(x, y);
}
HEDDLE_DEVICE int __mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
HEDDLE_DEVICE unsigned int __umul24(unsigned int x, unsigned int y) { return __nvvm_mul24_ui(x, y); }
HEDDLE_DEVICE unsigned int __sad(int x, int y, unsigned int sum) {
  unsigned int result;
  asm("sad.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(sum));
  return result;
}
HEDDLE_DEVICE unsigned int __usad(unsigned int x, unsigned int y, unsigned int sum) {
  unsigned int result;
  asm("sad.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(sum));
  return result;
}

// Averages without overflow: x + y = 2 (x & y) + (x ^ y).
HEDDLE_DEVICE int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
HEDDLE_DEVICE int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
HEDDLE_DEVICE unsigned int __uhadd(unsigned int x, unsigned int y) { return (x & y) + ((x ^ y) >> 1); }
HEDDLE_DEVICE unsigned int __urhadd(unsigned int x, unsigned int y) { return (x | y) - ((x ^ y) >> 1); }

// Names from architectures 1.x.
HEDDLE_DEVICE int mulhi(int x, int y) { return __mulhi(x, y); }
HEDDLE_DEVICE unsigned int mulhi(unsigned int x, unsigned int y) { return __umulhi(x, y); }
HEDDLE_DEVICE int mul24(int x, int y) { return __mul24(x, y); }
HEDDLE_DEVICE unsigned int umul24(unsigned int x, unsigned int y) { return __umul24(x, y); }
HEDDLE_DEVICE int float2int(float x) { return __nvvm_f2i_rz(x); }

// Dot products of bytes and half-words, a single instruction since sm_61.
HEDDLE_DEVICE int __dp4a(int a, int b, int sum) {
  int result;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
  return result;
}
HEDDLE_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int sum) {
  unsigned int result;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum));
  return result;
}
// A vector's bytes as a word.
#define HEDDLE_DOT_OF_VECTORS(name, total, left, right, word) \
  HEDDLE_DEVICE total name(left a, right b, total sum) {      \
    word x, y;                                                \
    __builtin_memcpy(&x, &a, 4);                              \
    __builtin_memcpy(&y, &b, 4);                              \
    return name(x, y, sum);                                   \
  }
HEDDLE_DOT_OF_VECTORS(__dp4a, int, char4, char4, int)
HEDDLE_DOT_OF_VECTORS(__dp4a, unsigned int, uchar4, uchar4, unsigned int)
#define HEDDLE_DP2A(name, half)                                                             \
  HEDDLE_DEVICE int name(int a, int b, int sum) {                                           \
    int result;                                                                             \
    asm("dp2a." half ".s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum)); \
    return result;                                                                          \
  }                                                                                         \
  HEDDLE_DEVICE unsigned int name(unsigned int a, unsigned int b, unsigned int sum) {       \
    unsigned int result;                                                                    \
    asm("dp2a." half ".u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(sum)); \
    return result;                                                                          \
  }
HEDDLE_DP2A(__dp2a_lo, "lo")
HEDDLE_DP2A(__dp2a_hi, "hi")
#undef HEDDLE_DP2A
HEDDLE_DOT_OF_VECTORS(__dp2a_lo, int, short2, char4, int)
HEDDLE_DOT_OF_VECTORS(__dp2a_hi, int, short2, char4, int)
HEDDLE_DOT_OF_VECTORS(__dp2a_lo, unsigned int, ushort2, uchar4, unsigned int)
HEDDLE_DOT_OF_VECTORS(__dp2a_hi, unsigned int, ushort2, uchar4, unsigned int)
#undef HEDDLE_DOT_OF_VECTORS
