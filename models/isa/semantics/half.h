// SPDX-License-Identifier: Apache-2.0
// The two 16-bit floating-point formats. Arithmetic is done in single precision (binary16) or double (bfloat16, which
// has the exponent range of single), rounded to odd, and then rounded to 16 bits. This is correctly rounded and needs
// no host support for half precision.
#pragma once

#include "isa/semantics/float_rules.h"
#include "isa/semantics/rounding.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

/// IEEE binary16.
struct Binary16 {
  using Work = float;
  static constexpr int kMantissaBits = 10, kBias = 15;
  static constexpr std::uint32_t kInfinity = 0x7c00, kOne = 0x3c00;
};
/// The upper half of a binary32.
struct BrainFloat16 {
  using Work = double;
  static constexpr int kMantissaBits = 7, kBias = 127;
  static constexpr std::uint32_t kInfinity = 0x7f80, kOne = 0x3f80;
};
inline constexpr std::uint32_t kHalfSign = 0x8000, kHalfNan = 0x7fff;

template <typename Format>
HEDDLE_INLINE bool is_nan_half(Half h) {
  return (h.bits & 0x7fff) > Format::kInfinity;
}

template <bool Ftz, typename Format>
HEDDLE_INLINE Half flush_half(Half h) {
  if constexpr (Ftz) {
    return Half{(h.bits & Format::kInfinity) == 0 ? h.bits & kHalfSign : h.bits};
  } else {
    return h;
  }
}

/// Exact; a NaN keeps its payload.
template <typename Format>
HEDDLE_INLINE float widen(Half h) {
  if constexpr (Format::kMantissaBits == 7) {
    return bits_as<float>(h.bits << 16);
  } else {
    const std::uint32_t sign = (h.bits & 0x8000) << 16, low = (h.bits & 0x7fff) << 13;
    constexpr float kScale = 5192296858534827628530496329220096.0f;  // 2^112: the difference of the exponent biases;
                                                                     // also normalises subnormals
    const std::uint32_t scaled = bits_as<std::uint32_t>(bits_as<float>(low) * kScale);
    return bits_as<float>(sign | (low >= 0x0f800000 ? low | 0x7f800000 : scaled));
  }
}

/// x (single or double) rounded once. NaN gives 0x7fff.
template <typename Format, unsigned Mode, typename T>
HEDDLE_INLINE Half narrow(T x) {
  using U = BitsOf<T>;
  using S = std::make_signed_t<U>;
  constexpr int kMantissa = FloatTraits<T>::kMantissaBits, kCut = kMantissa - Format::kMantissaBits;
  constexpr U kHidden = U{1} << kMantissa, kInfinite = FloatTraits<T>::kInfinity;
  const U bits = bits_as<U>(x), absolute = bits & ~FloatTraits<T>::kSign;
  const U sign = bits >> (8 * sizeof(T) - 16) & kHalfSign;
  const bool negative = sign != 0;
  const U field = absolute >> kMantissa;
  const S exponent = static_cast<S>(field != 0 ? field : 1) - FloatTraits<T>::kBias + Format::kBias;
  // Below the smallest normal more bits are dropped; two guard bits suffice for rounding.
  constexpr S kMost = kMantissa + 2 - kCut;
  const S wanted = 1 - exponent, positive = wanted > 0 ? wanted : 0, below = positive < kMost ? positive : kMost;
  const U cut = static_cast<U>(kCut + below);
  const U mantissa = (absolute & (kHidden - 1)) | (field != 0 ? kHidden : 0);
  const U kept = mantissa >> cut, rest = mantissa & ((U{1} << cut) - 1), half = U{1} << (cut - 1);
  // Integer selects rather than && and ||, which would prevent vectorisation.
  U up = 0;
  if constexpr (Mode == kNearest) up = rest > half ? U{1} : (rest == half ? kept & 1 : U{0});
  if constexpr (Mode == kDown) up = rest != 0 ? (negative ? U{1} : U{0}) : U{0};
  if constexpr (Mode == kUp) up = rest != 0 ? (negative ? U{0} : U{1}) : U{0};
  // Adding the hidden bit increments the exponent field by one, as does a carry out of the mantissa.
  const U base = static_cast<U>(exponent > 1 ? exponent - 1 : 0) << Format::kMantissaBits;
  U result = base + kept + up;
  const bool to_infinity = Mode == kNearest || (Mode == kDown ? negative : (Mode == kUp && !negative));
  const U overflow = to_infinity ? Format::kInfinity : Format::kInfinity - 1;
  result = result >= Format::kInfinity ? overflow : result;
  result = absolute == kInfinite ? U{Format::kInfinity} : result;
  return Half{static_cast<std::uint32_t>(absolute > kInfinite ? U{kHalfNan} : sign | result)};
}

/// Rounded, flushed, saturated.
template <typename Format, bool Ftz, bool Sat>
HEDDLE_INLINE Half finish_half(typename Format::Work x) {
  if constexpr (Sat) x = saturate<true>(x);
  return flush_half<Ftz, Format>(narrow<Format, kNearest>(x));
}

}  // namespace
}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
