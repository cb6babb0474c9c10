// SPDX-License-Identifier: Apache-2.0
// The math functions that CUDA adds to the host's library, for host code of a CUDA file.
#pragma once

#include <math.h>

#include "../heddle_device/macros.h"

#define HEDDLE_HOST_MATH static inline __attribute__((host))

namespace heddle_math {
// sin(pi x) with the multiple of 2 taken off exactly first.
HEDDLE_HOST_MATH double host_sinpi(double x) {
  const double r = ::remainder(x, 2.0);
  const double a = ::fabs(r);
  const double s = a <= 0.25 ? ::sin(M_PI * a) : a < 0.75 ? ::cos(M_PI * (0.5 - a)) : ::sin(M_PI * (1.0 - a));
  return ::copysign(s, r);
}
HEDDLE_HOST_MATH double host_cospi(double x) {
  const double a = ::fabs(::remainder(x, 2.0));
  return a <= 0.25 ? ::cos(M_PI * a) : a < 0.75 ? ::sin(M_PI * (0.5 - a)) : -::cos(M_PI * (1.0 - a));
}
}  // namespace heddle_math

#define HEDDLE_HOST_UNARY(name, expression)                                                              \
  HEDDLE_HOST_MATH double name(double x) { return expression; }                                          \
  HEDDLE_HOST_MATH float name##f(float single) {                                                         \
    const double x = single;                                                                             \
    return static_cast<float>(expression);                                                               \
  }                                                                                                      \
  HEDDLE_HOST_MATH float name(float x) { return name##f(x); }
HEDDLE_HOST_UNARY(rsqrt, 1.0 / ::sqrt(x))
HEDDLE_HOST_UNARY(rcbrt, 1.0 / ::cbrt(x))
HEDDLE_HOST_UNARY(sinpi, heddle_math::host_sinpi(x))
HEDDLE_HOST_UNARY(cospi, heddle_math::host_cospi(x))
#undef HEDDLE_HOST_UNARY

#define HEDDLE_HOST_OTHERS(T, f)                                                                             \
  HEDDLE_HOST_MATH void sincospi##f(T x, T* sine, T* cosine) {                                               \
    *sine = static_cast<T>(heddle_math::host_sinpi(x));                                                      \
    *cosine = static_cast<T>(heddle_math::host_cospi(x));                                                    \
  }                                                                                                          \
  HEDDLE_HOST_MATH T norm3d##f(T x, T y, T z) { return ::hypot##f(::hypot##f(x, y), z); }                    \
  HEDDLE_HOST_MATH T norm4d##f(T x, T y, T z, T w) { return ::hypot##f(::hypot##f(x, y), ::hypot##f(z, w)); } \
  HEDDLE_HOST_MATH T rhypot##f(T x, T y) { return 1 / ::hypot##f(x, y); }                                    \
  HEDDLE_HOST_MATH T rnorm3d##f(T x, T y, T z) { return 1 / norm3d##f(x, y, z); }                            \
  HEDDLE_HOST_MATH T rnorm4d##f(T x, T y, T z, T w) { return 1 / norm4d##f(x, y, z, w); }                    \
  HEDDLE_HOST_MATH T norm##f(int count, const T* x) {                                                        \
    T total = 0;                                                                                             \
    for (int i = 0; i < count; ++i) total = ::hypot##f(total, x[i]);                                         \
    return total;                                                                                            \
  }                                                                                                          \
  HEDDLE_HOST_MATH T rnorm##f(int count, const T* x) { return 1 / norm##f(count, x); }
HEDDLE_HOST_OTHERS(double, )
HEDDLE_HOST_OTHERS(float, f)
#undef HEDDLE_HOST_OTHERS
HEDDLE_HOST_MATH float fdividef(float x, float y) { return x / y; }
#undef HEDDLE_HOST_MATH
