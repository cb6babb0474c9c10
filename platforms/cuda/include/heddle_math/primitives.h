// SPDX-License-Identifier: Apache-2.0
// The primitive operations of the math library, each a single PTX instruction. With HEDDLE_MATH_HOST the library is
// plain host C++, which is used to test its accuracy.
#pragma once

#if defined(HEDDLE_MATH_HOST)
#include <cmath>
#include <cstring>
#define HEDDLE_MATH inline
#define HEDDLE_MATH_TABLE static const
#else
#include "../heddle_device/macros.h"
#define HEDDLE_MATH static inline __attribute__((always_inline, device))
#define HEDDLE_MATH_TABLE static __attribute__((constant)) const
#endif

namespace heddle_math {

typedef unsigned int uint32;
typedef unsigned long long uint64;

// --- bits
// ---------------------------------------------------------------------------------------------------------------
#if defined(HEDDLE_MATH_HOST)
template <class To, class From>
HEDDLE_MATH To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From), "the same bits");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
HEDDLE_MATH uint32 to_bits(float x) { return bit_cast<uint32>(x); }
HEDDLE_MATH uint64 to_bits(double x) { return bit_cast<uint64>(x); }
HEDDLE_MATH float from_bits(uint32 x) { return bit_cast<float>(x); }
HEDDLE_MATH double from_bits(uint64 x) { return bit_cast<double>(x); }
#else
HEDDLE_MATH uint32 to_bits(float x) { return static_cast<uint32>(__nvvm_bitcast_f2i(x)); }
HEDDLE_MATH uint64 to_bits(double x) { return static_cast<uint64>(__nvvm_bitcast_d2ll(x)); }
HEDDLE_MATH float from_bits(uint32 x) { return __nvvm_bitcast_i2f(static_cast<int>(x)); }
HEDDLE_MATH double from_bits(uint64 x) { return __nvvm_bitcast_ll2d(static_cast<long long>(x)); }
#endif
HEDDLE_MATH int high_word(double x) { return static_cast<int>(to_bits(x) >> 32); }
HEDDLE_MATH double with_exponent_added(double x, int n) {
  return from_bits(to_bits(x) + (static_cast<uint64>(static_cast<uint32>(n)) << 52));
}
HEDDLE_MATH float with_exponent_added(float x, int n) { return from_bits(to_bits(x) + (static_cast<uint32>(n) << 23)); }

template <class T>
HEDDLE_MATH T infinity() {
  return static_cast<T>(__builtin_inf());
}
template <class T>
HEDDLE_MATH T quiet_nan() {
  return static_cast<T>(__builtin_nan(""));
}

// --- arithmetic
// -----------------------------------------------------------------------------------------------------------
HEDDLE_MATH float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HEDDLE_MATH double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
HEDDLE_MATH float abs(float x) { return __builtin_fabsf(x); }
HEDDLE_MATH double abs(double x) { return __builtin_fabs(x); }
HEDDLE_MATH float floor(float x) { return __builtin_floorf(x); }
HEDDLE_MATH double floor(double x) { return __builtin_floor(x); }
HEDDLE_MATH float ceil(float x) { return __builtin_ceilf(x); }
HEDDLE_MATH double ceil(double x) { return __builtin_ceil(x); }
HEDDLE_MATH float trunc(float x) { return __builtin_truncf(x); }
HEDDLE_MATH double trunc(double x) { return __builtin_trunc(x); }
HEDDLE_MATH float rint(float x) { return __builtin_rintf(x); }
HEDDLE_MATH double rint(double x) { return __builtin_rint(x); }
#if defined(HEDDLE_CUDA_PREC_SQRT) && !defined(HEDDLE_MATH_HOST)
// -prec-sqrt=false, also as part of -use_fast_math. The compiler only approximates the builtin when infinities are
// excluded.
HEDDLE_MATH float sqrt(float x) {
  float r;
#if defined(HEDDLE_CUDA_FTZ)
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
#else
  asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
#endif
  return r;
}
#else
HEDDLE_MATH float sqrt(float x) { return __builtin_sqrtf(x); }
#endif
HEDDLE_MATH double sqrt(double x) { return __builtin_sqrt(x); }
HEDDLE_MATH float fmax(float x, float y) { return __builtin_fmaxf(x, y); }
HEDDLE_MATH double fmax(double x, double y) { return __builtin_fmax(x, y); }
HEDDLE_MATH float fmin(float x, float y) { return __builtin_fminf(x, y); }
HEDDLE_MATH double fmin(double x, double y) { return __builtin_fmin(x, y); }
HEDDLE_MATH bool is_nan(float x) { return x != x; }
HEDDLE_MATH bool is_nan(double x) { return x != x; }
HEDDLE_MATH bool is_infinite(float x) { return abs(x) == infinity<float>(); }
HEDDLE_MATH bool is_infinite(double x) { return abs(x) == infinity<double>(); }
HEDDLE_MATH bool sign_bit(float x) { return (to_bits(x) >> 31) != 0; }
HEDDLE_MATH bool sign_bit(double x) { return (to_bits(x) >> 63) != 0; }

#if defined(HEDDLE_MATH_HOST)
// The test is compiled without contraction, so that products are not fused.
HEDDLE_MATH float product(float a, float b) { return a * b; }
HEDDLE_MATH double product(double a, double b) { return a * b; }
HEDDLE_MATH float sum(float a, float b) { return a + b; }
HEDDLE_MATH double sum(double a, double b) { return a + b; }
HEDDLE_MATH float difference(float a, float b) { return a - b; }
HEDDLE_MATH double difference(double a, double b) { return a - b; }
HEDDLE_MATH float exp2_approx(float x) { return ::exp2f(x); }
HEDDLE_MATH float log2_approx(float x) { return ::log2f(x); }
HEDDLE_MATH float rcp_approx(float x) { return 1.0f / x; }
HEDDLE_MATH float rsqrt_approx(float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }
// Deliberately off by a few units: callers must correct it.
HEDDLE_MATH double rsqrt_approx(double x) { return 1.0 / std::sqrt(x) * (1.0 + 8.881784197001252e-16); }
HEDDLE_MATH float copysign(float x, float y) { return std::copysign(x, y); }
HEDDLE_MATH double copysign(double x, double y) { return std::copysign(x, y); }
HEDDLE_MATH uint32 multiply_high(uint32 a, uint32 b) { return static_cast<uint32>(static_cast<uint64>(a) * b >> 32); }
HEDDLE_MATH uint64 multiply_high(uint64 a, uint64 b) {
  return static_cast<uint64>(static_cast<unsigned __int128>(a) * b >> 64);
}
HEDDLE_MATH int count_leading_zeros(uint32 x) { return x == 0 ? 32 : __builtin_clz(x); }
HEDDLE_MATH int count_leading_zeros(uint64 x) { return x == 0 ? 64 : __builtin_clzll(x); }
#else
// Inline assembly, because the compiler may contract any multiplication and addition it recognises.
HEDDLE_MATH float product(float a, float b) {
  float r;
  asm("mul.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
HEDDLE_MATH double product(double a, double b) {
  double r;
  asm("mul.rn.f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b));
  return r;
}
HEDDLE_MATH float sum(float a, float b) {
  float r;
  asm("add.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
HEDDLE_MATH double sum(double a, double b) {
  double r;
  asm("add.rn.f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b));
  return r;
}
HEDDLE_MATH float difference(float a, float b) {
  float r;
  asm("sub.rn.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
HEDDLE_MATH double difference(double a, double b) {
  double r;
  asm("sub.rn.f64 %0, %1, %2;" : "=d"(r) : "d"(a), "d"(b));
  return r;
}
HEDDLE_MATH float exp2_approx(float x) {
  float r;
  asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
HEDDLE_MATH float log2_approx(float x) {
  float r;
  asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
HEDDLE_MATH float rcp_approx(float x) {
  float r;
  asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
HEDDLE_MATH float rsqrt_approx(float x) {
  float r;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
HEDDLE_MATH double rsqrt_approx(double x) {
  double r;
  asm("rsqrt.approx.f64 %0, %1;" : "=d"(r) : "d"(x));
  return r;
}
// The instruction's first operand provides the sign.
HEDDLE_MATH float copysign(float x, float y) {
  float r;
  asm("copysign.f32 %0, %1, %2;" : "=f"(r) : "f"(y), "f"(x));
  return r;
}
HEDDLE_MATH double copysign(double x, double y) {
  double r;
  asm("copysign.f64 %0, %1, %2;" : "=d"(r) : "d"(y), "d"(x));
  return r;
}
HEDDLE_MATH uint32 multiply_high(uint32 a, uint32 b) { return __nvvm_mulhi_ui(a, b); }
HEDDLE_MATH uint64 multiply_high(uint64 a, uint64 b) { return __nvvm_mulhi_ull(a, b); }
HEDDLE_MATH int count_leading_zeros(uint32 x) { return __builtin_clz(x); }
HEDDLE_MATH int count_leading_zeros(uint64 x) { return __builtin_clzll(x); }
#endif

// Truncates; saturates out of range and maps NaN to 0 like cvt.rzi (both undefined in C++).
template <class T>
HEDDLE_MATH int to_int(T x) {
#if defined(HEDDLE_MATH_HOST)
  if (x != x) return 0;
  if (x >= T(2147483648.0)) return 2147483647;
  if (x <= T(-2147483648.0)) return -2147483647 - 1;
#endif
  return static_cast<int>(x);
}

// --- polynomials: coefficients from the constant term up
// ------------------------------------------------------------------
template <class T>
HEDDLE_MATH T polynomial(T, T c0) {
  return c0;
}
template <class T, class... Rest>
HEDDLE_MATH T polynomial(T x, T c0, Rest... rest) {
  return fma(polynomial(x, rest...), x, c0);
}

// --- unevaluated sums of two numbers
// ----------------------------------------------------------------------------------------
template <class T>
struct Pair {
  T high;
  T low;  // at most half a unit in the last place of high
};
// a + b exactly, for |a| >= |b| or a = 0.
template <class T>
HEDDLE_MATH Pair<T> fast_two_sum(T a, T b) {
  const T high = sum(a, b);
  return Pair<T>{high, difference(b, difference(high, a))};
}
// a + b exactly.
template <class T>
HEDDLE_MATH Pair<T> two_sum(T a, T b) {
  const T high = sum(a, b);
  const T b_part = difference(high, a);
  return Pair<T>{high, sum(difference(a, difference(high, b_part)), difference(b, b_part))};
}
// a * b exactly (unless it underflows).
template <class T>
HEDDLE_MATH Pair<T> two_product(T a, T b) {
  const T high = product(a, b);
  return Pair<T>{high, fma(a, b, -high)};
}

}  // namespace heddle_math
