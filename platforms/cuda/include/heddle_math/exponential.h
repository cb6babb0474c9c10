// SPDX-License-Identifier: Apache-2.0
// exp and related functions. Single precision uses the ex2 unit, as in CUDA; double precision reduces by multiples of
// ln 2 and uses a minimax polynomial.
#pragma once

#include "constants.h"
#include "double_polynomials.h"
#include "float_polynomials.h"

namespace heddle_math {

// p 2^n for p near 1 (or NaN) and |n| <= 2000 (double) or 250 (float), rounded once.
HEDDLE_MATH double scale_by_power(double p, int n) {
  if (n > -1020 && n < 1020) return p * with_exponent_added(1.0, n);
  const int half = n / 2;
  return p * with_exponent_added(1.0, half) * with_exponent_added(1.0, n - half);
}
HEDDLE_MATH float scale_by_power(float p, int n) {
  const int half = n / 2;
  return p * with_exponent_added(1.0f, half) * with_exponent_added(1.0f, n - half);
}

// x = n ln 2 + r, |r| <= ln(2)/2; the product's high part cancels exactly.
template <class T>
HEDDLE_MATH T reduce_exponent(T x, int& n) {
  const T turns = rint(x * Constant<T>::log2_e_high);
  n = to_int(turns);
  return fma(turns, -Constant<T>::ln2_low, fma(turns, -Constant<T>::ln2_high, x));
}

template <class T>
struct ExponentLimit;  // beyond them the result is 0 or infinite, whatever the low part
template <>
struct ExponentLimit<float> {
  static constexpr float low = -105.0f, high = 90.0f;
};
template <>
struct ExponentLimit<double> {
  static constexpr double low = -746.0, high = 710.5;
};

// exp(x + low) 2^power for a small correction `low`; handles extreme x.
template <class T>
HEDDLE_MATH T exp_of_sum(T x, T low, int power) {
  const bool small = x < ExponentLimit<T>::low;
  const bool large = x > ExponentLimit<T>::high;
  int n;
  const T r = reduce_exponent(small || large ? T(0) : x, n) + low;
  T result = scale_by_power(T(1) + fma(r * r, exp_tail(r), r), n + power);
  result = large ? infinity<T>() : result;
  return small ? T(0) : result;
}

HEDDLE_MATH double exp(double x) { return exp_of_sum(x, 0.0, 0); }

// 2^whole 2^fraction: truncation keeps 2^whole finite wherever the product is. For out-of-range arguments the fraction
// is meaningless but must not be 0 or infinite, so that 2^whole decides, also for NaN.
HEDDLE_MATH float exp2_of_parts(float whole, float fraction) {
  return exp2_approx(fmin(fmax(fraction, -2.0f), 2.0f)) * exp2_approx(whole);
}

HEDDLE_MATH float exp(float x) {
  const float whole = trunc(x * Constant<float>::log2_e_high);
  const float r = fma(whole, -Constant<float>::ln2_low, fma(whole, -Constant<float>::ln2_high, x));
  return exp2_of_parts(whole, r * Constant<float>::log2_e_high);
}

HEDDLE_MATH float exp2(float x) { return exp2_approx(x); }

HEDDLE_MATH double exp2(double x) {
  const bool small = x < -1080.0;
  const bool large = x > 1030.0;
  if (small || large) return small ? 0.0 : infinity<double>();
  const double whole = rint(x);
  const double f = x - whole;
  const double r = fma(f, Constant<double>::ln2_high, f * Constant<double>::ln2_low);
  return scale_by_power(1.0 + fma(r * r, exp_tail(r), r), to_int(whole));
}

HEDDLE_MATH float exp10(float x) {
  const float whole = trunc(x * Constant<float>::log2_10);
  const float r = fma(whole, -Constant<float>::log10_2_low, fma(whole, -Constant<float>::log10_2_high, x));
  return exp2_of_parts(whole, r * Constant<float>::log2_10);
}

HEDDLE_MATH double exp10(double x) {
  const bool small = x < -324.5;
  const bool large = x > 309.0;
  if (small || large) return small ? 0.0 : infinity<double>();
  const double whole = rint(x * Constant<double>::log2_10);
  const double f = fma(whole, -Constant<double>::log10_2_high, x);  // exact
  const Pair<double> p = two_product(f, Constant<double>::ln10_high);
  const double rest = fma(whole, -Constant<double>::log10_2_low * Constant<double>::ln10_high,
                          fma(f, Constant<double>::ln10_low, p.low));
  const Pair<double> r = fast_two_sum(p.high, rest);
  return scale_by_power(1.0 + (r.high + fma(r.high * r.high, exp_tail(r.high), r.low)), to_int(whole));
}

// 2^n (e^r - 1) + (2^n - 1), both terms halved for n > 1 because 2^n alone may overflow where the result does not. The
// large parts, 2^n - 1 and 2^n r, are added with error compensation. Up to 0.43 there is no reduction, since the terms
// would cancel for n = 1.
template <class T>
HEDDLE_MATH T expm1(T x) {
  const T lowest = sizeof(T) == 4 ? T(-18) : T(-38);
  if (x < lowest) return T(-1);
  if (x > ExponentLimit<T>::high) return infinity<T>();
  int n = 0;
  const T r = abs(x) < T(0.43) ? x : reduce_exponent(x, n);
  const bool halved = n > 1;
  const T scale = with_exponent_added(T(1), halved ? n - 1 : n);
  const Pair<T> base = fast_two_sum(scale, halved ? T(-0.5) : T(-1));
  const T large = fma(r, scale, base.high);
  const T rest = fma(r, scale, base.high - large) + base.low;
  T result = large + fma(r * r * exp_tail(r), scale, rest);
  if (halved) result += result;
  return x == T(0) ? x : result;
}

// exp(a) 2^power as an unevaluated sum, for 0 <= a up to the limit.
template <class T>
HEDDLE_MATH Pair<T> exp_pair(T a, int power) {
  int n;
  const T r = reduce_exponent(a, n);
  n += power;
  const Pair<T> p = fast_two_sum(T(1), fma(r * r, exp_tail(r), r));
  const T first = with_exponent_added(T(1), n / 2);
  const T second = with_exponent_added(T(1), n - n / 2);
  return Pair<T>{p.high * first * second, p.low * first * second};
}

template <class T>
HEDDLE_MATH T sinh(T x) {
  const T a = abs(x);
  T result;
  if (a < T(1)) {
    const T t = a * a;
    result = fma(t * a, sinh_tail(t), a);
  } else {
    const T half = exp_of_sum(a, T(0), -1);
    result = half - T(0.25) / half;
  }
  return copysign(result, x);
}

template <class T>
HEDDLE_MATH T cosh(T x) {
  const T a = abs(x);
  if (!(a <= ExponentLimit<T>::high)) return a * infinity<T>();
  const Pair<T> half = exp_pair(a, -1);
  return half.high + (T(0.25) / half.high + half.low);
}

// 1 - 2 / (exp(2 a) + 1) with the quotient as a sum.
template <class T>
HEDDLE_MATH T tanh(T x) {
  const T a = abs(x);
  T result;
  if (a < T(0.55)) {
    const T t = a * a;
    result = fma(t * a, tanh_tail(t), a);
  } else if (a < T(20)) {
    const Pair<T> e = exp_pair(a + a, 0);
    const Pair<T> d = fast_two_sum(e.high, T(1));
    const T q = T(2) / d.high;
    const T q_low = (fma(-q, d.high, T(2)) - q * (d.low + e.low)) * (T(0.5) * q);
    const Pair<T> r = fast_two_sum(T(1), -q);
    result = r.high + (r.low - q_low);
  } else {
    result = is_nan(a) ? a : T(1);
  }
  return copysign(result, x);
}

}  // namespace heddle_math
