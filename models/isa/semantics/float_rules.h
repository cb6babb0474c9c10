// SPDX-License-Identifier: Apache-2.0
// The PTX rules around IEEE arithmetic: flushing of subnormals, saturation, NaN results, exact fused multiply-add and
// directed rounding. Nothing here depends on libm.
#pragma once

#include "isa/semantics/lane_loop.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

template <typename T>
struct FloatTraits;
template <>
struct FloatTraits<float> {
  using Bits = std::uint32_t;
  static constexpr Bits kSign = 0x80000000, kInfinity = 0x7f800000, kQuiet = 0x00400000;
  static constexpr Bits kCanonicalNan = 0x7fffffff;
  static constexpr int kMantissaBits = 23, kBias = 127;
};
template <>
struct FloatTraits<double> {
  using Bits = std::uint64_t;
  static constexpr Bits kSign = 0x8000000000000000, kInfinity = 0x7ff0000000000000, kQuiet = 0x0008000000000000;
  static constexpr Bits kCanonicalNan = 0xfff8000000000000;
  static constexpr int kMantissaBits = 52, kBias = 1023;
};
template <typename T>
using BitsOf = typename FloatTraits<T>::Bits;

template <typename T>
HEDDLE_INLINE bool is_nan(T x) {
  return x != x;
}
template <typename T>
HEDDLE_INLINE T magnitude(T x) {
  return bits_as<T>(bits_as<BitsOf<T>>(x) & ~FloatTraits<T>::kSign);
}
template <typename T>
HEDDLE_INLINE T with_sign_of(T x, T sign) {
  constexpr auto kSign = FloatTraits<T>::kSign;
  return bits_as<T>((bits_as<BitsOf<T>>(x) & ~kSign) | (bits_as<BitsOf<T>>(sign) & kSign));
}

/// Subnormal to zero of the same sign, when Ftz.
template <bool Ftz, typename T>
HEDDLE_INLINE T flush(T x) {
  if constexpr (Ftz) {
    const auto bits = bits_as<BitsOf<T>>(x);
    return bits_as<T>((bits & FloatTraits<T>::kInfinity) == 0 ? bits & FloatTraits<T>::kSign : bits);
  } else {
    return x;
  }
}

/// Clamps to [0, 1]; NaN and -0 become +0.
template <bool Sat, typename T>
HEDDLE_INLINE T saturate(T x) {
  if constexpr (Sat) {
    const T low = x > T(0) ? x : T(0);
    return low < T(1) ? low : T(1);
  } else {
    return x;
  }
}

/// Single precision does not keep NaN payloads: every NaN result is 0x7fffffff.
HEDDLE_INLINE float result_of(float r) { return is_nan(r) ? bits_as<float>(FloatTraits<float>::kCanonicalNan) : r; }

HEDDLE_INLINE double quiet(double x) {
  return bits_as<double>(bits_as<std::uint64_t>(x) | FloatTraits<double>::kQuiet);
}

/// Double precision propagates the first NaN operand, quieted; an invalid operation gives 0xfff8000000000000.
HEDDLE_INLINE double result_of(double r, double a, double b = 0, double c = 0) {
  double nan = bits_as<double>(FloatTraits<double>::kCanonicalNan);
  nan = is_nan(c) ? quiet(c) : nan;
  nan = is_nan(b) ? quiet(b) : nan;
  nan = is_nan(a) ? quiet(a) : nan;
  return is_nan(r) ? nan : r;
}
template <typename... Operands>
HEDDLE_INLINE float result_of(float r, Operands...) {
  return result_of(r);
}

/// a + b rounded to odd: the exact sum truncated, with the last bit set if inexact. Rounding the result to a format at
/// least two bits shorter then equals a single rounding. Requires round-to-nearest and no overflow.
template <typename T>
HEDDLE_INLINE T add_to_odd(T a, T b) {
  const T s = a + b;
  const T bb = s - a;
  const T error = (a - (s - bb)) + (b - bb);  // exact: Knuth's two-sum
  const auto bits = bits_as<BitsOf<T>>(s);
  const bool outward = ((bits_as<BitsOf<T>>(error) ^ bits) & FloatTraits<T>::kSign) == 0;
  const bool finite = (bits & ~FloatTraits<T>::kSign) < FloatTraits<T>::kInfinity;
  const auto even = ~bits & 1;
  const auto step = outward ? even : 0 - even;
  return bits_as<T>(((error != 0) & finite) ? bits + step : bits);
}

/// x rounded to single precision. Mode as in the MXCSR field: 0 nearest even, 1 down, 2 up, 3 to zero. Also correct for
/// an x that was rounded to odd.
template <unsigned Mode>
HEDDLE_INLINE float to_single(double x) {
  const float nearest = static_cast<float>(x);
  if constexpr (Mode == 0) return nearest;
  const double back = static_cast<double>(nearest);
  const auto bits = bits_as<std::uint32_t>(nearest);
  const bool negative = bits >> 31 != 0, too_high = back > x, too_low = back < x;
  const bool down = Mode == 1 ? too_high : (Mode == 3 && too_high && !negative);
  const bool up = Mode == 2 ? too_low : (Mode == 3 && too_low && negative);
  const std::uint32_t outward = negative ? down : up, inward = negative ? up : down;
  return bits_as<float>(bits + outward - inward);
}

/// Fused multiply-add in the current rounding mode.
HEDDLE_INLINE float fused(float a, float b, float c) {
#if defined(__FMA__)
  return __builtin_fmaf(a, b, c);
#else
  return static_cast<float>(add_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
#endif
}

#if defined(__FMA__)
HEDDLE_INLINE double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
using Wide = unsigned __int128;

/// Position of the highest set bit; v is not zero.
HEDDLE_INLINE int top_bit(Wide v) {
  const auto high = static_cast<std::uint64_t>(v >> 64);
  return high != 0 ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(static_cast<std::uint64_t>(v));
}

/// v >> n, with the shifted-out bits ORed into bit 0.
HEDDLE_INLINE Wide shift_sticky(Wide v, int n) {
  if (n <= 0) return v;
  if (n >= 128) return v != 0;
  const Wide kept = v >> n;
  return kept | static_cast<Wide>((kept << n) != v);
}

/// (-1)^negative * v * 2^exponent as a double, rounded in the caller's `mode`. mode: 0 nearest even, 1 down, 2 up, 3 to
/// zero (the order of the MXCSR field).
inline double round_wide(bool negative, Wide v, int exponent, unsigned mode) {
  const std::uint64_t sign = negative ? FloatTraits<double>::kSign : 0;
  if (v == 0) return bits_as<double>(sign);
  // Keep 53 bits and two guard bits, fewer for subnormal results (unit 2^-1074).
  const int top = top_bit(v);
  int cut = top - 54;
  if (exponent + cut < -1076) cut = -1076 - exponent;
  Wide kept = cut >= 0 ? shift_sticky(v, cut) : v << -cut;
  int unit = exponent + cut + 2;  // weight of bit 2 of kept
  const unsigned rest = static_cast<unsigned>(kept & 3);
  auto mantissa = static_cast<std::uint64_t>(kept >> 2);
  const bool up = mode == 0 ? (rest > 2 || (rest == 2 && (mantissa & 1) != 0))
                            : (mode == 1 ? negative && rest != 0 : mode == 2 && !negative && rest != 0);
  mantissa += up ? 1 : 0;
  if (mantissa >> 53 != 0) {
    mantissa >>= 1;
    ++unit;
  }
  if (mantissa >> 52 == 0) return bits_as<double>(sign | mantissa);  // subnormal: unit is -1074
  const int biased = unit + 52 + 1023;
  if (biased >= 2047) {
    const bool to_infinity = mode == 0 || (mode == 1 && negative) || (mode == 2 && !negative);
    return bits_as<double>(sign | (to_infinity ? 0x7ff0000000000000 : 0x7fefffffffffffff));
  }
  return bits_as<double>(sign | static_cast<std::uint64_t>(biased) << 52 | (mantissa & 0xfffffffffffff));
}

/// Fused multiply-add in integer arithmetic, for hosts without the instruction. mode as for round_wide.
inline double fused_in_mode(double a, double b, double c, unsigned mode) {
  const auto ab = bits_as<std::uint64_t>(a), bb = bits_as<std::uint64_t>(b), cb = bits_as<std::uint64_t>(c);
  const auto exponent_of = [](std::uint64_t bits) { return static_cast<int>(bits >> 52 & 0x7ff); };
  if (exponent_of(ab) == 0x7ff || exponent_of(bb) == 0x7ff || exponent_of(cb) == 0x7ff || a == 0 || b == 0) {
    return exponent_of(cb) == 0x7ff && exponent_of(ab) != 0x7ff && exponent_of(bb) != 0x7ff ? c + c : a * b + c;
  }
  const auto mantissa_of = [&](std::uint64_t bits) {
    return (bits & 0xfffffffffffff) | (exponent_of(bits) != 0 ? std::uint64_t{1} << 52 : 0);
  };
  const auto unit_of = [&](std::uint64_t bits) { return (exponent_of(bits) != 0 ? exponent_of(bits) : 1) - 1075; };
  const bool product_negative = (ab ^ bb) >> 63 != 0, c_negative = cb >> 63 != 0;
  Wide product = Wide{mantissa_of(ab)} * mantissa_of(bb);  // below 2^106
  int unit = unit_of(ab) + unit_of(bb);
  Wide addend = mantissa_of(cb);
  if (addend == 0) return round_wide(product_negative, product, unit, mode);
  // Align both to at most 126 bits, with the smaller one's lost bits sticky in bit 0: they affect only the rounding.
  const int product_shift = 125 - top_bit(product), addend_shift = 125 - top_bit(addend);
  product <<= product_shift;
  unit -= product_shift;
  addend <<= addend_shift;
  const int addend_unit = unit_of(cb) - addend_shift;
  if (unit >= addend_unit) {
    addend = shift_sticky(addend, unit - addend_unit);
  } else {
    product = shift_sticky(product, addend_unit - unit);
    unit = addend_unit;
  }
  if (product_negative == c_negative) return round_wide(product_negative, product + addend, unit, mode);
  if (product == addend) return mode == 1 ? -0.0 : 0.0;
  const bool product_larger = product > addend;
  return round_wide(product_larger ? product_negative : c_negative,
                    product_larger ? product - addend : addend - product, unit, mode);
}
HEDDLE_INLINE double fused(double a, double b, double c) { return fused_in_mode(a, b, c, 0); }
#endif

}  // namespace
}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
