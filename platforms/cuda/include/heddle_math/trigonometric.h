// SPDX-License-Identifier: Apache-2.0
// sin, cos, tan, sincos, their pi forms, and the inverses. Kernels: minimax polynomials on |r| <= pi/4.
#pragma once

#include "angle_reduction.h"
#include "double_polynomials.h"
#include "float_polynomials.h"

namespace heddle_math {

// The sine of r + quadrant pi/2. Sine and cosine share one polynomial chain with selected coefficients: sin(r) = r + r
// (t P), cos(r) = 1 + t (-1/2 + t Q), t = r^2.
template <class T>
HEDDLE_MATH T sine_of_quadrant(T r, int quadrant) {
  const T t = r * r;
  const bool cosine = (quadrant & 1) != 0;
  const T tail = fma(sin_or_cos_tail(t, cosine), t, cosine ? T(-0.5) : T(0));
  const T factor = cosine ? t : r;
  const T first = cosine ? T(1) : r;
  const T result = fma(tail, factor, first);
  return (quadrant & 2) != 0 ? -result : result;
}

template <class T>
HEDDLE_MATH T sin(T x) {
  int quadrant;
  const T r = reduce_angle(x, quadrant);
  return sine_of_quadrant(r, quadrant);
}

template <class T>
HEDDLE_MATH T cos(T x) {
  int quadrant;
  const T r = reduce_angle(x, quadrant);
  return sine_of_quadrant(r, quadrant + 1);
}

template <class T>
HEDDLE_MATH void sincos(T x, T* sine, T* cosine) {
  int quadrant;
  const T r = reduce_angle(x, quadrant);
  *sine = sine_of_quadrant(r, quadrant);
  *cosine = sine_of_quadrant(r, quadrant + 1);
}

template <class T>
HEDDLE_MATH T tan(T x) {
  int quadrant;
  const T r = reduce_angle(x, quadrant);
  const T t = r * r;
  const T tail = t * tan_tail(t);
  const T high = fma(tail, r, r);
  if ((quadrant & 1) == 0) return high;
  // One Newton step towards -1 / (high + low).
  const T low = fma(tail, r, r - high);
  const T inverse = T(-1) / high;
  const T corrected = fma(inverse, fma(inverse, high, T(1)) + inverse * low, inverse);
  return is_infinite(inverse) ? inverse : corrected;
}

// x pi = quadrant pi/2 + r. Numbers too large to have a fraction are even.
template <class T>
HEDDLE_MATH T reduce_half_turns(T x, int& quadrant) {
  const T large = sizeof(T) == 4 ? T(16777216) : T(9007199254740992);
  if (!(abs(x) < large)) x = x * T(0);
  const T twice = rint(x + x);
  quadrant = static_cast<int>(static_cast<long long>(twice));
  const T r = fma(twice, T(-0.5), x);
  return fma(r, Constant<T>::pi_high, r * Constant<T>::pi_low);
}

template <class T>
HEDDLE_MATH T sinpi(T x) {
  int quadrant;
  const T r = reduce_half_turns(x, quadrant);
  const T result = sine_of_quadrant(r, quadrant);
  return result == T(0) ? x * T(0) : result;  // an integer gives zero with its own sign
}

template <class T>
HEDDLE_MATH T cospi(T x) {
  int quadrant;
  const T r = reduce_half_turns(x, quadrant);
  const T result = sine_of_quadrant(r, quadrant + 1);
  return result == T(0) ? T(0) : result;
}

template <class T>
HEDDLE_MATH void sincospi(T x, T* sine, T* cosine) {
  int quadrant;
  const T r = reduce_half_turns(x, quadrant);
  const T s = sine_of_quadrant(r, quadrant);
  const T c = sine_of_quadrant(r, quadrant + 1);
  *sine = s == T(0) ? x * T(0) : s;
  *cosine = c == T(0) ? T(0) : c;
}

// asin(x) for |x| <= 9/16, and with it both functions: for larger x, asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).
template <class T>
HEDDLE_MATH T asin_core(T x, T t) {
  return fma(t * x, asin_tail(t), x);
}

template <class T>
HEDDLE_MATH T asin(T x) {
  const T a = abs(x);
  const bool large = a > T(0.5625);
  const T t = large ? fma(a, T(-0.5), T(0.5)) : x * x;
  T result = asin_core(large ? sqrt(t) : a, t);
  if (large) result = fma(result, T(-2), Constant<T>::pi_over_2_low) + Constant<T>::pi_over_2_high;
  return copysign(result, x);
}

template <class T>
HEDDLE_MATH T acos(T x) {
  const T a = abs(x);
  const bool large = a > T(0.5625);
  const T t = large ? fma(a, T(-0.5), T(0.5)) : x * x;
  const T core = asin_core(large ? sqrt(t) : x, t);
  if (!large) return Constant<T>::pi_over_2_high - (core - Constant<T>::pi_over_2_low);
  const T twice = core + core;
  return x < T(0) ? Constant<T>::pi_high - (twice - Constant<T>::pi_low) : twice;
}

template <class T>
HEDDLE_MATH T atan_core(T q) {
  const T t = q * q;
  return fma(t * q, atan_tail(t), q);
}

template <class T>
HEDDLE_MATH T atan(T x) {
  const T a = abs(x);
  const bool large = a > T(1);
  T result = atan_core(large ? T(1) / a : a);
  if (large) result = Constant<T>::pi_over_2_high - (result - Constant<T>::pi_over_2_low);
  return copysign(result, x);
}

template <class T>
HEDDLE_MATH T atan2(T y, T x) {
  if (is_nan(x) || is_nan(y)) return x + y;
  const T ax = abs(x);
  const T ay = abs(y);
  const T larger = fmax(ax, ay);
  const T smaller = fmin(ax, ay);
  T q = smaller / larger;
  if (smaller == larger) q = larger == T(0) ? T(0) : T(1);  // also for two infinities
  T result = atan_core(q);
  if (ay > ax) result = Constant<T>::pi_over_2_high - (result - Constant<T>::pi_over_2_low);
  if (sign_bit(x)) result = Constant<T>::pi_high - (result - Constant<T>::pi_low);
  return copysign(result, y);
}

}  // namespace heddle_math
