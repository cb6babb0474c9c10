// SPDX-License-Identifier: Apache-2.0
// Rounding functions, remainders and number decomposition, all exact.
#pragma once

#include "primitives.h"

namespace heddle_math {

HEDDLE_MATH float round(float x) { return __builtin_roundf(x); }
HEDDLE_MATH double round(double x) { return __builtin_round(x); }

template <class T>
HEDDLE_MATH T fdim(T x, T y) {
  return x <= y ? T(0) : x - y;
}

// --- exponent and mantissa
// --------------------------------------------------------------------------------------------------
template <class T>
struct Format;
template <>
struct Format<float> {
  typedef uint32 Bits;
  static constexpr int digits = 24, bias = 127;
  static constexpr float two_to_digits = 16777216.0f;
};
template <>
struct Format<double> {
  typedef uint64 Bits;
  static constexpr int digits = 53, bias = 1023;
  static constexpr double two_to_digits = 9007199254740992.0;
};
template <class T>
HEDDLE_MATH int biased_exponent(T x) {
  return static_cast<int>(to_bits(x) >> (Format<T>::digits - 1)) & (2 * Format<T>::bias + 1);
}
template <class T>
HEDDLE_MATH T power_of_two(int exponent) {  // normal exponents only
  typedef typename Format<T>::Bits Bits;
  return from_bits(static_cast<Bits>(exponent + Format<T>::bias) << (Format<T>::digits - 1));
}

// x 2^n, rounded once: three factors suffice for every exponent, and only the last product can be denormal.
template <class T>
HEDDLE_MATH T ldexp(T x, int n) {
  constexpr int largest = Format<T>::bias;
  constexpr int smallest = 1 - Format<T>::bias + Format<T>::digits;  // leaves a full mantissa for the last factor
  if (n > largest) {
    x *= power_of_two<T>(largest);
    n -= largest;
    if (n > largest) {
      x *= power_of_two<T>(largest);
      n -= largest;
      if (n > largest) n = largest;
    }
  } else if (n < 1 - Format<T>::bias) {
    x *= power_of_two<T>(smallest);
    n -= smallest;
    if (n < 1 - Format<T>::bias) {
      x *= power_of_two<T>(smallest);
      n -= smallest;
      if (n < 1 - Format<T>::bias) n = 1 - Format<T>::bias;
    }
  }
  return x * power_of_two<T>(n);
}

template <class T>
HEDDLE_MATH T frexp(T x, int* exponent) {
  if (x == T(0) || !(abs(x) < infinity<T>())) {
    *exponent = 0;
    return x + x;
  }
  int e = biased_exponent(x);
  if (e == 0) {
    x *= Format<T>::two_to_digits;
    e = biased_exponent(x) - Format<T>::digits;
  }
  *exponent = e - Format<T>::bias + 1;
  typedef typename Format<T>::Bits Bits;
  const Bits field = static_cast<Bits>(2 * Format<T>::bias + 1) << (Format<T>::digits - 1);
  return from_bits((to_bits(x) & ~field) | static_cast<Bits>(Format<T>::bias - 1) << (Format<T>::digits - 1));
}

template <class T>
HEDDLE_MATH int ilogb(T x) {
  if (x == T(0) || is_nan(x)) return -2147483647 - 1;
  if (is_infinite(x)) return 2147483647;
  int e;
  frexp(x, &e);
  return e - 1;
}

template <class T>
HEDDLE_MATH T logb(T x) {
  if (x == T(0)) return -infinity<T>();
  if (!(abs(x) < infinity<T>())) return x * x;
  return static_cast<T>(ilogb(x));
}

template <class T>
HEDDLE_MATH T modf(T x, T* whole) {
  *whole = trunc(x);
  return copysign(is_infinite(x) ? T(0) : x - *whole, x);
}

template <class T>
HEDDLE_MATH T nextafter(T x, T y) {
  if (is_nan(x) || is_nan(y)) return x + y;
  if (x == y) return y;
  if (x == T(0)) return copysign(from_bits(static_cast<typename Format<T>::Bits>(1)), y);
  const bool away = (x < y) == (x > T(0));
  return from_bits(to_bits(x) + (away ? 1 : -1));
}

// --- remainders
// ---------------------------------------------------------------------------------------------------------------
// Mantissas in [1, 2) and the difference of the exponents; 20 (49) bits of the quotient at a time. Every quotient is an
// integer representable in T, off by at most one, and every fma is exact: its result is a multiple of the divisor's
// last place and smaller than the divisor. Finite x, positive finite y; returns the remainder over 2^(exponent of y).
template <class T>
HEDDLE_MATH T mantissa_remainder(T x, T y, int& exponent, uint64& quotient, T& divisor) {
  constexpr int step = Format<T>::digits - 4;
  int ex, ey;
  T r = T(2) * frexp(x, &ex);
  divisor = T(2) * frexp(y, &ey);
  exponent = ey - 1;
  quotient = 0;
  int bits = ex - ey;
  if (x == T(0) || bits < 0) {
    // Already smaller; only remainder() needs to reconsider it, since it may exceed half of y.
    r = x == T(0) ? x : r * (bits < -2 ? T(0.25) : power_of_two<T>(bits));
    return r;
  }
  if (r >= divisor) {
    r -= divisor;
    quotient = 1;
  }
  while (bits > 0) {
    const int k = bits < step ? bits : step;
    r *= power_of_two<T>(k);
    T q = trunc(r / divisor);
    r = fma(-q, divisor, r);
    if (r < T(0)) {  // the quotient was rounded up to the next integer
      r += divisor;
      q -= T(1);
    }
    quotient = (quotient << k) + static_cast<uint64>(static_cast<long long>(q));
    bits -= k;
  }
  return r;
}

template <class T>
HEDDLE_MATH bool remainder_is_special(T x, T y) {
  return !(abs(x) < infinity<T>()) || y == T(0) || is_nan(y);
}

template <class T>
HEDDLE_MATH T fmod(T x, T y) {
  if (remainder_is_special(x, y)) return is_nan(x) || is_nan(y) ? x + y : quiet_nan<T>();
  const T a = abs(x);
  const T b = abs(y);
  if (a < b) return x;
  int exponent;
  uint64 quotient;
  T divisor;
  const T r = mantissa_remainder(a, b, exponent, quotient, divisor);
  return copysign(ldexp(r, exponent), x);
}

// The remainder to the nearest multiple, ties to the even one, and the quotient's low bits with its sign.
template <class T>
HEDDLE_MATH T remquo(T x, T y, int* quotient) {
  *quotient = 0;
  if (remainder_is_special(x, y)) return is_nan(x) || is_nan(y) ? x + y : quiet_nan<T>();
  if (is_infinite(y)) return x;
  const T a = abs(x);
  int exponent;
  uint64 q;
  T divisor;
  T r = mantissa_remainder(a, abs(y), exponent, q, divisor);
  const T other = divisor - r;
  const bool untouched = a < abs(y) && !(r > other);
  if (r > other || (r == other && (q & 1) != 0)) {
    r = -other;
    ++q;
  }
  const int low = static_cast<int>(q & 7);
  *quotient = sign_bit(x) != sign_bit(y) ? -low : low;
  if (untouched) return x;
  const T result = ldexp(r, exponent);
  if (result == T(0)) return copysign(T(0), x);
  return sign_bit(x) ? -result : result;
}

template <class T>
HEDDLE_MATH T remainder(T x, T y) {
  int quotient;
  return remquo(x, y, &quotient);
}

}  // namespace heddle_math
