// SPDX-License-Identifier: Apache-2.0
// Error function, its complements and inverses, and the normal distribution.
#pragma once

#include "exponential.h"
#include "logarithm.h"
#include "power.h"

namespace heddle_math {

// erfcx(x) for x >= 0: the mapping of all of it to [-1, 1) follows Shepherd and Laframboise (1981).
template <class T>
HEDDLE_MATH T erfcx_of_positive(T x) {
  if (!(x < infinity<T>())) return is_nan(x) ? x : T(0);
  const T d = x + T(4);
  const T inverse = T(1) / d;
  T t = (x - T(4)) * inverse;
  t = fma(inverse, fma(-t, d, x - T(4)), t);
  const T scaled = scaled_erfcx(t);
  const T divisor = fma(T(2), x, T(1));
  return is_infinite(divisor) ? scaled / x * T(0.5) : scaled / divisor;
}

// exp(-x^2) 2^64: splitting the square avoids additional error, and the scale keeps the next product's operand normal.
template <class T>
HEDDLE_MATH T exp_of_minus_square(T x) {
  const Pair<T> square = two_product(x, x);
  return exp_of_sum(-square.high, -square.low, 64);
}
template <class T>
HEDDLE_MATH T two_to_minus_64() {
  return T(5.421010862427522e-20);
}

// erfc(x) for x >= 0; 0 from where it underflows.
template <class T>
HEDDLE_MATH T erfc_of_positive(T x) {
  const T last = sizeof(T) == 4 ? T(10.5) : T(27.5);
  if (x > last) return T(0);
  return exp_of_minus_square(x) * erfcx_of_positive(x) * two_to_minus_64<T>();
}

// erfc(x) for |x| < 1/2.
template <class T>
HEDDLE_MATH T erfc_of_small(T x) {
  return T(1) - fma(x, erf_small(x * x), x);
}

template <class T>
HEDDLE_MATH T erfc(T x) {
  const T a = abs(x);
  if (a < T(0.5)) return erfc_of_small(x);
  const T value = erfc_of_positive(a);
  return x < T(0) ? T(2) - value : value;
}

HEDDLE_MATH float erf_of_large(float a) {
  return a < 4.0f ? 1.0f - exp2_approx(erf_exponent(a - 2.0f)) : is_nan(a) ? a : 1.0f;
}
HEDDLE_MATH double erf_of_large(double a) { return 1.0 - erfc_of_positive(a); }

template <class T>
HEDDLE_MATH T erf(T x) {
  const T a = abs(x);
  const T result = a < T(0.9) ? fma(a, erf_small(a * a), a) : erf_of_large(a);
  return copysign(result, x);
}

template <class T>
HEDDLE_MATH T erfcx(T x) {
  const Pair<T> square = two_product(x, x);
  if (abs(x) < T(0.5)) return exp_of_sum(square.high, square.low, 0) * erfc_of_small(x);
  const T value = erfcx_of_positive(abs(x));
  if (!(x < T(0))) return value;
  const T limit = sizeof(T) == 4 ? T(100) : T(720);
  if (square.high > limit) return infinity<T>();
  return exp_of_sum(square.high, square.low, 1) - value;
}

// erfinv(x) / x at w = -log(1 - x^2), for all w that x or 1 - x can give.
HEDDLE_MATH float erfinv_ratio(float w) {
  if (w < 6.25f) return erfinv_central(w - 3.125f);
  const float s = sqrt(w);
  return s < 4.0f ? erfinv_near(s - 3.25f) : erfinv_far(s - 7.0f);
}
HEDDLE_MATH double erfinv_ratio(double w) {
  if (w < 6.25) return erfinv_central(w - 3.125);
  const double s = sqrt(w);
  if (s < 4.0) return erfinv_near(s - 3.25);
  if (s < 6.1) return erfinv_middle(s - 5.0);
  return s < 12.0 ? erfinv_far(s - 9.0) : erfinv_farthest(s - 19.5);
}

template <class T>
HEDDLE_MATH T erfinv(T x) {
  const T a = abs(x);
  if (!(a < T(1))) return a == T(1) ? copysign(infinity<T>(), x) : quiet_nan<T>();
  return x * erfinv_ratio(-log(fma(-x, x, T(1))));
}

template <class T>
HEDDLE_MATH T erfcinv(T x) {
  if (!(x > T(0) && x < T(2))) {
    return x == T(0) ? infinity<T>() : x == T(2) ? -infinity<T>() : quiet_nan<T>();
  }
  return (T(1) - x) * erfinv_ratio(-log(x * (T(2) - x)));
}

// erfc(-x / sqrt(2)) / 2. The square of the argument is x^2 / 2 exactly, so the rounding of x / sqrt(2) only reaches
// the slowly varying factor.
template <class T>
HEDDLE_MATH T normcdf(T x) {
  const T last = sizeof(T) == 4 ? T(14.5) : T(38.6);
  if (is_nan(x)) return x;
  const T a = abs(x);
  T tail = T(0);
  if (a < last) {
    const Pair<T> square = two_product(a, a);
    const T e = exp_of_sum(T(-0.5) * square.high, T(-0.5) * square.low, 63);
    tail = e * erfcx_of_positive(a * Constant<T>::sqrt_half_high) * two_to_minus_64<T>();
  }
  return x > T(0) ? T(1) - tail : tail;
}

template <class T>
HEDDLE_MATH T normcdfinv(T p) {
  return -Constant<T>::sqrt_2 * erfcinv(p + p);
}

}  // namespace heddle_math
