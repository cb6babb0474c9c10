// SPDX-License-Identifier: Apache-2.0
// pow, roots and norms.
#pragma once

#include "exponential.h"
#include "logarithm.h"

namespace heddle_math {

// --- pow
// ------------------------------------------------------------------------------------------------------------------
template <class T>
struct Third;
template <>
struct Third<float> {
  static constexpr float high = 0.333333343f, low = -9.93410776e-9f;
};
template <>
struct Third<double> {
  static constexpr double high = 0.3333333333333333, low = 1.850371707708594e-17;
};

HEDDLE_MATH float split_for_pow(float x, float& e) { return split_exponent(x, e); }
HEDDLE_MATH double split_for_pow(double x, double& e) {
  int n;
  const double m = split_exponent(x, n);
  e = n;
  return m;
}

// log(x) for positive finite x as an unevaluated sum with about ten bits more than T: with s = f / (2 + f), log(1 + f)
// = 2 s (1 + s^2 (1/3 + s^2 P(s^2))), all but P in pairs.
template <class T>
HEDDLE_MATH Pair<T> log_pair(T x) {
  T e;
  const T f = split_for_pow(x, e) - T(1);
  const Pair<T> u = fast_two_sum(T(2), f);
  const T inverse = T(1) / u.high;
  const T s = product(f, inverse);
  const T s_low = (fma(-s, u.high, f) - s * u.low) * inverse;
  Pair<T> t = two_product(s, s);
  t.low = fma(s + s, s_low, t.low);
  const Pair<T> c = fast_two_sum(Third<T>::high, fma(t.high, atanh_tail(t.high), Third<T>::low));
  Pair<T> w = two_product(t.high, c.high);
  w.low += fma(t.high, c.low, t.low * c.high);
  const T twice = s + s;
  Pair<T> v = two_product(twice, w.high);
  v.low += fma(twice, w.low, (s_low + s_low) * w.high);
  Pair<T> l = fast_two_sum(twice, v.high);
  l.low += v.low + (s_low + s_low);
  const Pair<T> a = two_product(e, Constant<T>::ln2_high);
  const Pair<T> r = fast_two_sum(a.high, l.high);
  return fast_two_sum(r.high, r.low + (l.low + fma(e, Constant<T>::ln2_low, a.low)));
}

HEDDLE_MATH double exp_of_pair(Pair<double> p) { return exp_of_sum(p.high, p.low, 0); }
HEDDLE_MATH float exp_of_pair(Pair<float> p) {
  const float whole = trunc(p.high * Constant<float>::log2_e_high);
  const float r = fma(whole, -Constant<float>::ln2_low, fma(whole, -Constant<float>::ln2_high, p.high)) + p.low;
  return exp2_of_parts(whole, r * Constant<float>::log2_e_high);
}

// x^y for positive finite x and finite y.
template <class T>
HEDDLE_MATH T pow_of_positive(T x, T y) {
  const Pair<T> l = log_pair(x);
  Pair<T> p = two_product(l.high, y);
  p.low = is_infinite(p.high) ? T(0) : fma(l.low, y, p.low);
  return exp_of_pair(p);
}

template <class T>
HEDDLE_MATH T pow(T x, T y) {
  if (x == T(1) || y == T(0)) return T(1);
  if (is_nan(x) || is_nan(y)) return x + y;
  const T a = abs(x);
  const bool whole = trunc(y) == y;
  const T half = T(0.5) * y;
  const bool odd = whole && trunc(half) != half;
  T result;
  if (is_infinite(y)) {
    result = a == T(1) ? T(1) : (a > T(1)) == (y > T(0)) ? infinity<T>() : T(0);
  } else if (a == T(0) || is_infinite(a)) {
    result = (a == T(0)) == (y > T(0)) ? T(0) : infinity<T>();
  } else if (x < T(0) && !whole) {
    result = quiet_nan<T>();
  } else {
    result = pow_of_positive(a, y);
  }
  return odd && sign_bit(x) ? -result : result;
}

// --- cube roots
// ----------------------------------------------------------------------------------------------------------- An
// approximation by the ex2 and lg2 units, and one Newton step.
HEDDLE_MATH float cbrt(float x) {
  float a = abs(x);
  if (!(a > 0.0f && a < infinity<float>())) return x + x;
  const bool tiny = a < 1.17549435e-38f;
  if (tiny) a *= 16777216.0f;
  const float y = exp2_approx(log2_approx(a) * 0.333333343f);
  const Pair<float> square = two_product(y, y);
  const float rest = fma(-square.high, y, a) - square.low * y;
  float result = fma(rest * 0.333333343f, rcp_approx(square.high), y);
  if (tiny) result *= 0.00390625f;
  return copysign(result, x);
}

HEDDLE_MATH float rcbrt(float x) {
  float a = abs(x);
  if (!(a > 0.0f && a < infinity<float>())) return 1.0f / x;
  const bool tiny = a < 1.17549435e-38f;
  if (tiny) a *= 16777216.0f;
  const float y = exp2_approx(log2_approx(a) * -0.333333343f);
  const Pair<float> square = two_product(y, y);
  const Pair<float> ay = two_product(a, y);
  const float rest = fma(-ay.high, square.high, 1.0f) - fma(ay.high, square.low, ay.low * square.high);
  float result = fma(rest * 0.333333343f, y, y);
  if (tiny) result *= 256.0f;
  return copysign(result, x);
}

// a = m 8^k with m in [1/8, 1); a single-precision root of m, then one Halley step on it.
HEDDLE_MATH double split_cube(double a, int& k) {
  int shift = 0;
  if (a < 2.2250738585072014e-308) {
    a *= 18014398509481984.0;  // 2^54 = 8^18
    shift = 18;
  }
  const int e = (high_word(a) >> 20) - 1022;
  k = (e + 3072) / 3 - 1024;
  if (e > 3 * k) ++k;
  const double m = with_exponent_added(a, -3 * k);
  k -= shift;
  return m;
}

HEDDLE_MATH double cbrt(double x) {
  const double a = abs(x);
  if (!(a > 0.0 && a < infinity<double>())) return x + x;
  int k;
  const double m = split_cube(a, k);
  const float guess = exp2_approx(log2_approx(static_cast<float>(m)) * 0.333333343f);
  const double y = guess;
  const double square = y * y;  // exact
  const double excess = fma(square, y, -m);
  const double result = fma(-y, excess / fma(2.0 * square, y, m), y);
  return copysign(with_exponent_added(result, k), x);
}

HEDDLE_MATH double rcbrt(double x) {
  const double a = abs(x);
  if (!(a > 0.0 && a < infinity<double>())) return 1.0 / x;
  int k;
  const double m = split_cube(a, k);
  const double y = exp2_approx(log2_approx(static_cast<float>(m)) * -0.333333343f);
  // h = 1 - m y^3 is about 2^-21; y (1 - h)^(-1/3) = y (1 + h/3 + 2/9 h^2 + ...).
  const Pair<double> my = two_product(m, y);
  const double square = y * y;  // exact
  const double h = fma(-my.high, square, 1.0) - my.low * square;
  const double result = fma(y * h, fma(h, fma(h, 0.1728395061728395, 0.2222222222222222), 0.3333333333333333), y);
  return copysign(with_exponent_added(result, -k), x);
}

// --- norms
// ---------------------------------------------------------------------------------------------------------------- A
// power of two that brings `largest` near 1, and its inverse; both normal for every finite argument.
HEDDLE_MATH float scale_to_one(float largest, float& back) {
  uint32 exponent = to_bits(largest) & 0x7f800000u;
  if (exponent > 0x7e000000u) exponent = 0x7e000000u;
  back = from_bits(exponent + 0x00800000u);
  return from_bits(0x7e800000u - exponent);
}
HEDDLE_MATH double scale_to_one(double largest, double& back) {
  uint64 exponent = to_bits(largest) & 0x7ff0000000000000ull;
  if (exponent > 0x7fc0000000000000ull) exponent = 0x7fc0000000000000ull;
  back = from_bits(exponent + 0x0010000000000000ull);
  return from_bits(0x7fd0000000000000ull - exponent);
}

// Sums of squares for the inverse norms. Double precision uses pairs: a square root halves the error of the sum, but an
// inverse square root adds it to its own.
HEDDLE_MATH void add_square(float& total, float x) { total = fma(x, x, total); }
HEDDLE_MATH void add_square(Pair<double>& total, double x) {
  const Pair<double> square = two_product(x, x);
  const Pair<double> s = two_sum(total.high, square.high);
  total = fast_two_sum(s.high, s.low + (total.low + square.low));
}
HEDDLE_MATH float inverse_root(float total) {
  const float y = rsqrt_approx(total);
  return fma(0.5f * y, fma(-total * y, y, 1.0f), y);
}
HEDDLE_MATH double inverse_root(Pair<double> total) {
  const double y = rsqrt_approx(total.high);
  const Pair<double> p = two_product(total.high, y);
  const double rest = fma(-p.high, y, 1.0) - y * fma(total.low, y, p.low);
  return fma(0.5 * y, rest, y);
}
template <class T>
struct SquareSum;
template <>
struct SquareSum<float> {
  typedef float Type;
};
template <>
struct SquareSum<double> {
  typedef Pair<double> Type;
};

// The larger magnitude. NaN takes precedence over numbers and infinity over NaN, since one infinite component
// determines a norm.
template <class T>
HEDDLE_MATH T larger_magnitude(T largest, T x) {
  const T a = abs(x);
  const T number = fmax(largest, a);
  return (is_nan(largest) || is_nan(a)) && number < infinity<T>() ? quiet_nan<T>() : number;
}

// Unused components are zero.
template <class T>
HEDDLE_MATH T norm4d(T x, T y, T z, T w) {
  const T largest = larger_magnitude(larger_magnitude(larger_magnitude(abs(x), y), z), w);
  if (!(largest < infinity<T>())) return largest;
  T back;
  const T scale = scale_to_one(largest, back);
  x *= scale;
  y *= scale;
  z *= scale;
  w *= scale;
  return sqrt(fma(x, x, fma(y, y, fma(z, z, w * w)))) * back;
}
template <class T>
HEDDLE_MATH T rnorm4d(T x, T y, T z, T w) {
  const T largest = larger_magnitude(larger_magnitude(larger_magnitude(abs(x), y), z), w);
  if (!(largest > T(0) && largest < infinity<T>())) return T(1) / largest;
  T back;
  const T scale = scale_to_one(largest, back);
  typename SquareSum<T>::Type total = {};
  add_square(total, x * scale);
  add_square(total, y * scale);
  add_square(total, z * scale);
  add_square(total, w * scale);
  return inverse_root(total) * scale;
}
template <class T>
HEDDLE_MATH T hypot(T x, T y) {
  const T largest = larger_magnitude(abs(x), y);
  if (!(largest < infinity<T>())) return largest;
  T back;
  const T scale = scale_to_one(largest, back);
  x *= scale;
  y *= scale;
  return sqrt(fma(x, x, y * y)) * back;
}
template <class T>
HEDDLE_MATH T rhypot(T x, T y) {
  return rnorm4d(x, y, T(0), T(0));
}
template <class T>
HEDDLE_MATH T norm3d(T x, T y, T z) {
  return norm4d(x, y, z, T(0));
}
template <class T>
HEDDLE_MATH T rnorm3d(T x, T y, T z) {
  return rnorm4d(x, y, z, T(0));
}

template <class T>
HEDDLE_MATH T largest_magnitude(int count, const T* x) {
  T largest = T(0);
  for (int i = 0; i < count; ++i) largest = larger_magnitude(largest, x[i]);
  return largest;
}
template <class T>
HEDDLE_MATH T norm(int count, const T* x) {
  const T largest = largest_magnitude(count, x);
  if (!(largest < infinity<T>())) return largest;
  T back;
  const T scale = scale_to_one(largest, back);
  T total = T(0);
  for (int i = 0; i < count; ++i) {
    const T scaled = x[i] * scale;
    total = fma(scaled, scaled, total);
  }
  return sqrt(total) * back;
}
template <class T>
HEDDLE_MATH T rnorm(int count, const T* x) {
  const T largest = largest_magnitude(count, x);
  if (!(largest > T(0) && largest < infinity<T>())) return T(1) / largest;
  T back;
  const T scale = scale_to_one(largest, back);
  typename SquareSum<T>::Type total = {};
  for (int i = 0; i < count; ++i) add_square(total, x[i] * scale);
  return inverse_root(total) * scale;
}

HEDDLE_MATH float rsqrt(float x) { return rsqrt_approx(x); }
// The instruction's error may exceed a unit in the last place; a Newton step corrects it (except for 0 and infinity).
HEDDLE_MATH double rsqrt(double x) {
  const double y = rsqrt_approx(x);
  const double rest = fma(-product(x, y), y, 1.0);
  const double corrected = fma(0.5 * y, rest, y);
  return rest < 0.5 && rest > -0.5 ? corrected : y;
}

}  // namespace heddle_math
