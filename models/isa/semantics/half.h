// SPDX-License-Identifier: Apache-2.0
// The two 16-bit floating-point formats. Arithmetic on them goes through double, rounded to odd, and is then rounded
// once to 16 bits, which is exact: no host support for half precision is needed.
#pragma once

#include "isa/semantics/float_rules.h"
#include "isa/semantics/rounding.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

/// IEEE binary16.
struct Binary16 {
  static constexpr int kMantissaBits = 10, kBias = 15;
  static constexpr std::uint16_t kInfinity = 0x7c00, kOne = 0x3c00;
};
/// The upper half of a binary32.
struct BrainFloat16 {
  static constexpr int kMantissaBits = 7, kBias = 127;
  static constexpr std::uint16_t kInfinity = 0x7f80, kOne = 0x3f80;
};
inline constexpr std::uint16_t kHalfSign = 0x8000, kHalfNan = 0x7fff;

template <typename Format>
HEDDLE_INLINE bool is_nan_half(Half h) {
  return (h.bits & 0x7fff) > Format::kInfinity;
}

template <bool Ftz, typename Format>
HEDDLE_INLINE Half flush_half(Half h) {
  if constexpr (Ftz) {
    return Half{static_cast<std::uint16_t>((h.bits & Format::kInfinity) == 0 ? h.bits & kHalfSign : h.bits)};
  } else {
    return h;
  }
}

/// Exact; a NaN keeps its payload.
template <typename Format>
HEDDLE_INLINE float widen(Half h) {
  if constexpr (Format::kMantissaBits == 7) {
    return bits_as<float>(std::uint32_t{h.bits} << 16);
  } else {
    const std::uint32_t sign = std::uint32_t{h.bits & 0x8000u} << 16, low = std::uint32_t{h.bits & 0x7fffu} << 13;
    constexpr float kScale =
        5192296858534827628530496329220096.0f;  // 2^112: the difference of the biases, subnormals included
    const std::uint32_t scaled = bits_as<std::uint32_t>(bits_as<float>(low) * kScale);
    return bits_as<float>(sign | (low >= 0x0f800000 ? low | 0x7f800000 : scaled));
  }
}

/// x rounded once. NaN gives 0x7fff.
template <typename Format, unsigned Mode>
HEDDLE_INLINE Half narrow(double x) {
  constexpr int kCut = 52 - Format::kMantissaBits;
  constexpr std::uint64_t kFraction = 0xfffffffffffff;
  const std::uint64_t bits = bits_as<std::uint64_t>(x), absolute = bits & ~FloatTraits<double>::kSign;
  const auto sign = static_cast<std::uint32_t>(bits >> 48) & kHalfSign;
  const bool negative = sign != 0;
  const auto exponent = static_cast<std::int64_t>(absolute >> 52) - 1023 + Format::kBias;
  const std::int64_t below = exponent < 1 ? 1 - exponent : 0;
  const auto cut = static_cast<std::uint64_t>(kCut + (below < 54 - kCut ? below : 54 - kCut));
  const std::uint64_t mantissa = (absolute & kFraction) | (absolute >> 52 != 0 ? kFraction + 1 : 0);
  const std::uint64_t kept = mantissa >> cut, rest = mantissa & ((std::uint64_t{1} << cut) - 1);
  const std::uint64_t half = std::uint64_t{1} << (cut - 1);
  bool up;
  if constexpr (Mode == kNearest) up = rest > half || (rest == half && (kept & 1) != 0);
  if constexpr (Mode == kDown) up = rest != 0 && negative;
  if constexpr (Mode == kUp) up = rest != 0 && !negative;
  if constexpr (Mode == kToZero) up = false;
  const std::uint64_t base = exponent < 1 ? 0 : static_cast<std::uint64_t>(exponent - 1) << Format::kMantissaBits;
  std::uint64_t result = base + kept + (up ? 1 : 0);
  const bool to_infinity = Mode == kNearest || (Mode == kDown && negative) || (Mode == kUp && !negative);
  const std::uint64_t overflow = to_infinity ? Format::kInfinity : Format::kInfinity - 1u;
  result = result >= Format::kInfinity ? overflow : result;
  result = absolute == FloatTraits<double>::kInfinity ? Format::kInfinity : result;
  const std::uint64_t value = absolute > FloatTraits<double>::kInfinity ? kHalfNan : sign | result;
  return Half{static_cast<std::uint16_t>(value)};
}

/// Rounded, flushed, saturated.
template <typename Format, unsigned Mode, bool Ftz, bool Sat>
HEDDLE_INLINE Half finish_half(double x) {
  if constexpr (Sat) x = saturate<true>(x);
  return flush_half<Ftz, Format>(narrow<Format, Mode>(x));
}

}  // namespace
}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
