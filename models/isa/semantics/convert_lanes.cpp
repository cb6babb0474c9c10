// SPDX-License-Identifier: Apache-2.0
// cvt between all integer and floating-point types.
//
// 8- and 16-bit integers are widened to 32 bits when read and clamped or truncated from 32 bits when written, so the
// table only needs rows for 32 and 64 bits.
#include "isa/semantics/half.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

using S32 = std::int32_t;
using U32 = std::uint32_t;
using S64 = std::int64_t;
using U64 = std::uint64_t;

template <typename T>
constexpr T kMinimum = std::is_signed_v<T> ? static_cast<T>(T{1} << (8 * sizeof(T) - 1)) : T{0};
template <typename T>
constexpr T kMaximum = static_cast<T>(~kMinimum<T>);

HEDDLE_INLINE constexpr unsigned bits_of(DataType type) {
  switch (type) {
    case DataType::u8:
    case DataType::s8:
    case DataType::b8:
      return 8;
    case DataType::u16:
    case DataType::s16:
    case DataType::b16:
    case DataType::f16:
    case DataType::bf16:
      return 16;
    case DataType::u64:
    case DataType::s64:
    case DataType::b64:
    case DataType::f64:
      return 64;
    default:
      return 32;
  }
}
HEDDLE_INLINE constexpr bool is_signed_integer(DataType type) {
  return type == DataType::s8 || type == DataType::s16 || type == DataType::s32 || type == DataType::s64;
}

HEDDLE_INLINE constexpr bool is_integer(DataType type) {
  return is_signed_integer(type) || type == DataType::u8 || type == DataType::u16 || type == DataType::u32 ||
         type == DataType::u64;
}

/// Truncates a 32-bit value and extends it again by T's signedness.
template <typename T>
HEDDLE_INLINE T keep_low(T value, unsigned dropped) {
  if constexpr (sizeof(T) == 8) {
    return value;
  } else {
    return static_cast<T>(static_cast<T>(static_cast<U32>(value) << dropped) >> dropped);
  }
}

/// value as T, clamped to [low, high].
template <typename T, typename S>
HEDDLE_INLINE T clamp_integer(S value, T low, T high) {
  if constexpr (std::is_signed_v<S> && std::is_signed_v<T>) {
    const auto wide = static_cast<S64>(value);
    return static_cast<T>(wide < low ? low : (wide > high ? high : wide));
  } else {
    const bool negative = std::is_signed_v<S> && value < S{0};
    const auto wide = static_cast<U64>(value);
    return negative ? low : (wide > static_cast<U64>(high) ? high : static_cast<T>(wide));
  }
}

/// Range and width of an integer destination of at most 64 bits, computed in T.
template <typename T>
struct IntegerTarget {
  unsigned dropped;
  T low, high;
  HEDDLE_INLINE explicit IntegerTarget(DataType type)
      : dropped(sizeof(T) == 8 ? 0 : 32 - bits_of(type)),
        low(static_cast<T>(kMinimum<T> >> dropped)),
        high(static_cast<T>(kMaximum<T> >> dropped)) {}
};

template <typename D, typename S, bool Sat>
struct IntegerToInteger {
  unsigned source_dropped;
  IntegerTarget<D> target;
  HEDDLE_INLINE explicit IntegerToInteger(const MicroOp& op)
      : source_dropped(sizeof(S) == 8 ? 0 : 32 - bits_of(op.source_type)), target(op.type) {}
  HEDDLE_INLINE D operator()(S cell) const {
    const S value = keep_low(cell, source_dropped);
    if constexpr (Sat) return clamp_integer<D, S>(value, target.low, target.high);
    return keep_low(static_cast<D>(value), target.dropped);
  }
};

/// |value| and its sign, as a double rounded to odd (53 bits): exact below 2^53.
template <typename S>
HEDDLE_INLINE double to_double_odd(S value) {
  if constexpr (sizeof(S) == 4) {
    return static_cast<double>(value);
  } else {
    const bool negative = std::is_signed_v<S> && value < S{0};
    const U64 magnitude = negative ? U64{0} - static_cast<U64>(value) : static_cast<U64>(value);
    const bool wide = magnitude >> 53 != 0;
    const U64 kept = wide ? (magnitude >> 11 | ((magnitude & 0x7ff) != 0 ? 1 : 0)) : magnitude;
    const double scaled = static_cast<double>(static_cast<S64>(kept)) * (wide ? 2048.0 : 1.0);
    return negative ? -scaled : scaled;
  }
}

/// A 64-bit integer rounded to double.
template <unsigned Mode, typename S>
HEDDLE_INLINE double to_double(S value) {
  if constexpr (sizeof(S) == 4 || Mode == kNearest) {
    return static_cast<double>(value);
  } else {
    const bool negative = std::is_signed_v<S> && value < S{0};
    const U64 magnitude = negative ? U64{0} - static_cast<U64>(value) : static_cast<U64>(value);
    unsigned cut = 0;
    for (unsigned i = 0; i < 11; ++i) cut += magnitude >> (53 + i) != 0 ? 1 : 0;
    const U64 kept = magnitude >> cut;
    const bool rest = (kept << cut) != magnitude;
    const bool up = rest && (Mode == kUp ? !negative : Mode == kDown && negative);
    const double result = static_cast<double>(static_cast<S64>(kept + (up ? 1 : 0))) * static_cast<double>(1u << cut);
    return negative ? -result : result;
  }
}

template <typename D, typename S, unsigned Mode>
struct IntegerToFloat {
  unsigned source_dropped;
  bool saturated;
  HEDDLE_INLINE explicit IntegerToFloat(const MicroOp& op)
      : source_dropped(sizeof(S) == 8 ? 0 : 32 - bits_of(op.source_type)), saturated(op.saturate) {}
  HEDDLE_INLINE D operator()(S cell) const {
    const S value = keep_low(cell, source_dropped);
    D result;
    if constexpr (sizeof(D) == 8) {
      result = to_double<Mode>(value);
    } else if constexpr (std::is_same_v<S, S32> && Mode == kNearest) {
      result = static_cast<float>(value);
    } else {
      result = to_single<Mode>(to_double_odd(value));
    }
    return saturated ? saturate<true>(result) : result;
  }
};

/// Rounds to an integral value in the same format; preserves -0 and the sign of results that become zero.
template <unsigned Mode, typename T>
HEDDLE_INLINE T round_integral(T x) {
  constexpr T kUnits = sizeof(T) == 4 ? T(8388608.0) : T(4503599627370496.0);  // all values from here on are integral
  const T a = magnitude(x);
  T nearest = a < kUnits ? (a + kUnits) - kUnits : a;
  if constexpr (Mode == kToZero) nearest = nearest > a ? nearest - T(1) : nearest;
  T result = with_sign_of(nearest, x);
  if constexpr (Mode == kDown) result = result > x ? result - T(1) : result;
  if constexpr (Mode == kUp) result = with_sign_of(result < x ? result + T(1) : result, x);
  return result;
}

/// Clamps to the range of D. NaN gives 0, or only the top bit set for f64 sources and 64-bit destinations.
template <typename D, unsigned Mode, typename T>
HEDDLE_INLINE D to_integer(T x, const IntegerTarget<D>& target, D nan) {
  constexpr T kEnd = std::is_signed_v<D> ? (sizeof(D) == 4 ? T(2147483648.0) : T(9223372036854775808.0))
                                         : (sizeof(D) == 4 ? T(4294967296.0) : T(18446744073709551616.0));
  constexpr T kStart = std::is_signed_v<D> ? -kEnd : T(0);
  const T r = round_integral<Mode>(x);
  const bool inside = r >= kStart && r < kEnd;
  D value = static_cast<D>(inside ? r : T(0));
  value = inside ? value : (r < kStart ? kMinimum<D> : kMaximum<D>);
  value = value < target.low ? target.low : (value > target.high ? target.high : value);
  return is_nan(x) ? nan : value;
}

template <typename T>
HEDDLE_INLINE T flush_if(bool ftz, T x) {
  return ftz ? flush<true>(x) : x;
}

/// Sources of a conversion: f32, f64 and the half formats as single precision.
template <typename Tag>
struct FloatSource {
  using Register = Tag;
  HEDDLE_INLINE static Tag value(Tag cell) { return cell; }
};
template <>
struct FloatSource<Binary16> {
  using Register = Half;
  HEDDLE_INLINE static float value(Half cell) { return widen<Binary16>(cell); }
};
template <>
struct FloatSource<BrainFloat16> {
  using Register = Half;
  HEDDLE_INLINE static float value(Half cell) { return widen<BrainFloat16>(cell); }
};

template <typename D, typename T, unsigned Mode>
struct FloatToInteger {
  IntegerTarget<D> target;
  D nan;
  bool ftz;
  HEDDLE_INLINE explicit FloatToInteger(const MicroOp& op)
      : target(op.type), nan(0), ftz(op.flush_to_zero && sizeof(T) == 4) {
    if (sizeof(T) == 8 || bits_of(op.type) == 64) {
      nan = keep_low(static_cast<D>(D{1} << (bits_of(op.type) - 1)), target.dropped);
    }
  }
  HEDDLE_INLINE D operator()(T x) const { return to_integer<D, Mode>(flush_if(ftz, x), target, nan); }
};

/// Between floating-point types; Integral: to an integral value of the same type.
template <typename Tag, typename SourceTag, unsigned Mode, bool Integral>
struct FloatToFloat {
  using Register = typename FloatSource<SourceTag>::Register;
  bool ftz, saturated;
  HEDDLE_INLINE explicit FloatToFloat(const MicroOp& op) : ftz(op.flush_to_zero), saturated(op.saturate) {}
  HEDDLE_INLINE auto operator()(Register cell) const {
    auto x = FloatSource<SourceTag>::value(cell);
    if constexpr (std::is_same_v<SourceTag, float>) x = flush_if(ftz, x);
    const auto given = x;
    if constexpr (Integral) x = round_integral<Mode>(x);
    if (saturated) x = saturate<true>(x);
    if constexpr (std::is_same_v<Tag, double>) {
      const double r = static_cast<double>(x);
      return std::is_same_v<SourceTag, double> ? (is_nan(given) && !saturated ? quiet(static_cast<double>(given)) : r)
                                               : r;
    } else if constexpr (std::is_same_v<Tag, float>) {
      float r;
      if constexpr (std::is_same_v<SourceTag, double>) {
        r = to_single<Mode>(x);
      } else {
        r = x;
      }
      return result_of(flush_if(ftz, r));
    } else {
      return narrow<Tag, Mode>(x);
    }
  }
};

/// cvt.rn.f16x2.f32 d, a, b: a into the upper half.
template <typename Format, unsigned Mode>
struct PackHalves {
  HEDDLE_INLINE U32 operator()(float a, float b) const {
    return narrow<Format, Mode>(a).bits << 16 | narrow<Format, Mode>(b).bits;
  }
};

/// Calls `pick` with the rounding mode as a constant.
template <typename Pick>
HEDDLE_INLINE LaneFunction by_mode(Rounding rounding, Pick&& pick) {
  switch (rounding_control(rounding)) {
    case kDown:
      return pick(std::integral_constant<unsigned, kDown>{});
    case kUp:
      return pick(std::integral_constant<unsigned, kUp>{});
    case kToZero:
      return pick(std::integral_constant<unsigned, kToZero>{});
    default:
      return pick(std::integral_constant<unsigned, kNearest>{});
  }
}

LaneFunction find_exact_width(const MicroOp& op);

/// The row of `op` with its source replaced by cells of another type.
template <typename C>
HEDDLE_INLINE void convert_cells(const MicroOp& op, std::byte* const* bases, std::uint32_t mask, DataType type,
                                 C* cells) {
  MicroOp inner = op;
  inner.source_type = type;
  inner.sources[0].base = Operand::Base::constants;
  inner.sources[0].offset = 0;
  std::byte* const inner_bases[2] = {bases[0], reinterpret_cast<std::byte*>(cells)};
  find_exact_width(inner)(inner, inner_bases, mask);
}

/// Integer to half precision via a double rounded to odd, which rounds to 16 bits as the integer would.
template <typename S>
void integer_to_half_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  const unsigned dropped = sizeof(S) == 8 ? 0 : 32 - bits_of(op.source_type);
  const Cell<S>* from = source<S>(op, bases, 0);
  alignas(64) U64 cells[kWordThreads];
  for (unsigned i = 0; i < kWordThreads; ++i) {
    cells[i] = to_cell<double>(to_double_odd(keep_low(from_cell<S>(from[i]), dropped)));
  }
  convert_cells(op, bases, mask, DataType::f64, cells);
}

/// Half precision to integer via single precision.
template <typename Format>
void half_to_integer_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  const U32* from = source<Half>(op, bases, 0);
  alignas(64) U32 cells[kWordThreads];
  for (unsigned i = 0; i < kWordThreads; ++i) cells[i] = to_cell<float>(widen<Format>(from_cell<Half>(from[i])));
  MicroOp unflushed = op;  // .ftz applies to single-precision operands only
  unflushed.flush_to_zero = false;
  convert_cells(unflushed, bases, mask, DataType::f32, cells);
}

template <typename S>
LaneFunction from_integer(const MicroOp& op) {
  switch (op.type) {
    case DataType::s8:
    case DataType::s16:
    case DataType::s32:
      return op.saturate ? lanes<IntegerToInteger<S32, S, true>, S32, S>
                         : lanes<IntegerToInteger<S32, S, false>, S32, S>;
    case DataType::u8:
    case DataType::u16:
    case DataType::u32:
      return op.saturate ? lanes<IntegerToInteger<U32, S, true>, U32, S>
                         : lanes<IntegerToInteger<U32, S, false>, U32, S>;
    case DataType::s64:
      return op.saturate ? lanes<IntegerToInteger<S64, S, true>, S64, S>
                         : lanes<IntegerToInteger<S64, S, false>, S64, S>;
    case DataType::u64:
      return op.saturate ? lanes<IntegerToInteger<U64, S, true>, U64, S>
                         : lanes<IntegerToInteger<U64, S, false>, U64, S>;
    case DataType::f32:
      return by_mode(op.rounding, [](auto mode) { return lanes<IntegerToFloat<float, S, mode.value>, float, S>; });
    case DataType::f64:
      return by_mode(op.rounding, [](auto mode) { return lanes<IntegerToFloat<double, S, mode.value>, double, S>; });
    case DataType::f16:
    case DataType::bf16:
      return integer_to_half_lanes<S>;
    default:
      return nullptr;
  }
}

template <typename Tag, typename SourceTag>
LaneFunction to_float(const MicroOp& op) {
  using D = typename FloatSource<Tag>::Register;
  using S = typename FloatSource<SourceTag>::Register;
  constexpr bool kSame = std::is_same_v<Tag, SourceTag>;
  const bool integral = op.rounding == Rounding::rni || op.rounding == Rounding::rzi || op.rounding == Rounding::rmi ||
                        op.rounding == Rounding::rpi;
  if constexpr (kSame) {
    if (!integral) return lanes<FloatToFloat<Tag, SourceTag, kNearest, false>, D, S>;
    return by_mode(op.rounding, [](auto mode) { return lanes<FloatToFloat<Tag, SourceTag, mode.value, true>, D, S>; });
  } else {
    return by_mode(op.rounding, [](auto mode) { return lanes<FloatToFloat<Tag, SourceTag, mode.value, false>, D, S>; });
  }
}

template <typename Tag>
LaneFunction to_integer_type(const MicroOp& op) {
  switch (op.type) {
    case DataType::s8:
    case DataType::s16:
    case DataType::s32:
      return by_mode(op.rounding, [](auto mode) { return lanes<FloatToInteger<S32, Tag, mode.value>, S32, Tag>; });
    case DataType::u8:
    case DataType::u16:
    case DataType::u32:
      return by_mode(op.rounding, [](auto mode) { return lanes<FloatToInteger<U32, Tag, mode.value>, U32, Tag>; });
    case DataType::s64:
      return by_mode(op.rounding, [](auto mode) { return lanes<FloatToInteger<S64, Tag, mode.value>, S64, Tag>; });
    case DataType::u64:
      return by_mode(op.rounding, [](auto mode) { return lanes<FloatToInteger<U64, Tag, mode.value>, U64, Tag>; });
    default:
      return nullptr;
  }
}

template <typename Tag>
LaneFunction from_float(const MicroOp& op) {
  switch (op.type) {
    case DataType::f16:
      return to_float<Binary16, Tag>(op);
    case DataType::bf16:
      return to_float<BrainFloat16, Tag>(op);
    case DataType::f32:
      return to_float<float, Tag>(op);
    case DataType::f64:
      return to_float<double, Tag>(op);
    default:
      if constexpr (std::is_floating_point_v<Tag>) return to_integer_type<Tag>(op);
      if constexpr (!std::is_floating_point_v<Tag>) return is_integer(op.type) ? half_to_integer_lanes<Tag> : nullptr;
  }
}

LaneFunction find_exact_width(const MicroOp& op) {
  if (op.type == DataType::f16x2 && op.source_type == DataType::f32) {
    return by_mode(op.rounding, [](auto mode) { return lanes<PackHalves<Binary16, mode.value>, U32, float, float>; });
  }
  if (op.type == DataType::bf16x2 && op.source_type == DataType::f32) {
    return by_mode(op.rounding,
                   [](auto mode) { return lanes<PackHalves<BrainFloat16, mode.value>, U32, float, float>; });
  }
  switch (op.source_type) {
    case DataType::s8:
    case DataType::s16:
    case DataType::s32:
      return from_integer<S32>(op);
    case DataType::u8:
    case DataType::u16:
    case DataType::u32:
      return from_integer<U32>(op);
    case DataType::s64:
      return from_integer<S64>(op);
    case DataType::u64:
      return from_integer<U64>(op);
    case DataType::f16:
      return from_float<Binary16>(op);
    case DataType::bf16:
      return from_float<BrainFloat16>(op);
    case DataType::f32:
      return from_float<float>(op);
    case DataType::f64:
      return from_float<double>(op);
    default:
      return nullptr;
  }
}

/// Registers may be wider than the converted type: reads the low half of a 64-bit source and extends into a 64-bit
/// destination by the signedness of the destination type.
void wide_register_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  // Copies all vectors to a scratch frame at the conversion's width: two sources, then the destination.
  alignas(64) std::byte frame[3][kWordThreads * 8];
  MicroOp inner = op;
  for (unsigned s = 0; s < op.source_count; ++s) {
    const bool wide = bits_of(op.sources[s].type) == 64 && bits_of(op.source_type) != 64;
    auto* to = reinterpret_cast<U32*>(frame[s]);
    if (wide) {
      const auto* from = source<U64>(op, bases, s);
      for (unsigned i = 0; i < kWordThreads; ++i) to[i] = static_cast<U32>(from[i]);
    } else {
      const std::size_t bytes = bits_of(op.source_type) == 64 ? sizeof(frame[s]) : sizeof(frame[s]) / 2;
      __builtin_memcpy(frame[s], place(op.sources[s], bases), bytes);
    }
    inner.sources[s].base = Operand::Base::frame;
    inner.sources[s].offset = static_cast<U32>(s * sizeof(frame[0]));
    inner.sources[s].type = op.source_type;
  }
  std::byte* const inner_bases[2] = {frame[0], bases[1]};
  inner.destinations[0].offset = 2 * sizeof(frame[0]);
  inner.destinations[0].type = op.type;
  find_exact_width(inner)(inner, inner_bases, kAllLanes);
  if (bits_of(op.destinations[0].type) == 64 && bits_of(op.type) != 64) {
    alignas(64) U64 result[kWordThreads];
    const auto* from = reinterpret_cast<const U32*>(frame[2]);
    for (unsigned i = 0; i < kWordThreads; ++i) {
      result[i] = is_signed_integer(op.type) ? static_cast<U64>(S64{static_cast<S32>(from[i])}) : U64{from[i]};
    }
    store_lanes(destination<U64>(op, bases), result, mask);
  } else if (bits_of(op.type) == 64) {
    store_lanes(destination<U64>(op, bases), reinterpret_cast<const U64*>(frame[2]), mask);
  } else {
    store_lanes(destination<U32>(op, bases), reinterpret_cast<const U32*>(frame[2]), mask);
  }
}

}  // namespace

LaneFunction find_convert(const MicroOp& op) {
  if (op.opcode != Opcode::cvt) return nullptr;
  const LaneFunction exact = find_exact_width(op);
  if (exact == nullptr) return nullptr;
  bool wide = bits_of(op.destinations[0].type) == 64 && bits_of(op.type) != 64;
  for (unsigned s = 0; s < op.source_count; ++s)
    wide |= bits_of(op.sources[s].type) == 64 && bits_of(op.source_type) != 64;
  return wide ? wide_register_lanes : exact;
}

}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
