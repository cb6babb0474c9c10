// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons and functions of bfloat16. Included by cuda_bf16.h.
#pragma once

#include "small_float_functions.h"

// --- integer conversions and directed roundings
// ------------------------------------------------------------------------------------------
#if defined(__CUDA_ARCH__)
#define HEDDLE_BFLOAT16_TO(name, type, letter, instruction, rounding)          \
  HEDDLE_SMALL type name(__nv_bfloat16 h) {                                    \
    type result;                                                               \
    asm(instruction : "=" letter(result) : "f"(heddle_bfloat16::value_of(h))); \
    return result;                                                             \
  }
#else
#define HEDDLE_BFLOAT16_TO(name, type, letter, instruction, rounding)                            \
  HEDDLE_SMALL type name(__nv_bfloat16 h) {                                                      \
    return heddle_small::to_integer<type>(heddle_bfloat16::value_of(h), heddle_small::rounding); \
  }
#endif
#define HEDDLE_BFLOAT16_FROM(name, from, rounding)                                                                \
  HEDDLE_SMALL __nv_bfloat16 name(from x) {                                                                       \
    return heddle_bfloat16::from_bits(heddle_bfloat16::from_float(heddle_small::odd(x), heddle_small::rounding)); \
  }
#define HEDDLE_BFLOAT16_INTEGER(name, type, letter, ptx)                                            \
  HEDDLE_BFLOAT16_TO(__bfloat162##name##_rn, type, letter, "cvt.rni." ptx ".f32 %0, %1;", kNearest) \
  HEDDLE_BFLOAT16_TO(__bfloat162##name##_rz, type, letter, "cvt.rzi." ptx ".f32 %0, %1;", kZero)    \
  HEDDLE_BFLOAT16_TO(__bfloat162##name##_ru, type, letter, "cvt.rpi." ptx ".f32 %0, %1;", kUp)      \
  HEDDLE_BFLOAT16_TO(__bfloat162##name##_rd, type, letter, "cvt.rmi." ptx ".f32 %0, %1;", kDown)    \
  HEDDLE_BFLOAT16_FROM(__##name##2bfloat16_rn, type, kNearest)                                      \
  HEDDLE_BFLOAT16_FROM(__##name##2bfloat16_rz, type, kZero)                                         \
  HEDDLE_BFLOAT16_FROM(__##name##2bfloat16_ru, type, kUp)                                           \
  HEDDLE_BFLOAT16_FROM(__##name##2bfloat16_rd, type, kDown)
HEDDLE_BFLOAT16_INTEGER(int, int, "r", "s32")
HEDDLE_BFLOAT16_INTEGER(uint, unsigned int, "r", "u32")
HEDDLE_BFLOAT16_INTEGER(short, short, "h", "s16")
HEDDLE_BFLOAT16_INTEGER(ushort, unsigned short, "h", "u16")
HEDDLE_BFLOAT16_INTEGER(ll, long long, "l", "s64")
HEDDLE_BFLOAT16_INTEGER(ull, unsigned long long, "l", "u64")
HEDDLE_BFLOAT16_FROM(__float2bfloat16_rz, float, kZero)
HEDDLE_BFLOAT16_FROM(__float2bfloat16_ru, float, kUp)
HEDDLE_BFLOAT16_FROM(__float2bfloat16_rd, float, kDown)
#undef HEDDLE_BFLOAT16_INTEGER
#undef HEDDLE_BFLOAT16_FROM
#undef HEDDLE_BFLOAT16_TO
HEDDLE_SMALL signed char __bfloat162char_rz(__nv_bfloat16 h) {
  return heddle_small::to_integer<signed char>(heddle_bfloat16::value_of(h), heddle_small::kZero);
}
HEDDLE_SMALL unsigned char __bfloat162uchar_rz(__nv_bfloat16 h) {
  return heddle_small::to_integer<unsigned char>(heddle_bfloat16::value_of(h), heddle_small::kZero);
}

// --- arithmetic
// -----------------------------------------------------------------------------------------------------------------
#define HEDDLE_BFLOAT16_BINARY(name, name2, expression)                               \
  HEDDLE_SMALL __nv_bfloat16 name(__nv_bfloat16 ha, __nv_bfloat16 hb) {               \
    const float a = heddle_bfloat16::value_of(ha), b = heddle_bfloat16::value_of(hb); \
    return heddle_bfloat16::rounded(expression);                                      \
  }                                                                                   \
  HEDDLE_SMALL __nv_bfloat162 name2(__nv_bfloat162 a, __nv_bfloat162 b) {             \
    return __nv_bfloat162(name(a.x, b.x), name(a.y, b.y));                            \
  }
HEDDLE_BFLOAT16_BINARY(__hadd, __hadd2, heddle_small::sum(a, b))
HEDDLE_BFLOAT16_BINARY(__hsub, __hsub2, heddle_small::difference(a, b))
HEDDLE_BFLOAT16_BINARY(__hmul, __hmul2, heddle_small::product(a, b))
HEDDLE_BFLOAT16_BINARY(__hadd_sat, __hadd2_sat, heddle_small::saturated(heddle_small::sum(a, b)))
HEDDLE_BFLOAT16_BINARY(__hsub_sat, __hsub2_sat, heddle_small::saturated(heddle_small::difference(a, b)))
HEDDLE_BFLOAT16_BINARY(__hmul_sat, __hmul2_sat, heddle_small::saturated(heddle_small::product(a, b)))
#undef HEDDLE_BFLOAT16_BINARY
#define HEDDLE_BFLOAT16_TERNARY(name, name2, expression)                                                  \
  HEDDLE_SMALL __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {                    \
    const float sum = heddle_small::fused_odd(heddle_bfloat16::value_of(a), heddle_bfloat16::value_of(b), \
                                              heddle_bfloat16::value_of(c));                              \
    return heddle_bfloat16::rounded(expression);                                                          \
  }                                                                                                       \
  HEDDLE_SMALL __nv_bfloat162 name2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {               \
    return __nv_bfloat162(name(a.x, b.x, c.x), name(a.y, b.y, c.y));                                      \
  }
HEDDLE_BFLOAT16_TERNARY(__hfma, __hfma2, sum)
HEDDLE_BFLOAT16_TERNARY(__hfma_sat, __hfma2_sat, heddle_small::saturated(sum))
#undef HEDDLE_BFLOAT16_TERNARY

HEDDLE_SMALL_SIGNS(__nv_bfloat16, __nv_bfloat162, heddle_bfloat16, 0x7f80u)
HEDDLE_SMALL_ARITHMETIC(__nv_bfloat16, __nv_bfloat162, heddle_bfloat16)
HEDDLE_SMALL_MINMAX(__nv_bfloat16, __nv_bfloat162, heddle_bfloat16)
HEDDLE_SMALL_COMPARISONS(__nv_bfloat16, __nv_bfloat162, heddle_bfloat16)
HEDDLE_SMALL_OPERATORS(__nv_bfloat16, __nv_bfloat162, heddle_bfloat16)
#if defined(__CUDA__)
HEDDLE_SMALL_FUNCTIONS(__nv_bfloat16, __nv_bfloat162, heddle_bfloat16)
HEDDLE_SMALL_MEMORY(__nv_bfloat16, __nv_bfloat162, heddle_bfloat16)
#endif
