// SPDX-License-Identifier: Apache-2.0
// The gamma function and its logarithm.
#pragma once

#include "exponential.h"
#include "logarithm.h"
#include "power.h"
#include "trigonometric.h"

namespace heddle_math {

// log Gamma(x) for x >= 8 as a sum, by Stirling's series.
template <class T>
HEDDLE_MATH Pair<T> log_gamma_pair(T x) {
  const Pair<T> l = log_pair(x);
  const T y = x - T(0.5);
  Pair<T> p = two_product(l.high, y);
  p.low = fma(l.low, y, p.low);
  const Pair<T> s = fast_two_sum(p.high, -x);
  const T v = T(1) / x;
  const T rest = fma(v, stirling_tail(v * v), Constant<T>::ln_sqrt_2pi);
  return fast_two_sum(s.high, s.low + (p.low + rest));
}

// x = n + f with |f| <= 1/2: Gamma(1 + f) times the factors from 1 + f to x - 1, or over those from x to f.
template <class T>
HEDDLE_MATH T gamma_by_recurrence(T x) {
  const T n = rint(x);
  const T f = x - n;
  const T inverse = fma(f, inverse_gamma_1(f), T(1));
  T factor = T(1);
  if (n >= T(1)) {
    for (T y = x - T(1); y > f + T(0.5); y -= T(1)) factor *= y;
    return factor / inverse;
  }
  for (T y = x; y < f + T(0.5); y += T(1)) factor *= y;
  return T(1) / (factor * inverse);
}

template <class T>
HEDDLE_MATH T tgamma(T x) {
  const T overflow = sizeof(T) == 4 ? T(36) : T(172);
  const T near = sizeof(T) == 4 ? T(12) : T(20);
  if (is_nan(x)) return x;
  if (x == T(0)) return copysign(infinity<T>(), x);
  if (x > overflow) return infinity<T>();
  if (x < T(0) && (trunc(x) == x)) return quiet_nan<T>();
  const T a = abs(x);
  if (a < near) return gamma_by_recurrence(x);
  if (x > T(0)) return exp_of_pair(log_gamma_pair(x));
  // Reflection: Gamma(-a) = -pi / (a sin(pi a) Gamma(a)); both factors of the small result are applied in halves.
  if (a > overflow + T(15)) return sinpi(a) > T(0) ? T(-0.0) : T(0);
  const Pair<T> l = log_gamma_pair(a);
  const T half = exp_of_pair(Pair<T>{T(-0.5) * l.high, T(-0.5) * l.low});
  return -Constant<T>::pi_high / (a * sinpi(a)) * half * half;
}

// log Gamma(x) for x > 0.
template <class T>
HEDDLE_MATH T lgamma_of_positive(T x) {
  if (x < T(0.5)) return -log(x * fma(x, inverse_gamma_1(x), T(1)));
  if (x < T(1.5)) {
    const T f = x - T(1);
    return T(0) - log1p(f * inverse_gamma_1(f));
  }
  if (x < T(3)) {
    const T f = x - T(2);
    return T(0) - log1p(f * inverse_gamma_2(f));
  }
  if (x < T(10)) {
    T factor = T(1);
    while (x >= T(3)) {
      x -= T(1);
      factor *= x;
    }
    const T f = x - T(2);
    return log(factor / fma(f, inverse_gamma_2(f), T(1)));
  }
  const T v = T(1) / x;
  const T rest = fma(v, stirling_tail(v * v), Constant<T>::ln_sqrt_2pi - T(0.5));
  const T l = log(x) - T(1);
  const T y = x - T(0.5);
  const T large = y * l;
  return is_infinite(large) ? large : fma(y, l, rest);
}

template <class T>
HEDDLE_MATH T lgamma(T x) {
  if (is_nan(x)) return x;
  const T a = abs(x);
  if (is_infinite(a)) return a;
  if (x > T(0)) return lgamma_of_positive(x);
  if (trunc(x) == x) return infinity<T>();
  const T tiny = sizeof(T) == 4 ? T(1e-20) : T(1e-30);
  if (a < tiny) return -log(a);
  return log(Constant<T>::pi_high / abs(a * sinpi(a))) - lgamma_of_positive(a);
}

}  // namespace heddle_math
