// SPDX-License-Identifier: Apache-2.0
// Functions common to __half and __nv_bfloat16, as macros over the scalar type T, its pair T2 and the namespace with
// bits(), from_bits(), pair_from_bits(), value_of() and rounded(). Needs no include guard, as it only defines macros.
#pragma once

#include "small_float.h"

// --- signs and kinds
// -----------------------------------------------------------------------------------------------------------------
#define HEDDLE_SMALL_SIGNS(T, T2, ns, infinity)                                                            \
  HEDDLE_SMALL T __hneg(T a) { return ns::from_bits(static_cast<unsigned short>(ns::bits(a) ^ 0x8000u)); } \
  HEDDLE_SMALL T __habs(T a) { return ns::from_bits(static_cast<unsigned short>(ns::bits(a) & 0x7fffu)); } \
  HEDDLE_SMALL T2 __hneg2(T2 a) { return ns::pair_from_bits(ns::bits(a) ^ 0x80008000u); }                  \
  HEDDLE_SMALL T2 __habs2(T2 a) { return ns::pair_from_bits(ns::bits(a) & 0x7fff7fffu); }                  \
  HEDDLE_SMALL bool __hisnan(T a) { return (ns::bits(a) & 0x7fffu) > infinity; }                           \
  HEDDLE_SMALL int __hisinf(T a) {                                                                         \
    const unsigned int b = ns::bits(a);                                                                    \
    return (b & 0x7fffu) != infinity ? 0 : b == infinity ? 1 : -1;                                         \
  }                                                                                                        \
  HEDDLE_SMALL T2 __hisnan2(T2 a) {                                                                        \
    return T2(ns::rounded(__hisnan(a.x) ? 1.0f : 0.0f), ns::rounded(__hisnan(a.y) ? 1.0f : 0.0f));         \
  }                                                                                                        \
  HEDDLE_SMALL T heddle_relu(T a) {                                                                        \
    return __hisnan(a) ? ns::from_bits(0x7fff) : (ns::bits(a) & 0x8000u) != 0 ? ns::from_bits(0) : a;      \
  }                                                                                                        \
  HEDDLE_SMALL T2 heddle_relu(T2 a) { return T2(heddle_relu(a.x), heddle_relu(a.y)); }

// --- arithmetic built on sums, products and fused products
// -----------------------------------------------------------------------------
#define HEDDLE_SMALL_ARITHMETIC(T, T2, ns)                                                                          \
  HEDDLE_SMALL T __hadd_rn(T a, T b) { return __hadd(a, b); }                                                       \
  HEDDLE_SMALL T __hsub_rn(T a, T b) { return __hsub(a, b); }                                                       \
  HEDDLE_SMALL T __hmul_rn(T a, T b) { return __hmul(a, b); }                                                       \
  HEDDLE_SMALL T2 __hadd2_rn(T2 a, T2 b) { return __hadd2(a, b); }                                                  \
  HEDDLE_SMALL T2 __hsub2_rn(T2 a, T2 b) { return __hsub2(a, b); }                                                  \
  HEDDLE_SMALL T2 __hmul2_rn(T2 a, T2 b) { return __hmul2(a, b); }                                                  \
  HEDDLE_SMALL T __hfma_relu(T a, T b, T c) { return heddle_relu(__hfma(a, b, c)); }                                \
  HEDDLE_SMALL T2 __hfma2_relu(T2 a, T2 b, T2 c) { return heddle_relu(__hfma2(a, b, c)); }                          \
  HEDDLE_SMALL T __hdiv(T a, T b) { return ns::rounded(heddle_small::quotient(ns::value_of(a), ns::value_of(b))); } \
  HEDDLE_SMALL T2 __h2div(T2 a, T2 b) { return T2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }                            \
  HEDDLE_SMALL T2 __hcmadd(T2 a, T2 b, T2 c) { /* complex a b + c */                                                \
    return T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));            \
  }

// --- larger and smaller: a NaN gives the other operand, +0 is above -0; the _nan forms give NaN for one
// --------------------------------------
#if defined(__CUDA_ARCH__)
#define HEDDLE_SMALL_CHOOSE(T, T2, ns, name, function, better) \
  HEDDLE_SMALL T __h##name(T a, T b) { return ns::rounded(function(ns::value_of(a), ns::value_of(b))); }
#else
#define HEDDLE_SMALL_CHOOSE(T, T2, ns, name, function, better)       \
  HEDDLE_SMALL T __h##name(T a, T b) {                               \
    if (__hisnan(a)) return __hisnan(b) ? ns::from_bits(0x7fff) : b; \
    if (__hisnan(b)) return a;                                       \
    const float x = ns::value_of(a), y = ns::value_of(b);            \
    return better ? a : b;                                           \
  }
#endif
#define HEDDLE_SMALL_CHOICES(T, T2, ns, name)                                                       \
  HEDDLE_SMALL T __h##name##_nan(T a, T b) {                                                        \
    return __hisnan(a) || __hisnan(b) ? ns::from_bits(0x7fff) : __h##name(a, b);                    \
  }                                                                                                 \
  HEDDLE_SMALL T2 __h##name##2(T2 a, T2 b) { return T2(__h##name(a.x, b.x), __h##name(a.y, b.y)); } \
  HEDDLE_SMALL T2 __h##name##2_nan(T2 a, T2 b) { return T2(__h##name##_nan(a.x, b.x), __h##name##_nan(a.y, b.y)); }
#define HEDDLE_SMALL_MINMAX(T, T2, ns)                                                          \
  HEDDLE_SMALL_CHOOSE(T, T2, ns, max, fmaxf, x > y || (x == y && (ns::bits(a) & 0x8000u) == 0)) \
  HEDDLE_SMALL_CHOOSE(T, T2, ns, min, fminf, x < y || (x == y && (ns::bits(a) & 0x8000u) != 0)) \
  HEDDLE_SMALL_CHOICES(T, T2, ns, max)                                                          \
  HEDDLE_SMALL_CHOICES(T, T2, ns, min)

// --- comparisons: ordered ones are false of NaN, the u forms are true of it
// --------------------------------------------------------
#define HEDDLE_SMALL_PAIR_COMPARE(T, T2, ns, name)                                                             \
  HEDDLE_SMALL T2 __h##name##2(T2 a, T2 b) {                                                                   \
    return T2(ns::rounded(__h##name(a.x, b.x) ? 1.0f : 0.0f), ns::rounded(__h##name(a.y, b.y) ? 1.0f : 0.0f)); \
  }                                                                                                            \
  HEDDLE_SMALL unsigned int __h##name##2_mask(T2 a, T2 b) {                                                    \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);                    \
  }                                                                                                            \
  HEDDLE_SMALL bool __hb##name##2(T2 a, T2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
#define HEDDLE_SMALL_COMPARE(T, T2, ns, name, operation)  \
  HEDDLE_SMALL bool __h##name(T a, T b) {                 \
    const float x = ns::value_of(a), y = ns::value_of(b); \
    return x == x && y == y && x operation y;             \
  }                                                       \
  HEDDLE_SMALL bool __h##name##u(T a, T b) {              \
    const float x = ns::value_of(a), y = ns::value_of(b); \
    return x != x || y != y || x operation y;             \
  }                                                       \
  HEDDLE_SMALL_PAIR_COMPARE(T, T2, ns, name)              \
  HEDDLE_SMALL_PAIR_COMPARE(T, T2, ns, name##u)
#define HEDDLE_SMALL_COMPARISONS(T, T2, ns) \
  HEDDLE_SMALL_COMPARE(T, T2, ns, eq, ==)   \
  HEDDLE_SMALL_COMPARE(T, T2, ns, ne, !=)   \
  HEDDLE_SMALL_COMPARE(T, T2, ns, lt, <)    \
  HEDDLE_SMALL_COMPARE(T, T2, ns, le, <=)   \
  HEDDLE_SMALL_COMPARE(T, T2, ns, gt, >)    \
  HEDDLE_SMALL_COMPARE(T, T2, ns, ge, >=)

// --- operators
// ---------------------------------------------------------------------------------------------------------------------
#define HEDDLE_SMALL_OPERATORS_OF(type, add, subtract, multiply, divide, negate, one)  \
  HEDDLE_SMALL type operator+(const type& a, const type& b) { return add(a, b); }      \
  HEDDLE_SMALL type operator-(const type& a, const type& b) { return subtract(a, b); } \
  HEDDLE_SMALL type operator*(const type& a, const type& b) { return multiply(a, b); } \
  HEDDLE_SMALL type operator/(const type& a, const type& b) { return divide(a, b); }   \
  HEDDLE_SMALL type operator+(const type& a) { return a; }                             \
  HEDDLE_SMALL type operator-(const type& a) { return negate(a); }                     \
  HEDDLE_SMALL type& operator+=(type& a, const type& b) { return a = add(a, b); }      \
  HEDDLE_SMALL type& operator-=(type& a, const type& b) { return a = subtract(a, b); } \
  HEDDLE_SMALL type& operator*=(type& a, const type& b) { return a = multiply(a, b); } \
  HEDDLE_SMALL type& operator/=(type& a, const type& b) { return a = divide(a, b); }   \
  HEDDLE_SMALL type& operator++(type& a) { return a = add(a, one); }                   \
  HEDDLE_SMALL type& operator--(type& a) { return a = subtract(a, one); }              \
  HEDDLE_SMALL type operator++(type& a, int) {                                         \
    const type before = a;                                                             \
    a = add(a, one);                                                                   \
    return before;                                                                     \
  }                                                                                    \
  HEDDLE_SMALL type operator--(type& a, int) {                                         \
    const type before = a;                                                             \
    a = subtract(a, one);                                                              \
    return before;                                                                     \
  }
#define HEDDLE_SMALL_OPERATORS(T, T2, ns)                                                                              \
  HEDDLE_SMALL_OPERATORS_OF(T, __hadd, __hsub, __hmul, __hdiv, __hneg, ns::rounded(1.0f))                              \
  HEDDLE_SMALL_OPERATORS_OF(T2, __hadd2, __hsub2, __hmul2, __h2div, __hneg2, T2(ns::rounded(1.0f), ns::rounded(1.0f))) \
  HEDDLE_SMALL bool operator==(const T& a, const T& b) { return __heq(a, b); }                                         \
  HEDDLE_SMALL bool operator!=(const T& a, const T& b) { return __hneu(a, b); }                                        \
  HEDDLE_SMALL bool operator<(const T& a, const T& b) { return __hlt(a, b); }                                          \
  HEDDLE_SMALL bool operator<=(const T& a, const T& b) { return __hle(a, b); }                                         \
  HEDDLE_SMALL bool operator>(const T& a, const T& b) { return __hgt(a, b); }                                          \
  HEDDLE_SMALL bool operator>=(const T& a, const T& b) { return __hge(a, b); }                                         \
  HEDDLE_SMALL bool operator==(const T2& a, const T2& b) { return __hbeq2(a, b); }                                     \
  HEDDLE_SMALL bool operator!=(const T2& a, const T2& b) { return __hbneu2(a, b); }                                    \
  HEDDLE_SMALL bool operator<(const T2& a, const T2& b) { return __hblt2(a, b); }                                      \
  HEDDLE_SMALL bool operator<=(const T2& a, const T2& b) { return __hble2(a, b); }                                     \
  HEDDLE_SMALL bool operator>(const T2& a, const T2& b) { return __hbgt2(a, b); }                                      \
  HEDDLE_SMALL bool operator>=(const T2& a, const T2& b) { return __hbge2(a, b); }

// --- functions of the device: those of single precision, rounded
// -----------------------------------------------------------------------
#define HEDDLE_SMALL_FUNCTION(T, T2, ns, name, name2, single)                      \
  HEDDLE_SMALL_DEVICE T name(T a) { return ns::rounded(single(ns::value_of(a))); } \
  HEDDLE_SMALL_DEVICE T2 name2(T2 a) { return T2(name(a.x), name(a.y)); }
#define HEDDLE_SMALL_FUNCTIONS(T, T2, ns)                              \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, hsqrt, h2sqrt, __fsqrt_rn)          \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, hrsqrt, h2rsqrt, rsqrtf)            \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, hrcp, h2rcp, __frcp_rn)             \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, hexp, h2exp, __expf)                \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, hexp2, h2exp2, exp2f)               \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, hexp10, h2exp10, exp10f)            \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, hlog, h2log, logf)                  \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, hlog2, h2log2, log2f)               \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, hlog10, h2log10, log10f)            \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, hsin, h2sin, sinf)                  \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, hcos, h2cos, cosf)                  \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, htanh, h2tanh, tanhf)               \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, htanh_approx, h2tanh_approx, tanhf) \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, hfloor, h2floor, floorf)            \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, hceil, h2ceil, ceilf)               \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, htrunc, h2trunc, truncf)            \
  HEDDLE_SMALL_FUNCTION(T, T2, ns, hrint, h2rint, rintf)

// --- warp and memory functions of the device
// ---------------------------------------------------------------------------------------------
#define HEDDLE_SMALL_SHUFFLE(T, T2, ns, name, lane_type)                                                   \
  HEDDLE_SMALL_DEVICE T name(unsigned int mask, T value, lane_type lane, int width = 32) {                 \
    return ns::from_bits(                                                                                  \
        static_cast<unsigned short>(name(mask, static_cast<unsigned int>(ns::bits(value)), lane, width))); \
  }                                                                                                        \
  HEDDLE_SMALL_DEVICE T2 name(unsigned int mask, T2 value, lane_type lane, int width = 32) {               \
    return ns::pair_from_bits(name(mask, ns::bits(value), lane, width));                                   \
  }
#define HEDDLE_SMALL_LOAD(T, T2, ns, name)                                                                           \
  HEDDLE_SMALL_DEVICE T name(const T* p) { return ns::from_bits(name(reinterpret_cast<const unsigned short*>(p))); } \
  HEDDLE_SMALL_DEVICE T2 name(const T2* p) {                                                                         \
    return ns::pair_from_bits(name(reinterpret_cast<const unsigned int*>(p)));                                       \
  }
#define HEDDLE_SMALL_STORE(T, T2, ns, name)                                                                     \
  HEDDLE_SMALL_DEVICE void name(T* p, T value) { name(reinterpret_cast<unsigned short*>(p), ns::bits(value)); } \
  HEDDLE_SMALL_DEVICE void name(T2* p, T2 value) { name(reinterpret_cast<unsigned int*>(p), ns::bits(value)); }
#define HEDDLE_SMALL_MEMORY(T, T2, ns)                                                       \
  HEDDLE_SMALL_SHUFFLE(T, T2, ns, __shfl_sync, int)                                          \
  HEDDLE_SMALL_SHUFFLE(T, T2, ns, __shfl_up_sync, unsigned int)                              \
  HEDDLE_SMALL_SHUFFLE(T, T2, ns, __shfl_down_sync, unsigned int)                            \
  HEDDLE_SMALL_SHUFFLE(T, T2, ns, __shfl_xor_sync, int)                                      \
  HEDDLE_SMALL_LOAD(T, T2, ns, __ldg)                                                        \
  HEDDLE_SMALL_LOAD(T, T2, ns, __ldca)                                                       \
  HEDDLE_SMALL_LOAD(T, T2, ns, __ldcg)                                                       \
  HEDDLE_SMALL_LOAD(T, T2, ns, __ldcs)                                                       \
  HEDDLE_SMALL_LOAD(T, T2, ns, __ldlu)                                                       \
  HEDDLE_SMALL_LOAD(T, T2, ns, __ldcv)                                                       \
  HEDDLE_SMALL_STORE(T, T2, ns, __stwb)                                                      \
  HEDDLE_SMALL_STORE(T, T2, ns, __stcg)                                                      \
  HEDDLE_SMALL_STORE(T, T2, ns, __stcs)                                                      \
  HEDDLE_SMALL_STORE(T, T2, ns, __stwt)                                                      \
  HEDDLE_SMALL_DEVICE T2 atomicAdd(T2* address, T2 value) {                                  \
    unsigned int* word = reinterpret_cast<unsigned int*>(address);                           \
    unsigned int old = *word, assumed;                                                       \
    do {                                                                                     \
      assumed = old;                                                                         \
      old = atomicCAS(word, assumed, ns::bits(__hadd2(ns::pair_from_bits(assumed), value))); \
    } while (old != assumed);                                                                \
    return ns::pair_from_bits(old);                                                          \
  }                                                                                          \
  HEDDLE_SMALL_DEVICE T atomicAdd(T* address, T value) {                                     \
    unsigned short* word = reinterpret_cast<unsigned short*>(address);                       \
    unsigned short old = *word, assumed;                                                     \
    do {                                                                                     \
      assumed = old;                                                                         \
      old = atomicCAS(word, assumed, ns::bits(__hadd(ns::from_bits(assumed), value)));       \
    } while (old != assumed);                                                                \
    return ns::from_bits(old);                                                               \
  }
