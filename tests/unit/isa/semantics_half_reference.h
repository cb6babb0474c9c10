// SPDX-License-Identifier: Apache-2.0
// The 16-bit floating-point formats for expectations: values as double, rounded with the host's nearbyint.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "isa/types.h"

namespace heddle::isa::table {

struct HalfFormat {
  int mantissa_bits, minimum_exponent, maximum_exponent;
};
inline HalfFormat half_format(DataType type) {
  return type == DataType::f16 || type == DataType::f16x2 ? HalfFormat{10, -14, 15} : HalfFormat{7, -126, 127};
}

inline double half_value(std::uint64_t bits, DataType type) {
  const HalfFormat format = half_format(type);
  const int exponent_bits = 15 - format.mantissa_bits;
  const auto mantissa = static_cast<int>(bits & ((1u << format.mantissa_bits) - 1));
  const auto exponent = static_cast<int>(bits >> format.mantissa_bits & ((1u << exponent_bits) - 1));
  double magnitude;
  if (exponent == (1 << exponent_bits) - 1) {
    magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, format.minimum_exponent - format.mantissa_bits);
  } else {
    magnitude = std::ldexp(mantissa + (1 << format.mantissa_bits),
                           exponent - 1 + format.minimum_exponent - format.mantissa_bits);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/// v rounded in the host's rounding mode `mode`; NaN as 0x7fff. Right for v rounded to odd, too.
inline std::uint64_t half_bits(double v, DataType type, int mode) {
  if (std::isnan(v)) return 0x7fff;
  const HalfFormat format = half_format(type);
  const std::uint64_t sign = std::signbit(v) ? 0x8000 : 0;
  const std::uint64_t infinity = static_cast<std::uint64_t>((format.maximum_exponent - format.minimum_exponent + 2))
                                 << format.mantissa_bits;
  if (v == 0) return sign;
  if (std::isinf(v)) return sign | infinity;
  const int exponent = std::max(std::ilogb(v), format.minimum_exponent);
  std::fesetround(mode);
  volatile double scaled = std::ldexp(v, format.mantissa_bits - exponent);
  const double units = std::fabs(std::nearbyint(scaled));
  std::fesetround(FE_TONEAREST);
  const double rounded = std::ldexp(units, exponent - format.mantissa_bits);
  const double largest = std::ldexp(2.0 - std::ldexp(1.0, -format.mantissa_bits), format.maximum_exponent);
  if (rounded > largest) {
    const bool to_infinity = mode == FE_TONEAREST || mode == (sign != 0 ? FE_DOWNWARD : FE_UPWARD);
    return sign | (to_infinity ? infinity : infinity - 1);
  }
  const auto count = static_cast<std::uint64_t>(units);
  // Counting units from the smallest normal's binade up adds the exponent; subnormals have fewer units than the hidden
  // bit.
  return sign | (count + (static_cast<std::uint64_t>(exponent - format.minimum_exponent) << format.mantissa_bits));
}

/// a * b + c of doubles rounded to odd, with the host's exception flags.
inline double fused_to_odd(double a, double b, double c) {
  std::feclearexcept(FE_ALL_EXCEPT);
  std::fesetround(FE_TOWARDZERO);
  volatile double va = a, vb = b, vc = c;
  volatile double truncated = std::fma(va, vb, vc);
  const bool inexact = std::fetestexcept(FE_INEXACT) != 0;
  std::fesetround(FE_TONEAREST);
  volatile double nearest = std::fma(va, vb, vc);
  if (!inexact || std::isinf(nearest) || std::isnan(nearest)) return nearest;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(static_cast<double>(truncated)) | 1);
}

}  // namespace heddle::isa::table
