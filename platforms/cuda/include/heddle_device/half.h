// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons and functions of half precision. Included by cuda_fp16.h.
#pragma once

#include "../cuda_fp16.h"

// --- integer conversions
// --------------------------------------------------------------------------------------------------------
#define HEDDLE_HALF_TO_INTEGER(name, type, letter, ptx)                       \
  HEDDLE_HALF_INTEGER_ROUNDED(name##_rn, type, letter, "cvt.rni." ptx ".f16") \
  HEDDLE_HALF_INTEGER_ROUNDED(name##_rz, type, letter, "cvt.rzi." ptx ".f16") \
  HEDDLE_HALF_INTEGER_ROUNDED(name##_ru, type, letter, "cvt.rpi." ptx ".f16") \
  HEDDLE_HALF_INTEGER_ROUNDED(name##_rd, type, letter, "cvt.rmi." ptx ".f16")
#define HEDDLE_HALF_INTEGER_ROUNDED(name, type, letter, instruction)              \
  HEDDLE_HALF_DEVICE type name(__half h) {                                        \
    type result;                                                                  \
    asm(instruction " %0, %1;" : "=" letter(result) : "h"(heddle_half::bits(h))); \
    return result;                                                                \
  }
HEDDLE_HALF_TO_INTEGER(__half2int, int, "r", "s32")
HEDDLE_HALF_TO_INTEGER(__half2uint, unsigned int, "r", "u32")
HEDDLE_HALF_TO_INTEGER(__half2short, short, "h", "s16")
HEDDLE_HALF_TO_INTEGER(__half2ushort, unsigned short, "h", "u16")
HEDDLE_HALF_TO_INTEGER(__half2ll, long long, "l", "s64")
HEDDLE_HALF_TO_INTEGER(__half2ull, unsigned long long, "l", "u64")
#undef HEDDLE_HALF_INTEGER_ROUNDED
#undef HEDDLE_HALF_TO_INTEGER

#define HEDDLE_HALF_CONVERT(name, from, letter, instruction) \
  HEDDLE_HALF_DEVICE __half name(from x) {                   \
    unsigned short h;                                        \
    asm(instruction " %0, %1;" : "=h"(h) : letter(x));       \
    return heddle_half::from_bits(h);                        \
  }
#define HEDDLE_HALF_FROM(name, from, letter, ptx)                 \
  HEDDLE_HALF_CONVERT(name##_rn, from, letter, "cvt.rn.f16." ptx) \
  HEDDLE_HALF_CONVERT(name##_rz, from, letter, "cvt.rz.f16." ptx) \
  HEDDLE_HALF_CONVERT(name##_ru, from, letter, "cvt.rp.f16." ptx) \
  HEDDLE_HALF_CONVERT(name##_rd, from, letter, "cvt.rm.f16." ptx)
HEDDLE_HALF_FROM(__int2half, int, "r", "s32")
HEDDLE_HALF_FROM(__uint2half, unsigned int, "r", "u32")
HEDDLE_HALF_FROM(__short2half, short, "h", "s16")
HEDDLE_HALF_FROM(__ushort2half, unsigned short, "h", "u16")
HEDDLE_HALF_FROM(__ll2half, long long, "l", "s64")
HEDDLE_HALF_FROM(__ull2half, unsigned long long, "l", "u64")
HEDDLE_HALF_CONVERT(__float2half_rz, float, "f", "cvt.rz.f16.f32")
HEDDLE_HALF_CONVERT(__float2half_ru, float, "f", "cvt.rp.f16.f32")
HEDDLE_HALF_CONVERT(__float2half_rd, float, "f", "cvt.rm.f16.f32")
#undef HEDDLE_HALF_FROM
#undef HEDDLE_HALF_CONVERT

// --- arithmetic: one instruction on the device, through float on the host
// --------------------------------------------------------
#if defined(__CUDA_ARCH__)
#define HEDDLE_HALF_BINARY(name, name2, ptx, expression)                                            \
  HEDDLE_HALF __half name(__half a, __half b) {                                                     \
    unsigned short r;                                                                               \
    asm(ptx ".f16 %0, %1, %2;" : "=h"(r) : "h"(heddle_half::bits(a)), "h"(heddle_half::bits(b)));   \
    return heddle_half::from_bits(r);                                                               \
  }                                                                                                 \
  HEDDLE_HALF __half2 name2(__half2 a, __half2 b) {                                                 \
    unsigned int r;                                                                                 \
    asm(ptx ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(heddle_half::bits(a)), "r"(heddle_half::bits(b))); \
    return heddle_half::pair_from_bits(r);                                                          \
  }
#define HEDDLE_HALF_TERNARY(name, name2, ptx, expression)                                   \
  HEDDLE_HALF __half name(__half a, __half b, __half c) {                                   \
    unsigned short r;                                                                       \
    asm(ptx ".f16 %0, %1, %2, %3;"                                                          \
        : "=h"(r)                                                                           \
        : "h"(heddle_half::bits(a)), "h"(heddle_half::bits(b)), "h"(heddle_half::bits(c))); \
    return heddle_half::from_bits(r);                                                       \
  }                                                                                         \
  HEDDLE_HALF __half2 name2(__half2 a, __half2 b, __half2 c) {                              \
    unsigned int r;                                                                         \
    asm(ptx ".f16x2 %0, %1, %2, %3;"                                                        \
        : "=r"(r)                                                                           \
        : "r"(heddle_half::bits(a)), "r"(heddle_half::bits(b)), "r"(heddle_half::bits(c))); \
    return heddle_half::pair_from_bits(r);                                                  \
  }
#else
#define HEDDLE_HALF_BINARY(name, name2, ptx, expression)    \
  HEDDLE_HALF __half name(__half ha, __half hb) {           \
    const float a = __half2float(ha), b = __half2float(hb); \
    return __float2half(expression);                        \
  }                                                         \
  HEDDLE_HALF __half2 name2(__half2 a, __half2 b) { return __half2(name(a.x, b.x), name(a.y, b.y)); }
#define HEDDLE_HALF_TERNARY(name, name2, ptx, expression)                          \
  HEDDLE_HALF __half name(__half ha, __half hb, __half hc) {                       \
    const double a = __half2float(ha), b = __half2float(hb), c = __half2float(hc); \
    return __double2half(expression);                                              \
  }                                                                                \
  HEDDLE_HALF __half2 name2(__half2 a, __half2 b, __half2 c) {                     \
    return __half2(name(a.x, b.x, c.x), name(a.y, b.y, c.y));                      \
  }
#endif
HEDDLE_HALF_BINARY(__hadd, __hadd2, "add.rn", a + b)
HEDDLE_HALF_BINARY(__hsub, __hsub2, "sub.rn", a - b)
HEDDLE_HALF_BINARY(__hmul, __hmul2, "mul.rn", a* b)
HEDDLE_HALF_BINARY(__hadd_sat, __hadd2_sat, "add.rn.sat", fminf(fmaxf(a + b, 0.0f), 1.0f))
HEDDLE_HALF_BINARY(__hsub_sat, __hsub2_sat, "sub.rn.sat", fminf(fmaxf(a - b, 0.0f), 1.0f))
HEDDLE_HALF_BINARY(__hmul_sat, __hmul2_sat, "mul.rn.sat", fminf(fmaxf(a* b, 0.0f), 1.0f))
HEDDLE_HALF_TERNARY(__hfma, __hfma2, "fma.rn", a* b + c)
HEDDLE_HALF_TERNARY(__hfma_sat, __hfma2_sat, "fma.rn.sat", fmin(fmax(a* b + c, 0.0), 1.0))
#undef HEDDLE_HALF_TERNARY
#undef HEDDLE_HALF_BINARY
HEDDLE_HALF __half __hdiv(__half a, __half b) { return __float2half(__half2float(a) / __half2float(b)); }
HEDDLE_HALF __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
HEDDLE_HALF __half __hneg(__half a) {
  return heddle_half::from_bits(static_cast<unsigned short>(heddle_half::bits(a) ^ 0x8000u));
}
HEDDLE_HALF __half __habs(__half a) {
  return heddle_half::from_bits(static_cast<unsigned short>(heddle_half::bits(a) & 0x7fffu));
}
HEDDLE_HALF __half2 __hneg2(__half2 a) { return heddle_half::pair_from_bits(heddle_half::bits(a) ^ 0x80008000u); }
HEDDLE_HALF __half2 __habs2(__half2 a) { return heddle_half::pair_from_bits(heddle_half::bits(a) & 0x7fff7fffu); }
HEDDLE_HALF bool __hisnan(__half a) { return (heddle_half::bits(a) & 0x7fffu) > 0x7c00u; }
HEDDLE_HALF int __hisinf(__half a) {
  const unsigned short b = heddle_half::bits(a);
  return b == 0x7c00u ? 1 : b == 0xfc00u ? -1 : 0;
}
HEDDLE_HALF __half __hmax(__half a, __half b) { return __float2half(fmaxf(__half2float(a), __half2float(b))); }
HEDDLE_HALF __half __hmin(__half a, __half b) { return __float2half(fminf(__half2float(a), __half2float(b))); }
HEDDLE_HALF __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
HEDDLE_HALF __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }

// --- comparisons: ordered ones are false of NaN, the u forms are true of it
// --------------------------------------------------------
#define HEDDLE_HALF_COMPARE(name, operation)                                                                  \
  HEDDLE_HALF bool __h##name(__half a, __half b) { return __half2float(a) operation __half2float(b); }        \
  HEDDLE_HALF bool __h##name##u(__half a, __half b) { return __hisnan(a) || __hisnan(b) || __h##name(a, b); } \
  HEDDLE_HALF __half2 __h##name##2(__half2 a, __half2 b) {                                                    \
    return __floats2half2_rn(__h##name(a.x, b.x) ? 1.0f : 0.0f, __h##name(a.y, b.y) ? 1.0f : 0.0f);           \
  }                                                                                                           \
  HEDDLE_HALF bool __hb##name##2(__half2 a, __half2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
HEDDLE_HALF_COMPARE(eq, ==)
HEDDLE_HALF_COMPARE(lt, <)
HEDDLE_HALF_COMPARE(le, <=)
HEDDLE_HALF_COMPARE(gt, >)
HEDDLE_HALF_COMPARE(ge, >=)
#undef HEDDLE_HALF_COMPARE
HEDDLE_HALF bool __hneu(__half a, __half b) { return __half2float(a) != __half2float(b); }
HEDDLE_HALF bool __hne(__half a, __half b) { return !__hisnan(a) && !__hisnan(b) && __hneu(a, b); }
HEDDLE_HALF bool __hbne2(__half2 a, __half2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }

#define HEDDLE_HALF_OPERATORS(type, add, subtract, multiply, divide, negate)          \
  HEDDLE_HALF type operator+(const type& a, const type& b) { return add(a, b); }      \
  HEDDLE_HALF type operator-(const type& a, const type& b) { return subtract(a, b); } \
  HEDDLE_HALF type operator*(const type& a, const type& b) { return multiply(a, b); } \
  HEDDLE_HALF type operator/(const type& a, const type& b) { return divide(a, b); }   \
  HEDDLE_HALF type operator+(const type& a) { return a; }                             \
  HEDDLE_HALF type operator-(const type& a) { return negate(a); }                     \
  HEDDLE_HALF type& operator+=(type& a, const type& b) { return a = add(a, b); }      \
  HEDDLE_HALF type& operator-=(type& a, const type& b) { return a = subtract(a, b); } \
  HEDDLE_HALF type& operator*=(type& a, const type& b) { return a = multiply(a, b); } \
  HEDDLE_HALF type& operator/=(type& a, const type& b) { return a = divide(a, b); }
HEDDLE_HALF_OPERATORS(__half, __hadd, __hsub, __hmul, __hdiv, __hneg)
HEDDLE_HALF_OPERATORS(__half2, __hadd2, __hsub2, __hmul2, __h2div, __hneg2)
#undef HEDDLE_HALF_OPERATORS
HEDDLE_HALF bool operator==(const __half& a, const __half& b) { return __heq(a, b); }
HEDDLE_HALF bool operator!=(const __half& a, const __half& b) { return __hneu(a, b); }
HEDDLE_HALF bool operator<(const __half& a, const __half& b) { return __hlt(a, b); }
HEDDLE_HALF bool operator<=(const __half& a, const __half& b) { return __hle(a, b); }
HEDDLE_HALF bool operator>(const __half& a, const __half& b) { return __hgt(a, b); }
HEDDLE_HALF bool operator>=(const __half& a, const __half& b) { return __hge(a, b); }
HEDDLE_HALF bool operator==(const __half2& a, const __half2& b) { return __hbeq2(a, b); }
HEDDLE_HALF bool operator!=(const __half2& a, const __half2& b) { return !__hbeq2(a, b); }
HEDDLE_HALF __half& operator++(__half& a) { return a = __hadd(a, __half(1.0f)); }
HEDDLE_HALF __half& operator--(__half& a) { return a = __hsub(a, __half(1.0f)); }

// --- functions: those of single precision, rounded
// -----------------------------------------------------------------------------
#define HEDDLE_HALF_FUNCTION(name, name2, single)                                            \
  HEDDLE_HALF_DEVICE __half name(__half a) { return __float2half(single(__half2float(a))); } \
  HEDDLE_HALF_DEVICE __half2 name2(__half2 a) { return __half2(name(a.x), name(a.y)); }
HEDDLE_HALF_FUNCTION(hsqrt, h2sqrt, sqrtf)
HEDDLE_HALF_FUNCTION(hrsqrt, h2rsqrt, rsqrtf)
HEDDLE_HALF_FUNCTION(hrcp, h2rcp, __frcp_rn)
HEDDLE_HALF_FUNCTION(hexp, h2exp, __expf)
HEDDLE_HALF_FUNCTION(hexp2, h2exp2, exp2f)
HEDDLE_HALF_FUNCTION(hexp10, h2exp10, exp10f)
HEDDLE_HALF_FUNCTION(hlog, h2log, logf)
HEDDLE_HALF_FUNCTION(hlog2, h2log2, log2f)
HEDDLE_HALF_FUNCTION(hlog10, h2log10, log10f)
HEDDLE_HALF_FUNCTION(hsin, h2sin, sinf)
HEDDLE_HALF_FUNCTION(hcos, h2cos, cosf)
HEDDLE_HALF_FUNCTION(hfloor, h2floor, floorf)
HEDDLE_HALF_FUNCTION(hceil, h2ceil, ceilf)
HEDDLE_HALF_FUNCTION(htrunc, h2trunc, truncf)
HEDDLE_HALF_FUNCTION(hrint, h2rint, rintf)
#undef HEDDLE_HALF_FUNCTION

// --- warp and memory functions
// ---------------------------------------------------------------------------------------------------
#define HEDDLE_HALF_SHUFFLE(name, lane_type)                                                                        \
  HEDDLE_HALF_DEVICE __half name(unsigned int mask, __half value, lane_type lane, int width = 32) {                 \
    return heddle_half::from_bits(                                                                                  \
        static_cast<unsigned short>(name(mask, static_cast<unsigned int>(heddle_half::bits(value)), lane, width))); \
  }                                                                                                                 \
  HEDDLE_HALF_DEVICE __half2 name(unsigned int mask, __half2 value, lane_type lane, int width = 32) {               \
    return heddle_half::pair_from_bits(name(mask, heddle_half::bits(value), lane, width));                          \
  }
HEDDLE_HALF_SHUFFLE(__shfl_sync, int)
HEDDLE_HALF_SHUFFLE(__shfl_up_sync, unsigned int)
HEDDLE_HALF_SHUFFLE(__shfl_down_sync, unsigned int)
HEDDLE_HALF_SHUFFLE(__shfl_xor_sync, int)
#undef HEDDLE_HALF_SHUFFLE
HEDDLE_HALF_DEVICE __half __ldg(const __half* p) {
  return heddle_half::from_bits(__ldg(reinterpret_cast<const unsigned short*>(p)));
}
HEDDLE_HALF_DEVICE __half2 __ldg(const __half2* p) {
  return heddle_half::pair_from_bits(__ldg(reinterpret_cast<const unsigned int*>(p)));
}
HEDDLE_HALF_DEVICE __half2 atomicAdd(__half2* address, __half2 value) {
  unsigned int* word = reinterpret_cast<unsigned int*>(address);
  unsigned int old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, heddle_half::bits(__hadd2(heddle_half::pair_from_bits(assumed), value)));
  } while (old != assumed);
  return heddle_half::pair_from_bits(old);
}
HEDDLE_HALF_DEVICE __half atomicAdd(__half* address, __half value) {
  unsigned short* word = reinterpret_cast<unsigned short*>(address);
  unsigned short old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, heddle_half::bits(__hadd(heddle_half::from_bits(assumed), value)));
  } while (old != assumed);
  return heddle_half::from_bits(old);
}
