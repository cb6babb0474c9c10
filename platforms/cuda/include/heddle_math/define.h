// SPDX-License-Identifier: Apache-2.0
// Defines the functions of declare.h in the device pass.
#pragma once

#include "all.h"
#include "declare.h"

#if defined(__CUDA_ARCH__)
#define HEDDLE_DEFINE_UNARY(name)                                         \
  HEDDLE_MATH_API double name(double x) { return heddle_math::name(x); }  \
  HEDDLE_MATH_API float name##f(float x) { return heddle_math::name(x); } \
  HEDDLE_MATH_API float name(float x) { return name##f(x); }
#define HEDDLE_DEFINE_BINARY(name)                                                    \
  HEDDLE_MATH_API double name(double x, double y) { return heddle_math::name(x, y); } \
  HEDDLE_MATH_API float name##f(float x, float y) { return heddle_math::name(x, y); } \
  HEDDLE_MATH_API float name(float x, float y) { return name##f(x, y); }

// Functions that -use_fast_math replaces by intrinsics are defined below.
#if defined(__USE_FAST_MATH__)
#define HEDDLE_DEFINE_FAST_UNARY(name)                                   \
  HEDDLE_MATH_API double name(double x) { return heddle_math::name(x); } \
  HEDDLE_MATH_API float name##f(float x) { return __##name##f(x); }      \
  HEDDLE_MATH_API float name(float x) { return __##name##f(x); }
#else
#define HEDDLE_DEFINE_FAST_UNARY(name) HEDDLE_DEFINE_UNARY(name)
#endif
HEDDLE_DEFINE_FAST_UNARY(cos)
HEDDLE_DEFINE_FAST_UNARY(exp)
HEDDLE_DEFINE_FAST_UNARY(exp10)
HEDDLE_DEFINE_FAST_UNARY(log)
HEDDLE_DEFINE_FAST_UNARY(log10)
HEDDLE_DEFINE_FAST_UNARY(log2)
HEDDLE_DEFINE_FAST_UNARY(sin)
HEDDLE_DEFINE_FAST_UNARY(tan)

#define HEDDLE_MATH_ORDINARY_UNARY(X)                                                                         \
  X(acos)                                                                                                     \
  X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cosh) X(erf) X(erfc) X(exp2) X(expm1) X(floor) \
      X(lgamma) X(log1p) X(logb) X(rint) X(round) X(sinh) X(sqrt) X(tanh) X(tgamma) X(trunc) X(j0) X(j1) X(y0) X(y1)
HEDDLE_MATH_ORDINARY_UNARY(HEDDLE_DEFINE_UNARY)
HEDDLE_MATH_UNARY_CUDA(HEDDLE_DEFINE_UNARY)
HEDDLE_MATH_API double nearbyint(double x) { return heddle_math::rint(x); }
HEDDLE_MATH_API float nearbyintf(float x) { return heddle_math::rint(x); }
HEDDLE_MATH_API float nearbyint(float x) { return heddle_math::rint(x); }

HEDDLE_DEFINE_BINARY(atan2)
HEDDLE_DEFINE_BINARY(copysign)
HEDDLE_DEFINE_BINARY(fdim)
HEDDLE_DEFINE_BINARY(fmax)
HEDDLE_DEFINE_BINARY(fmin)
HEDDLE_DEFINE_BINARY(fmod)
HEDDLE_DEFINE_BINARY(hypot)
HEDDLE_DEFINE_BINARY(nextafter)
HEDDLE_DEFINE_BINARY(remainder)
HEDDLE_DEFINE_BINARY(rhypot)

// Squares are common enough to check for a constant exponent of 2.
HEDDLE_MATH_API double pow(double x, double y) {
  return __builtin_constant_p(y == 2.0) && y == 2.0 ? x * x : heddle_math::pow(x, y);
}
HEDDLE_MATH_API float powf(float x, float y) {
  if (__builtin_constant_p(y == 2.0f) && y == 2.0f) return x * x;
#if defined(__USE_FAST_MATH__)
  return __powf(x, y);
#else
  return heddle_math::pow(x, y);
#endif
}
HEDDLE_MATH_API float pow(float x, float y) { return powf(x, y); }
HEDDLE_MATH_API double pow(double x, int n) { return pow(x, static_cast<double>(n)); }
HEDDLE_MATH_API double pow(float x, double y) { return pow(static_cast<double>(x), y); }
HEDDLE_MATH_API double pow(double x, float y) { return pow(x, static_cast<double>(y)); }
HEDDLE_MATH_API double pow(float x, int n) { return pow(static_cast<double>(x), static_cast<double>(n)); }

#define HEDDLE_DEFINE_OTHERS(T, f)                                                                      \
  HEDDLE_MATH_API T fabs##f(T x) { return heddle_math::abs(x); }                                        \
  HEDDLE_MATH_API T fma##f(T x, T y, T z) { return heddle_math::fma(x, y, z); }                         \
  HEDDLE_MATH_API T frexp##f(T x, int* exponent) { return heddle_math::frexp(x, exponent); }            \
  HEDDLE_MATH_API T modf##f(T x, T* whole) { return heddle_math::modf(x, whole); }                      \
  HEDDLE_MATH_API T ldexp##f(T x, int n) { return heddle_math::ldexp(x, n); }                           \
  HEDDLE_MATH_API T scalbn##f(T x, int n) { return heddle_math::ldexp(x, n); }                          \
  HEDDLE_MATH_API T scalbln##f(T x, long n) {                                                           \
    return heddle_math::ldexp(x, n > 10000 ? 10000 : n < -10000 ? -10000 : static_cast<int>(n));        \
  }                                                                                                     \
  HEDDLE_MATH_API T remquo##f(T x, T y, int* quotient) { return heddle_math::remquo(x, y, quotient); }  \
  HEDDLE_MATH_API T nan##f(const char*) { return heddle_math::quiet_nan<T>(); }                         \
  HEDDLE_MATH_API T jn##f(int n, T x) { return heddle_math::jn(n, x); }                                 \
  HEDDLE_MATH_API T yn##f(int n, T x) { return heddle_math::yn(n, x); }                                 \
  HEDDLE_MATH_API void sincospi##f(T x, T* sine, T* cosine) { heddle_math::sincospi(x, sine, cosine); } \
  HEDDLE_MATH_API T norm3d##f(T x, T y, T z) { return heddle_math::norm3d(x, y, z); }                   \
  HEDDLE_MATH_API T rnorm3d##f(T x, T y, T z) { return heddle_math::rnorm3d(x, y, z); }                 \
  HEDDLE_MATH_API T norm4d##f(T x, T y, T z, T w) { return heddle_math::norm4d(x, y, z, w); }           \
  HEDDLE_MATH_API T rnorm4d##f(T x, T y, T z, T w) { return heddle_math::rnorm4d(x, y, z, w); }         \
  HEDDLE_MATH_API T norm##f(int count, const T* x) { return heddle_math::norm(count, x); }              \
  HEDDLE_MATH_API T rnorm##f(int count, const T* x) { return heddle_math::rnorm(count, x); }            \
  HEDDLE_MATH_API int ilogb##f(T x) { return heddle_math::ilogb(x); }                                   \
  HEDDLE_MATH_API long lrint##f(T x) { return static_cast<long>(heddle_math::rint(x)); }                \
  HEDDLE_MATH_API long lround##f(T x) { return static_cast<long>(heddle_math::round(x)); }              \
  HEDDLE_MATH_API long long llrint##f(T x) { return static_cast<long long>(heddle_math::rint(x)); }     \
  HEDDLE_MATH_API long long llround##f(T x) { return static_cast<long long>(heddle_math::round(x)); }
HEDDLE_DEFINE_OTHERS(double, )
HEDDLE_DEFINE_OTHERS(float, f)
HEDDLE_MATH_API void sincos(double x, double* sine, double* cosine) { heddle_math::sincos(x, sine, cosine); }
HEDDLE_MATH_API void sincosf(float x, float* sine, float* cosine) {
#if defined(__USE_FAST_MATH__)
  __sincosf(x, sine, cosine);
#else
  heddle_math::sincos(x, sine, cosine);
#endif
}
HEDDLE_MATH_API float fdividef(float x, float y) {
#if defined(__USE_FAST_MATH__)
  return __fdividef(x, y);
#else
  return x / y;
#endif
}
HEDDLE_MATH_API float fabs(float x) { return heddle_math::abs(x); }
HEDDLE_MATH_API float fma(float x, float y, float z) { return heddle_math::fma(x, y, z); }
HEDDLE_MATH_API float frexp(float x, int* exponent) { return frexpf(x, exponent); }
HEDDLE_MATH_API float modf(float x, float* whole) { return modff(x, whole); }
HEDDLE_MATH_API float ldexp(float x, int n) { return ldexpf(x, n); }
HEDDLE_MATH_API float scalbn(float x, int n) { return ldexpf(x, n); }
HEDDLE_MATH_API float scalbln(float x, long n) { return scalblnf(x, n); }
HEDDLE_MATH_API float remquo(float x, float y, int* quotient) { return remquof(x, y, quotient); }
HEDDLE_MATH_API float jn(int n, float x) { return jnf(n, x); }
HEDDLE_MATH_API float yn(int n, float x) { return ynf(n, x); }
HEDDLE_MATH_API void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
HEDDLE_MATH_API void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }
HEDDLE_MATH_API int ilogb(float x) { return ilogbf(x); }
HEDDLE_MATH_API long lrint(float x) { return lrintf(x); }
HEDDLE_MATH_API long lround(float x) { return lroundf(x); }
HEDDLE_MATH_API long long llrint(float x) { return llrintf(x); }
HEDDLE_MATH_API long long llround(float x) { return llroundf(x); }
HEDDLE_MATH_API int abs(int x) { return x < 0 ? -x : x; }
HEDDLE_MATH_API long abs(long x) { return x < 0 ? -x : x; }
HEDDLE_MATH_API long long abs(long long x) { return x < 0 ? -x : x; }
HEDDLE_MATH_API float abs(float x) { return heddle_math::abs(x); }
HEDDLE_MATH_API double abs(double x) { return heddle_math::abs(x); }
HEDDLE_MATH_API long labs(long x) { return x < 0 ? -x : x; }
HEDDLE_MATH_API long long llabs(long long x) { return x < 0 ? -x : x; }

#undef HEDDLE_DEFINE_OTHERS
#undef HEDDLE_MATH_ORDINARY_UNARY
#undef HEDDLE_DEFINE_FAST_UNARY
#undef HEDDLE_DEFINE_BINARY
#undef HEDDLE_DEFINE_UNARY
#endif  // device pass
#undef HEDDLE_MATH_API
