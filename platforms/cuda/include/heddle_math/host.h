// SPDX-License-Identifier: Apache-2.0
// Math functions that CUDA adds to the host library, for host code in CUDA files.
#pragma once

#include <math.h>

#include "../heddle_device/macros.h"

#define HEDDLE_HOST_MATH static inline __attribute__((host))

namespace heddle_math {
// sin(pi x), first subtracting the multiple of 2 exactly.
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

// The y with erf(y) = x or erfc(y) = q, by Newton's method: on erf near 0, on log erfc in the tail.
HEDDLE_HOST_MATH double host_erfcinv_of_small(double q) {
  double y = ::sqrt(-::log(q));
  for (int i = 0; i < 30; ++i) {
    const double e = ::erfc(y);
    const double step = (::log(e) - ::log(q)) * e * ::exp(y * y) * (-0.5 * 1.7724538509055160);
    y -= step;
    if (::fabs(step) < 1e-15 * y) break;
  }
  return y;
}
HEDDLE_HOST_MATH double host_erfinv(double x) {
  const double a = ::fabs(x);
  if (!(a < 1.0)) return a == 1.0 ? x * HUGE_VAL : x * 0.0 / 0.0;
  if (a > 0.5) return ::copysign(host_erfcinv_of_small(1.0 - a), x);
  double y = 0.88622692545275801 * x;
  for (int i = 0; i < 10; ++i) y -= (::erf(y) - x) * 0.88622692545275801 * ::exp(y * y);
  return y;
}
HEDDLE_HOST_MATH double host_erfcinv(double q) {
  if (!(q > 0.0 && q < 2.0)) return q == 0.0 ? HUGE_VAL : q == 2.0 ? -HUGE_VAL : (q - q) / 0.0;
  if (q > 0.5 && q < 1.5) return host_erfinv(1.0 - q);
  return q < 1.0 ? host_erfcinv_of_small(q) : -host_erfcinv_of_small(2.0 - q);
}
HEDDLE_HOST_MATH double host_erfcx(double x) {
  if (x < 12.0) return ::exp(x * x) * ::erfc(x);
  double sum = 0.0, term = 1.0;
  for (int k = 1; k < 12; ++k) {
    sum += term;
    term *= -(2 * k - 1) / (2.0 * x * x);
  }
  return sum / (x * 1.7724538509055160);
}
// The power series, all of one sign.
HEDDLE_HOST_MATH double host_bessel_i(int order, double x) {
  double term = order == 0 ? 1.0 : 0.5 * x, sum = 0.0;
  for (int k = 1; k < 2000 && sum + term != sum; ++k) {
    sum += term;
    term *= 0.25 * x * x / (static_cast<double>(k) * (k + order));
  }
  return sum;
}
}  // namespace heddle_math

#define HEDDLE_HOST_UNARY(name, expression)                     \
  HEDDLE_HOST_MATH double name(double x) { return expression; } \
  HEDDLE_HOST_MATH float name##f(float single) {                \
    const double x = single;                                    \
    return static_cast<float>(expression);                      \
  }                                                             \
  HEDDLE_HOST_MATH float name(float x) { return name##f(x); }
HEDDLE_HOST_UNARY(rsqrt, 1.0 / ::sqrt(x))
HEDDLE_HOST_UNARY(rcbrt, 1.0 / ::cbrt(x))
// glibc has these itself since 2.41, as functions of C23; the overload for float is ours.
#if __GLIBC_PREREQ(2, 41) && __GLIBC_USE(IEC_60559_FUNCS_EXT_C23)
HEDDLE_HOST_MATH float sinpi(float x) { return ::sinpif(x); }
HEDDLE_HOST_MATH float cospi(float x) { return ::cospif(x); }
#else
HEDDLE_HOST_UNARY(sinpi, heddle_math::host_sinpi(x))
HEDDLE_HOST_UNARY(cospi, heddle_math::host_cospi(x))
#endif
HEDDLE_HOST_UNARY(erfinv, heddle_math::host_erfinv(x))
HEDDLE_HOST_UNARY(erfcinv, heddle_math::host_erfcinv(x))
HEDDLE_HOST_UNARY(erfcx, heddle_math::host_erfcx(x))
HEDDLE_HOST_UNARY(normcdf, 0.5 * ::erfc(-0.70710678118654752 * x))
HEDDLE_HOST_UNARY(normcdfinv, -1.4142135623730951 * heddle_math::host_erfcinv(2.0 * x))
HEDDLE_HOST_UNARY(cyl_bessel_i0, heddle_math::host_bessel_i(0, x))
HEDDLE_HOST_UNARY(cyl_bessel_i1, heddle_math::host_bessel_i(1, x))
#undef HEDDLE_HOST_UNARY

#define HEDDLE_HOST_OTHERS(T, f)                                                                              \
  HEDDLE_HOST_MATH void sincospi##f(T x, T* sine, T* cosine) {                                                \
    *sine = static_cast<T>(heddle_math::host_sinpi(x));                                                       \
    *cosine = static_cast<T>(heddle_math::host_cospi(x));                                                     \
  }                                                                                                           \
  HEDDLE_HOST_MATH T norm3d##f(T x, T y, T z) { return ::hypot##f(::hypot##f(x, y), z); }                     \
  HEDDLE_HOST_MATH T norm4d##f(T x, T y, T z, T w) { return ::hypot##f(::hypot##f(x, y), ::hypot##f(z, w)); } \
  HEDDLE_HOST_MATH T rhypot##f(T x, T y) { return 1 / ::hypot##f(x, y); }                                     \
  HEDDLE_HOST_MATH T rnorm3d##f(T x, T y, T z) { return 1 / norm3d##f(x, y, z); }                             \
  HEDDLE_HOST_MATH T rnorm4d##f(T x, T y, T z, T w) { return 1 / norm4d##f(x, y, z, w); }                     \
  HEDDLE_HOST_MATH T norm##f(int count, const T* x) {                                                         \
    T total = 0;                                                                                              \
    for (int i = 0; i < count; ++i) total = ::hypot##f(total, x[i]);                                          \
    return total;                                                                                             \
  }                                                                                                           \
  HEDDLE_HOST_MATH T rnorm##f(int count, const T* x) { return 1 / norm##f(count, x); }
HEDDLE_HOST_OTHERS(double, )
HEDDLE_HOST_OTHERS(float, f)
#undef HEDDLE_HOST_OTHERS
HEDDLE_HOST_MATH float fdividef(float x, float y) { return x / y; }
#undef HEDDLE_HOST_MATH
