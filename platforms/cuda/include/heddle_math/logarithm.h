// SPDX-License-Identifier: Apache-2.0
// log and related functions, and the inverse hyperbolic functions based on log1p.
#pragma once

#include "constants.h"
#include "double_polynomials.h"
#include "float_polynomials.h"

namespace heddle_math {

// --- single precision: x = m 2^e with m in [sqrt(1/2), sqrt(2)), log(1 + f) = f + f^2
// P(f)-------------------------------------
HEDDLE_MATH float split_exponent(float x, float& e) {
  float scale_exponent = 0.0f;
  if (x < 1.17549435e-38f) {
    x *= 8388608.0f;
    scale_exponent = -23.0f;
  }
  const int shift = static_cast<int>((to_bits(x) - 0x3f3504f3u) & 0xff800000u);
  e = fma(static_cast<float>(shift), 1.1920929e-7f, scale_exponent);
  return from_bits(to_bits(x) - static_cast<uint32>(shift));
}

// Special cases of the logarithms: -inf at 0, NaN below, inf at inf, NaN at NaN.
template <class T>
HEDDLE_MATH bool logarithm_is_special(T x) {
  return !(x > T(0) && x < infinity<T>());
}
template <class T>
HEDDLE_MATH T special_logarithm(T x) {
  return x == T(0) ? -infinity<T>() : x < T(0) ? quiet_nan<T>() : x + x;
}

HEDDLE_MATH float log(float x) {
  if (logarithm_is_special(x)) return special_logarithm(x);
  float e;
  const float f = split_exponent(x, e) - 1.0f;
  return fma(e, Constant<float>::ln2_high, fma(f * f, log_tail(f), f));
}

// log(1 + f) times a constant given in two parts.
HEDDLE_MATH float scaled_log(float f, float high, float low) {
  const float tail = f * f * log_tail(f);
  return fma(f, high, fma(tail, high, (f + tail) * low));
}

HEDDLE_MATH float log2(float x) {
  if (logarithm_is_special(x)) return special_logarithm(x);
  float e;
  const float f = split_exponent(x, e) - 1.0f;
  return e + scaled_log(f, Constant<float>::log2_e_high, Constant<float>::log2_e_low);
}

HEDDLE_MATH float log10(float x) {
  if (logarithm_is_special(x)) return special_logarithm(x);
  float e;
  const float f = split_exponent(x, e) - 1.0f;
  return fma(e, Constant<float>::log10_2_high,
             scaled_log(f, Constant<float>::log10_e_high, Constant<float>::log10_e_low));
}

// f = (1 + x) 2^-e - 1 straight from x, so that 1 + x is never rounded; in quarters, because 2^-e may be denormal. The
// first part of ln 2 has 16 bits, so that its product with e is exact.
HEDDLE_MATH float log1p(float x) {
  if (!(x > -1.0f && x < infinity<float>()))
    return x == -1.0f ? -infinity<float>() : x < -1.0f ? quiet_nan<float>() : x;
  const int shift = static_cast<int>((to_bits(1.0f + x) - 0x3f3504f3u) & 0xff800000u);
  const float scale = from_bits(0x40800000u - static_cast<uint32>(shift));
  const float offset = fma(0.25f, scale, -1.0f);
  const float f = fma(0.25f * x, scale, offset);
  const float f_low = fma(0.25f * x, scale, offset - f);
  const float e = static_cast<float>(shift) * 1.1920929e-7f;
  const Pair<float> large = fast_two_sum(e * 0.693145752f, f);
  const float result = large.high + fma(f * f, log_tail(f), fma(-f, f_low, f_low) + fma(e, 1.42860677e-6f, large.low));
  return abs(x) < 2.98023224e-8f ? x : result;
}

// --- double precision: m in [sqrt(1/2), sqrt(2)), s = f / (2 + f), log(1 + f) = f - s (f - s^2 P(s^2))
// -------------------
HEDDLE_MATH double split_exponent(double x, int& e) {
  int scale_exponent = 0;
  if (x < 2.2250738585072014e-308) {
    x *= 4503599627370496.0;
    scale_exponent = -52;
  }
  // The high word of sqrt(1/2), rounded down: larger mantissas belong to the next exponent.
  const int shift = static_cast<int>((static_cast<uint32>(high_word(x)) - 0x3fe6a09eu) & 0xfff00000u);
  e = (shift >> 20) + scale_exponent;
  return from_bits(to_bits(x) - (static_cast<uint64>(static_cast<uint32>(shift)) << 32));
}

// log(1 + f) = f - correction, the correction being at most a fifth of f.
HEDDLE_MATH double log_correction(double f) {
  const double s = f / (2.0 + f);
  const double t = s * s;
  return s * fma(-t, log_ratio_tail(t), f);
}

HEDDLE_MATH double log(double x) {
  if (logarithm_is_special(x)) return special_logarithm(x);
  int e;
  const double f = split_exponent(x, e) - 1.0;
  const double n = e;
  return fma(n, Constant<double>::ln2_high, f - fma(n, -Constant<double>::ln2_low, log_correction(f)));
}

HEDDLE_MATH double scaled_log(double f, double high, double low) {
  const Pair<double> l = fast_two_sum(f, -log_correction(f));
  return fma(l.high, high, fma(l.low, high, l.high * low));
}

HEDDLE_MATH double log2(double x) {
  if (logarithm_is_special(x)) return special_logarithm(x);
  int e;
  const double f = split_exponent(x, e) - 1.0;
  return e + scaled_log(f, Constant<double>::log2_e_high, Constant<double>::log2_e_low);
}

HEDDLE_MATH double log10(double x) {
  if (logarithm_is_special(x)) return special_logarithm(x);
  int e;
  const double f = split_exponent(x, e) - 1.0;
  const double n = e;
  return fma(n, Constant<double>::log10_2_high,
             fma(n, Constant<double>::log10_2_low,
                 scaled_log(f, Constant<double>::log10_e_high, Constant<double>::log10_e_low)));
}

// 1 + x = u + rest; log(u + rest) = log(u) + rest / u.
HEDDLE_MATH double log1p(double x) {
  if (!(x > -1.0 && x < infinity<double>())) {
    return x == -1.0 ? -infinity<double>() : x < -1.0 ? quiet_nan<double>() : x;
  }
  const Pair<double> u = two_sum(1.0, x);
  int e;
  double f = split_exponent(u.high, e) - 1.0;
  double rest = u.low / u.high;
  if (e == 0) {  // then x itself is f, unrounded
    f = x;
    rest = 0.0;
  }
  const double n = e;
  const double small = fma(n, -Constant<double>::ln2_low, log_correction(f)) - rest;
  const double result = fma(n, Constant<double>::ln2_high, f - small);
  return x == 0.0 ? x : result;
}

// --- inverse hyperbolic functions
// -----------------------------------------------------------------------------------------
template <class T>
HEDDLE_MATH T asinh(T x) {
  const T a = abs(x);
  const T large = sizeof(T) == 4 ? T(16384) : T(268435456);
  T result;
  if (a < large) {
    result = log1p(a + a * a / (T(1) + sqrt(fma(a, a, T(1)))));
  } else {
    result = log(a) + Constant<T>::ln2_high;
  }
  return copysign(result, x);
}

template <class T>
HEDDLE_MATH T acosh(T x) {
  const T large = sizeof(T) == 4 ? T(16384) : T(268435456);
  if (x >= large) return log(x) + Constant<T>::ln2_high;
  if (!(x >= T(1))) return quiet_nan<T>();
  const T t = x - T(1);
  return log1p(t + sqrt(fma(t, t, t + t)));
}

template <class T>
HEDDLE_MATH T atanh(T x) {
  const T a = abs(x);
  const T twice = a + a;
  const T result = T(0.5) * log1p(a < T(0.5) ? fma(twice, a / (T(1) - a), twice) : twice / (T(1) - a));
  return copysign(result, x);
}

}  // namespace heddle_math
