// SPDX-License-Identifier: Apache-2.0
// cvt with .relu and .satfinite, and to and from the conversion-only formats tf32, e4m3x2 and e5m2x2.
#include "isa/semantics/half.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

using U32 = std::uint32_t;

/// Applies .relu and .satfinite to the bits of a rounded value.
struct Finish {
  bool relu, finite;
  HEDDLE_INLINE explicit Finish(const MicroOp& op) : relu(op.relu), finite(op.finite) {}
  HEDDLE_INLINE U32 operator()(U32 bits, U32 sign, U32 infinity, U32 largest, U32 nan) const {
    const U32 magnitude = bits & (sign - 1);
    if (magnitude > infinity) return nan;
    if (relu && (bits & sign) != 0) return 0;
    return finite && magnitude == infinity ? (bits & sign) | largest : bits;
  }
};

template <typename Format, unsigned Mode>
struct ToHalf {
  Finish finish;
  HEDDLE_INLINE explicit ToHalf(const MicroOp& op) : finish(op) {}
  HEDDLE_INLINE U32 operator()(float x) const {
    return finish(narrow<Format, Mode>(x).bits, kHalfSign, Format::kInfinity, Format::kInfinity - 1, kHalfNan);
  }
};
template <typename Format, unsigned Mode>
struct ToHalfPair {
  ToHalf<Format, Mode> one;
  HEDDLE_INLINE explicit ToHalfPair(const MicroOp& op) : one(op) {}
  HEDDLE_INLINE U32 operator()(float a, float b) const { return one(a) << 16 | one(b); }
};

/// tf32: a single with 10 bits of mantissa; the last 13 are zero.
enum class Tie { even, away, cut };
template <Tie T>
struct ToTf32 {
  Finish finish;
  HEDDLE_INLINE explicit ToTf32(const MicroOp& op) : finish(op) {}
  HEDDLE_INLINE U32 operator()(float x) const {
    const U32 bits = bits_as<U32>(x), magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return 0x7fffffff;
    U32 rounded = magnitude;
    if (T == Tie::even) rounded += 0xfff + (magnitude >> 13 & 1);
    if (T == Tie::away) rounded += 0x1000;
    rounded = magnitude == 0x7f800000 ? magnitude : rounded & ~U32{0x1fff};
    return finish((bits & 0x80000000) | rounded, 0x80000000, 0x7f800000, 0x7f7fe000, 0x7fffffff);
  }
};

/// The 8-bit formats. e4m3 has no infinity; its largest code is NaN.
struct E4m3 {
  static constexpr unsigned kMantissaBits = 3;
  static constexpr int kBias = 7;
  static constexpr U32 kLargest = 0x7e;
};
struct E5m2 {
  static constexpr unsigned kMantissaBits = 2;
  static constexpr int kBias = 15;
  static constexpr U32 kLargest = 0x7b;
};

/// Rounds to nearest even; overflow gives the largest finite value.
template <typename Format>
HEDDLE_INLINE U32 to_byte(float x, bool relu) {
  const U32 bits = bits_as<U32>(x), magnitude = bits & 0x7fffffff, sign = bits >> 24 & 0x80;
  if (magnitude > 0x7f800000) return 0x7f;
  if (relu && sign != 0) return 0;
  const int field = static_cast<int>(magnitude >> 23);
  const int exponent = (field != 0 ? field : 1) - 127 + Format::kBias;
  const U32 mantissa = (magnitude & 0x7fffff) | (field != 0 ? 0x800000u : 0u);
  const int below = exponent < 1 ? 1 - exponent : 0;
  const unsigned cut = 23 - Format::kMantissaBits + static_cast<unsigned>(below < 8 ? below : 8);
  const U32 kept = mantissa >> cut, rest = mantissa & ((U32{1} << cut) - 1), half = U32{1} << (cut - 1);
  const U32 up = rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
  const U32 base = static_cast<U32>(exponent > 1 ? exponent - 1 : 0) << Format::kMantissaBits;
  const U32 code = base + kept + up;
  return sign | (code > Format::kLargest ? Format::kLargest : code);
}

template <typename Format>
struct ToBytes {
  bool relu;
  HEDDLE_INLINE explicit ToBytes(const MicroOp& op) : relu(op.relu) {}
  HEDDLE_INLINE U32 operator()(float a, float b) const {
    return to_byte<Format>(a, relu) << 8 | to_byte<Format>(b, relu);
  }
};
template <typename Format>
struct PairToBytes {
  bool relu;
  HEDDLE_INLINE explicit PairToBytes(const MicroOp& op) : relu(op.relu) {}
  HEDDLE_INLINE U32 operator()(U32 pair) const {
    return to_byte<Format>(widen<Binary16>(Half{pair >> 16}), relu) << 8 |
           to_byte<Format>(widen<Binary16>(Half{pair & 0xffff}), relu);
  }
};

/// Converts a byte to half precision; exact.
template <typename Format>
HEDDLE_INLINE U32 from_byte(U32 byte, bool relu) {
  const U32 magnitude = byte & 0x7f;
  if (Format::kMantissaBits == 3 ? magnitude == 0x7f : magnitude > 0x7c) return kHalfNan;
  if (relu && (byte & 0x80) != 0) return 0;
  if (Format::kMantissaBits == 2) return byte << 8;
  const U32 field = magnitude >> 3, mantissa = magnitude & 7;
  const float value =
      field == 0 ? static_cast<float>(mantissa) * 0x1p-9f : bits_as<float>((field + 120) << 23 | mantissa << 20);
  return (byte & 0x80) << 8 | narrow<Binary16, kNearest>(value).bits;
}
template <typename Format>
struct FromBytes {
  bool relu;
  HEDDLE_INLINE explicit FromBytes(const MicroOp& op) : relu(op.relu) {}
  HEDDLE_INLINE U32 operator()(Half pair) const {
    return from_byte<Format>(pair.bits >> 8, relu) << 16 | from_byte<Format>(pair.bits & 0xff, relu);
  }
};

template <typename Format>
LaneFunction find_half_target(const MicroOp& op) {
  const bool pair = op.type == DataType::f16x2 || op.type == DataType::bf16x2;
  switch (op.rounding) {
    case Rounding::rn:
      return pair ? lanes<ToHalfPair<Format, kNearest>, U32, float, float>
                  : lanes<ToHalf<Format, kNearest>, U32, float>;
    case Rounding::rz:
      return pair ? lanes<ToHalfPair<Format, kToZero>, U32, float, float> : lanes<ToHalf<Format, kToZero>, U32, float>;
    case Rounding::rm:
      return pair ? lanes<ToHalfPair<Format, kDown>, U32, float, float> : lanes<ToHalf<Format, kDown>, U32, float>;
    default:
      return pair ? lanes<ToHalfPair<Format, kUp>, U32, float, float> : lanes<ToHalf<Format, kUp>, U32, float>;
  }
}

template <typename Format>
LaneFunction find_byte_target(const MicroOp& op) {
  if (op.source_type == DataType::f32) return lanes<ToBytes<Format>, U32, float, float>;
  return op.source_type == DataType::f16x2 ? lanes<PairToBytes<Format>, U32, U32> : nullptr;
}

}  // namespace

LaneFunction find_convert_small(const MicroOp& op) {
  if (op.opcode != Opcode::cvt) return nullptr;
  switch (op.type) {
    case DataType::tf32:
      if (op.rounding == Rounding::rna) return lanes<ToTf32<Tie::away>, U32, float>;
      if (op.rounding == Rounding::rn) return lanes<ToTf32<Tie::even>, U32, float>;
      return op.rounding == Rounding::rz ? lanes<ToTf32<Tie::cut>, U32, float> : nullptr;
    case DataType::e4m3x2:
      return find_byte_target<E4m3>(op);
    case DataType::e5m2x2:
      return find_byte_target<E5m2>(op);
    case DataType::f16x2:
      if (op.source_type == DataType::e4m3x2) return lanes<FromBytes<E4m3>, U32, Half>;
      if (op.source_type == DataType::e5m2x2) return lanes<FromBytes<E5m2>, U32, Half>;
      [[fallthrough]];
    case DataType::f16:
      return op.relu || op.finite ? find_half_target<Binary16>(op) : nullptr;
    case DataType::bf16:
    case DataType::bf16x2:
      return op.relu || op.finite ? find_half_target<BrainFloat16>(op) : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
