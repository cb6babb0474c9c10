// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons and functions of half precision. Included by cuda_fp16.h.
#pragma once

#include "small_float_functions.h"

// --- integer conversions and directed roundings: one instruction on the device
// --------------------------------------------------
#if defined(__CUDA_ARCH__)
#define HEDDLE_HALF_TO_INTEGER(name, type, letter, instruction, rounding)         \
  HEDDLE_SMALL type name(__half h) {                                              \
    type result;                                                                  \
    asm(instruction " %0, %1;" : "=" letter(result) : "h"(heddle_half::bits(h))); \
    return result;                                                                \
  }
#define HEDDLE_HALF_FROM(name, from, letter, instruction, rounding) \
  HEDDLE_SMALL __half name(from x) {                                \
    unsigned short h;                                               \
    asm(instruction " %0, %1;" : "=h"(h) : letter(x));              \
    return heddle_half::from_bits(h);                               \
  }
#else
#define HEDDLE_HALF_TO_INTEGER(name, type, letter, instruction, rounding)                    \
  HEDDLE_SMALL type name(__half h) {                                                         \
    return heddle_small::to_integer<type>(heddle_half::value_of(h), heddle_small::rounding); \
  }
#define HEDDLE_HALF_FROM(name, from, letter, instruction, rounding)                                              \
  HEDDLE_SMALL __half name(from x) {                                                                             \
    return heddle_half::from_bits(                                                                               \
        static_cast<unsigned short>(heddle_small::encode<5, 10>(heddle_small::odd(x), heddle_small::rounding))); \
  }
#endif
#define HEDDLE_HALF_INTEGER(name, type, letter, ptx)                                        \
  HEDDLE_HALF_TO_INTEGER(__half2##name##_rn, type, letter, "cvt.rni." ptx ".f16", kNearest) \
  HEDDLE_HALF_TO_INTEGER(__half2##name##_rz, type, letter, "cvt.rzi." ptx ".f16", kZero)    \
  HEDDLE_HALF_TO_INTEGER(__half2##name##_ru, type, letter, "cvt.rpi." ptx ".f16", kUp)      \
  HEDDLE_HALF_TO_INTEGER(__half2##name##_rd, type, letter, "cvt.rmi." ptx ".f16", kDown)    \
  HEDDLE_HALF_FROM(__##name##2half_rn, type, letter, "cvt.rn.f16." ptx, kNearest)           \
  HEDDLE_HALF_FROM(__##name##2half_rz, type, letter, "cvt.rz.f16." ptx, kZero)              \
  HEDDLE_HALF_FROM(__##name##2half_ru, type, letter, "cvt.rp.f16." ptx, kUp)                \
  HEDDLE_HALF_FROM(__##name##2half_rd, type, letter, "cvt.rm.f16." ptx, kDown)
HEDDLE_HALF_INTEGER(int, int, "r", "s32")
HEDDLE_HALF_INTEGER(uint, unsigned int, "r", "u32")
HEDDLE_HALF_INTEGER(short, short, "h", "s16")
HEDDLE_HALF_INTEGER(ushort, unsigned short, "h", "u16")
HEDDLE_HALF_INTEGER(ll, long long, "l", "s64")
HEDDLE_HALF_INTEGER(ull, unsigned long long, "l", "u64")
HEDDLE_HALF_FROM(__float2half_rz, float, "f", "cvt.rz.f16.f32", kZero)
HEDDLE_HALF_FROM(__float2half_ru, float, "f", "cvt.rp.f16.f32", kUp)
HEDDLE_HALF_FROM(__float2half_rd, float, "f", "cvt.rm.f16.f32", kDown)
#undef HEDDLE_HALF_INTEGER
#undef HEDDLE_HALF_FROM
#undef HEDDLE_HALF_TO_INTEGER
HEDDLE_SMALL signed char __half2char_rz(__half h) {
  return heddle_small::to_integer<signed char>(heddle_half::value_of(h), heddle_small::kZero);
}
HEDDLE_SMALL unsigned char __half2uchar_rz(__half h) {
  return heddle_small::to_integer<unsigned char>(heddle_half::value_of(h), heddle_small::kZero);
}

// --- arithmetic: one instruction on the device, through float on the host
// --------------------------------------------------------
#if defined(__CUDA_ARCH__)
#define HEDDLE_HALF_BINARY(name, name2, ptx, expression)                                            \
  HEDDLE_SMALL __half name(__half a, __half b) {                                                    \
    unsigned short r;                                                                               \
    asm(ptx ".f16 %0, %1, %2;" : "=h"(r) : "h"(heddle_half::bits(a)), "h"(heddle_half::bits(b)));   \
    return heddle_half::from_bits(r);                                                               \
  }                                                                                                 \
  HEDDLE_SMALL __half2 name2(__half2 a, __half2 b) {                                                \
    unsigned int r;                                                                                 \
    asm(ptx ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(heddle_half::bits(a)), "r"(heddle_half::bits(b))); \
    return heddle_half::pair_from_bits(r);                                                          \
  }
#define HEDDLE_HALF_TERNARY(name, name2, ptx, expression)                                   \
  HEDDLE_SMALL __half name(__half a, __half b, __half c) {                                  \
    unsigned short r;                                                                       \
    asm(ptx ".f16 %0, %1, %2, %3;"                                                          \
        : "=h"(r)                                                                           \
        : "h"(heddle_half::bits(a)), "h"(heddle_half::bits(b)), "h"(heddle_half::bits(c))); \
    return heddle_half::from_bits(r);                                                       \
  }                                                                                         \
  HEDDLE_SMALL __half2 name2(__half2 a, __half2 b, __half2 c) {                             \
    unsigned int r;                                                                         \
    asm(ptx ".f16x2 %0, %1, %2, %3;"                                                        \
        : "=r"(r)                                                                           \
        : "r"(heddle_half::bits(a)), "r"(heddle_half::bits(b)), "r"(heddle_half::bits(c))); \
    return heddle_half::pair_from_bits(r);                                                  \
  }
#else
#define HEDDLE_HALF_BINARY(name, name2, ptx, expression)                      \
  HEDDLE_SMALL __half name(__half ha, __half hb) {                            \
    const float a = heddle_half::value_of(ha), b = heddle_half::value_of(hb); \
    return heddle_half::rounded(expression);                                  \
  }                                                                           \
  HEDDLE_SMALL __half2 name2(__half2 a, __half2 b) { return __half2(name(a.x, b.x), name(a.y, b.y)); }
#define HEDDLE_HALF_TERNARY(name, name2, ptx, expression)                                                      \
  HEDDLE_SMALL __half name(__half a, __half b, __half c) {                                                     \
    const float sum =                                                                                          \
        heddle_small::fused_odd(heddle_half::value_of(a), heddle_half::value_of(b), heddle_half::value_of(c)); \
    return heddle_half::rounded(expression);                                                                   \
  }                                                                                                            \
  HEDDLE_SMALL __half2 name2(__half2 a, __half2 b, __half2 c) {                                                \
    return __half2(name(a.x, b.x, c.x), name(a.y, b.y, c.y));                                                  \
  }
#endif
HEDDLE_HALF_BINARY(__hadd, __hadd2, "add.rn", a + b)
HEDDLE_HALF_BINARY(__hsub, __hsub2, "sub.rn", a - b)
HEDDLE_HALF_BINARY(__hmul, __hmul2, "mul.rn", a* b)
HEDDLE_HALF_BINARY(__hadd_sat, __hadd2_sat, "add.rn.sat", heddle_small::saturated(a + b))
HEDDLE_HALF_BINARY(__hsub_sat, __hsub2_sat, "sub.rn.sat", heddle_small::saturated(a - b))
HEDDLE_HALF_BINARY(__hmul_sat, __hmul2_sat, "mul.rn.sat", heddle_small::saturated(a* b))
HEDDLE_HALF_TERNARY(__hfma, __hfma2, "fma.rn", sum)
HEDDLE_HALF_TERNARY(__hfma_sat, __hfma2_sat, "fma.rn.sat", heddle_small::saturated(sum))
#undef HEDDLE_HALF_TERNARY
#undef HEDDLE_HALF_BINARY

HEDDLE_SMALL_SIGNS(__half, __half2, heddle_half, 0x7c00u)
HEDDLE_SMALL_ARITHMETIC(__half, __half2, heddle_half)
HEDDLE_SMALL_MINMAX(__half, __half2, heddle_half)
HEDDLE_SMALL_COMPARISONS(__half, __half2, heddle_half)
HEDDLE_SMALL_OPERATORS(__half, __half2, heddle_half)
#if defined(__CUDA__)
HEDDLE_SMALL_FUNCTIONS(__half, __half2, heddle_half)
HEDDLE_SMALL_MEMORY(__half, __half2, heddle_half)
#endif
