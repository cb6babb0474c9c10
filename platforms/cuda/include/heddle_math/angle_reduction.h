// SPDX-License-Identifier: Apache-2.0
// Argument reduction of the trigonometric functions: x = quadrant * pi/2 + r with |r| <= pi/4 (plus a tiny excess).
#pragma once

#include "constants.h"

namespace heddle_math {

// The bits of 2/pi after the binary point, preceded by one word of zeros.
HEDDLE_MATH_TABLE uint32 kTwoOverPi32[9] = {0u,          0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
                                            0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u};
HEDDLE_MATH_TABLE uint64 kTwoOverPi64[21] = {0ull,
                                             0xa2f9836e4e441529ull,
                                             0xfc2757d1f534ddc0ull,
                                             0xdb6295993c439041ull,
                                             0xfe5163abdebbc561ull,
                                             0xb7246e3a424dd2e0ull,
                                             0x06492eea09d1921cull,
                                             0xfe1deb1cb129a73eull,
                                             0xe88235f52ebb4484ull,
                                             0xe99c7026b45f7e41ull,
                                             0x3991d639835339f4ull,
                                             0x9c845f8bbdf9283bull,
                                             0x1ff897ffde05980full,
                                             0xef2f118b5a0a6d1full,
                                             0x6d367ecf27cb09b7ull,
                                             0x4f463f669e5fea2dull,
                                             0x7527bac7ebe5f17bull,
                                             0x3d0739f78a5292eaull,
                                             0x6bfb5fb11f8d5d08ull,
                                             0x56033046fc7b6babull,
                                             0xf0cfbc209af4361dull};

// x 2/pi modulo 4 in integers (Payne and Hanek 1983): x = m 2^k with integer m; multiplies only those bits of 2/pi
// whose product with m is neither a multiple of 4 nor negligible. Needs |x| >= 2.
HEDDLE_MATH float reduce_large_angle(float x, int& quadrant) {
  const uint32 bits = to_bits(x);
  const int exponent = static_cast<int>(bits >> 23 & 0xff);
  const uint32 m = (bits & 0x7fffffu) | 0x800000u;
  const int start = exponent - 150 - 2 + 32;  // index of the first needed bit in the table
  const int word = start >> 5;
  const int shift = start & 31;
  uint32 f[3];
  for (int i = 0; i < 3; ++i) {
    const uint64 two = static_cast<uint64>(kTwoOverPi32[word + i]) << 32 | kTwoOverPi32[word + i + 1];
    f[i] = static_cast<uint32>(two << shift >> 32);
  }
  const uint64 p0 = static_cast<uint64>(m) * f[2];
  const uint64 p1 = static_cast<uint64>(m) * f[1] + (p0 >> 32);
  const uint64 high = (static_cast<uint64>(m * f[0]) << 32) + p1;  // the integer part of x 2/pi / 4 is shifted out
  const uint64 fraction = high << 2 | static_cast<uint32>(p0) >> 30;
  quadrant = static_cast<int>(high >> 62) + static_cast<int>(fraction >> 63);
  // A signed fraction of pi/2, in units of 2^-64.
  const double r = static_cast<double>(static_cast<long long>(fraction)) * 8.515303950216386e-20;
  if (x < 0) {
    quadrant = -quadrant;
    return static_cast<float>(-r);
  }
  return static_cast<float>(r);
}

HEDDLE_MATH double reduce_large_angle(double x, int& quadrant) {
  const uint64 bits = to_bits(x);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const uint64 m = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
  const int start = exponent - 1075 - 2 + 64;
  const int word = start >> 6;
  const int shift = start & 63;
  uint64 f[3];
  for (int i = 0; i < 3; ++i) {
    f[i] = kTwoOverPi64[word + i] << shift;
    if (shift != 0) f[i] |= kTwoOverPi64[word + i + 1] >> (64 - shift);
  }
  const uint64 low = m * f[2];
  uint64 middle = m * f[1];
  uint64 high = m * f[0] + multiply_high(m, f[1]);
  const uint64 carry = multiply_high(m, f[2]);
  middle += carry;
  high += middle < carry ? 1 : 0;
  quadrant = static_cast<int>(high >> 62);
  high = high << 2 | middle >> 62;
  middle = middle << 2 | low >> 62;
  bool negative = false;
  if ((high >> 63) != 0) {  // more than half a quadrant: measure from the next
    ++quadrant;
    negative = true;
    high = ~high;
    middle = ~middle;
  }
  // Normalise to 64 significant bits, multiply by pi/2 in 64 bits, and only then round.
  const int zeros = count_leading_zeros(high);
  if (zeros != 0) high = zeros == 64 ? middle : high << zeros | middle >> (64 - zeros);
  const uint64 product_high = multiply_high(high, static_cast<uint64>(0xc90fdaa22168c235ull));  // pi/2 2^63
  double r = static_cast<double>(product_high) * 1.0842021724855044e-19;                        // 2^-63
  r = from_bits(to_bits(r) - (static_cast<uint64>(zeros) << 52));
  if (x < 0) {
    quadrant = -quadrant;
    negative = !negative;
  }
  return negative ? -r : r;
}

template <class T>
struct AngleLimit;
template <>
struct AngleLimit<float> {
  static constexpr float value = 105615.0f;
};
template <>
struct AngleLimit<double> {
  static constexpr double value = 1073741824.0;
};

// Below the limit, pi/2 in three parts suffices (Cody and Waite 1980); the first fma is exact because both operands are
// multiples of the first part's last place.
template <class T>
HEDDLE_MATH T reduce_angle(T x, int& quadrant) {
  if (abs(x) > AngleLimit<T>::value) {
    if (!(abs(x) < infinity<T>())) {
      quadrant = 0;
      return x - x;
    }
    return reduce_large_angle(x, quadrant);
  }
  const T turns = rint(fma(x, Constant<T>::two_over_pi, T(0)));  // + 0, so that -0 stays -0 below
  quadrant = to_int(turns);
  T r = fma(turns, -Constant<T>::pi_over_2_first, x);
  r = fma(turns, -Constant<T>::pi_over_2_second, r);
  return fma(turns, -Constant<T>::pi_over_2_third, r);
}

}  // namespace heddle_math
