// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic: add, sub, mul, mad, mul24, mad24, sad, div, rem, abs, neg, min, max, and the carry forms.
#include "isa/semantics/lane_loop.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

template <typename T>
constexpr T kMinimum = std::is_signed_v<T> ? static_cast<T>(T{1} << (8 * sizeof(T) - 1)) : T{0};
template <typename T>
constexpr T kMaximum = static_cast<T>(~kMinimum<T>);

template <unsigned Bytes, bool Signed>
struct IntegerOf;
template <>
struct IntegerOf<2, false> {
  using Type = std::uint16_t;
};
template <>
struct IntegerOf<2, true> {
  using Type = std::int16_t;
};
template <>
struct IntegerOf<4, false> {
  using Type = std::uint32_t;
};
template <>
struct IntegerOf<4, true> {
  using Type = std::int32_t;
};
template <>
struct IntegerOf<8, false> {
  using Type = std::uint64_t;
};
template <>
struct IntegerOf<8, true> {
  using Type = std::int64_t;
};
template <>
struct IntegerOf<16, false> {
  using Type = unsigned __int128;
};
template <>
struct IntegerOf<16, true> {
  using Type = __int128;
};
/// The type of twice the width: holds any sum or product of two T.
template <typename T>
using Twice = typename IntegerOf<2 * sizeof(T), std::is_signed_v<T>>::Type;
/// Unsigned type for wrapping arithmetic, at least as wide as int.
template <typename T>
using Modular = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <typename T>
HEDDLE_INLINE T wrap_add(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) + static_cast<Modular<T>>(b));
}
template <typename T>
HEDDLE_INLINE T wrap_subtract(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) - static_cast<Modular<T>>(b));
}
template <typename T>
HEDDLE_INLINE T wrap_multiply(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) * static_cast<Modular<T>>(b));
}
template <typename T>
HEDDLE_INLINE T high_multiply(T a, T b) {
  return static_cast<T>((static_cast<Twice<T>>(a) * static_cast<Twice<T>>(b)) >> (8 * sizeof(T)));
}

template <typename T>
struct Add {
  HEDDLE_INLINE T operator()(T a, T b) const { return wrap_add(a, b); }
};
template <typename T>
struct Subtract {
  HEDDLE_INLINE T operator()(T a, T b) const { return wrap_subtract(a, b); }
};
template <typename T>
struct MultiplyLow {
  HEDDLE_INLINE T operator()(T a, T b) const { return wrap_multiply(a, b); }
};
template <typename T>
struct MultiplyHigh {
  HEDDLE_INLINE T operator()(T a, T b) const { return high_multiply(a, b); }
};
template <typename T>
struct MultiplyWide {
  HEDDLE_INLINE Twice<T> operator()(T a, T b) const { return static_cast<Twice<T>>(a) * static_cast<Twice<T>>(b); }
};
template <typename T>
struct MultiplyAddLow {
  HEDDLE_INLINE T operator()(T a, T b, T c) const { return wrap_add(wrap_multiply(a, b), c); }
};
template <typename T>
struct MultiplyAddHigh {
  HEDDLE_INLINE T operator()(T a, T b, T c) const { return wrap_add(high_multiply(a, b), c); }
};
template <typename T>
struct MultiplyAddWide {
  HEDDLE_INLINE Twice<T> operator()(T a, T b, Twice<T> c) const {
    return wrap_add<Twice<T>>(static_cast<Twice<T>>(a) * static_cast<Twice<T>>(b), c);
  }
};

/// a + b clamped to the range of s32: on overflow, the bound with the sign of a.
HEDDLE_INLINE std::int32_t saturating_add(std::int32_t a, std::int32_t b) {
  const std::int32_t sum = wrap_add(a, b);
  const bool overflow = ((a ^ sum) & (b ^ sum)) < 0;
  return overflow ? (a < 0 ? kMinimum<std::int32_t> : kMaximum<std::int32_t>) : sum;
}
struct AddSaturating {
  HEDDLE_INLINE std::int32_t operator()(std::int32_t a, std::int32_t b) const { return saturating_add(a, b); }
};
struct SubtractSaturating {
  HEDDLE_INLINE std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    const std::int32_t difference = wrap_subtract(a, b);
    const bool overflow = ((a ^ b) & (a ^ difference)) < 0;
    return overflow ? (a < 0 ? kMinimum<std::int32_t> : kMaximum<std::int32_t>) : difference;
  }
};
struct MultiplyAddHighSaturating {
  HEDDLE_INLINE std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return saturating_add(high_multiply(a, b), c);
  }
};

/// Product of the low 24 bits, as 48 bits; mul24.lo gives bits 31..0 and mul24.hi bits 47..16.
template <typename T, bool High>
HEDDLE_INLINE T multiply24(T a, T b) {
  Twice<T> product;
  if constexpr (std::is_signed_v<T>) {
    const auto low24 = [](T v) { return static_cast<T>(static_cast<std::uint32_t>(v) << 8) >> 8; };
    product = static_cast<Twice<T>>(low24(a)) * low24(b);
  } else {
    product = static_cast<Twice<T>>(a & 0xffffff) * (b & 0xffffff);
  }
  return static_cast<T>(High ? product >> 16 : product);
}
template <typename T, bool High>
struct Multiply24 {
  HEDDLE_INLINE T operator()(T a, T b) const { return multiply24<T, High>(a, b); }
};
template <typename T, bool High>
struct MultiplyAdd24 {
  HEDDLE_INLINE T operator()(T a, T b, T c) const { return wrap_add(multiply24<T, High>(a, b), c); }
};
struct MultiplyAdd24Saturating {
  HEDDLE_INLINE std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return saturating_add(multiply24<std::int32_t, true>(a, b), c);
  }
};

template <typename T>
struct SumOfDifference {
  HEDDLE_INLINE T operator()(T a, T b, T c) const {
    return wrap_add(c, a < b ? wrap_subtract(b, a) : wrap_subtract(a, b));
  }
};

/// floor(a / b) for b != 0. Exact: a non-integral quotient of 32-bit integers differs from the next integer by more
/// than a double's rounding error.
HEDDLE_INLINE std::uint32_t divide_by_double(std::uint32_t a, std::uint32_t b) {
  constexpr double kRound = 4503599627370496.0;  // 2^52: adding it rounds to an integer, held in the low bits
  const double dividend = static_cast<double>(a), divisor = static_cast<double>(b);
  double quotient = (dividend / divisor + kRound) - kRound;
  quotient = quotient * divisor > dividend ? quotient - 1.0 : quotient;
  return static_cast<std::uint32_t>(bits_as<std::uint64_t>(quotient + kRound));
}

/// Quotient, or remainder. Division by zero gives all ones for both; the most negative number by -1 gives itself and 0.
template <typename T, bool Remainder>
struct Divide {
  HEDDLE_INLINE T operator()(T a, T b) const {
    using U = std::make_unsigned_t<T>;
    const bool negative_a = std::is_signed_v<T> && a < 0, negative_b = std::is_signed_v<T> && b < 0;
    const auto magnitude_a = static_cast<U>(negative_a ? wrap_subtract(T{0}, a) : a);
    const auto magnitude_b = static_cast<U>(negative_b ? wrap_subtract(T{0}, b) : b);
    const U divisor = magnitude_b == 0 ? U{1} : magnitude_b;
    U quotient;
    if constexpr (sizeof(T) == 8) {
      quotient = magnitude_a / divisor;
    } else {
      quotient = static_cast<U>(divide_by_double(magnitude_a, divisor));
    }
    T result;
    if constexpr (Remainder) {
      const auto rest =
          static_cast<T>(static_cast<Modular<T>>(magnitude_a) - static_cast<Modular<T>>(quotient) * divisor);
      result = negative_a ? wrap_subtract(T{0}, rest) : rest;
    } else {
      const auto value = static_cast<T>(quotient);
      result = negative_a != negative_b ? wrap_subtract(T{0}, value) : value;
    }
    return b == 0 ? static_cast<T>(~T{0}) : result;
  }
};

template <typename T>
struct Absolute {
  HEDDLE_INLINE T operator()(T a) const { return a < 0 ? wrap_subtract(T{0}, a) : a; }
};
template <typename T>
struct Negate {
  HEDDLE_INLINE T operator()(T a) const { return wrap_subtract(T{0}, a); }
};
template <typename T>
struct Minimum {
  HEDDLE_INLINE T operator()(T a, T b) const { return a < b ? a : b; }
};
template <typename T>
struct Maximum {
  HEDDLE_INLINE T operator()(T a, T b) const { return a > b ? a : b; }
};

/// Sum (or a - b) with the carry (or borrow) in and out of the condition code.
template <typename T, bool Subtraction>
struct AddCarry {
  HEDDLE_INLINE static T result(T a, T b, T, bool in, bool& out) {
    if constexpr (Subtraction) {
      out = a < b || (in && a == b);
      return a - b - static_cast<T>(in);
    } else {
      const T sum = a + b;
      const T total = sum + static_cast<T>(in);
      out = sum < a || total < sum;
      return total;
    }
  }
  static constexpr unsigned kSources = 2;
};
template <typename T, typename Product>
struct MultiplyAddCarry {
  using U = std::make_unsigned_t<T>;
  HEDDLE_INLINE static U result(U a, U b, U c, bool in, bool& out) {
    const auto product = static_cast<U>(Product{}(static_cast<T>(a), static_cast<T>(b)));
    return AddCarry<U, false>::result(product, c, 0, in, out);
  }
  static constexpr unsigned kSources = 3;
};

template <typename F, typename U>
void carry_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  const bool reads = op.opcode == Opcode::addc || op.opcode == Opcode::subc || op.opcode == Opcode::madc;
  const std::uint32_t carry_in = reads ? predicate(op.sources[F::kSources], bases) : 0;
  const U* a = source<U>(op, bases, 0);
  const U* b = source<U>(op, bases, 1);
  const U* c = F::kSources == 3 ? source<U>(op, bases, 2) : b;
  alignas(64) U result[kWordThreads];
  std::uint32_t carry_out = 0;
  for (unsigned i = 0; i < kWordThreads; ++i) {
    bool out;
    result[i] = F::result(a[i], b[i], c[i], (carry_in & kLaneBits[i]) != 0, out);
    carry_out |= out ? kLaneBits[i] : 0u;
  }
  store_lanes(destination<U>(op, bases), result, mask);
  if (op.carry_out) store_predicate(op.destinations[1], bases, carry_out, mask);
}

template <typename T>
LaneFunction find_carry(const MicroOp& op) {
  using U = std::make_unsigned_t<T>;
  switch (op.opcode) {
    case Opcode::add:
    case Opcode::addc:
      return carry_lanes<AddCarry<U, false>, U>;
    case Opcode::sub:
    case Opcode::subc:
      return carry_lanes<AddCarry<U, true>, U>;
    case Opcode::mad:
    case Opcode::madc:
      return op.mul_mode == MulMode::hi ? carry_lanes<MultiplyAddCarry<T, MultiplyHigh<T>>, U>
                                        : carry_lanes<MultiplyAddCarry<T, MultiplyLow<T>>, U>;
    default:
      return nullptr;
  }
}

template <typename T>
LaneFunction find_multiply(const MicroOp& op) {
  const bool add = op.opcode == Opcode::mad;
  switch (op.mul_mode) {
    case MulMode::hi:
      return add ? lanes<MultiplyAddHigh<T>, T, T, T, T> : lanes<MultiplyHigh<T>, T, T, T>;
    case MulMode::wide:
      if constexpr (sizeof(T) < 8) {
        return add ? lanes<MultiplyAddWide<T>, Twice<T>, T, T, Twice<T>> : lanes<MultiplyWide<T>, Twice<T>, T, T>;
      }
      return nullptr;
    default:
      return add ? lanes<MultiplyAddLow<T>, T, T, T, T> : lanes<MultiplyLow<T>, T, T, T>;
  }
}

template <typename T>
LaneFunction find_of_type(const MicroOp& op) {
  if constexpr (sizeof(T) >= 4) {
    const bool carries =
        op.carry_out || op.opcode == Opcode::addc || op.opcode == Opcode::subc || op.opcode == Opcode::madc;
    if (carries) return find_carry<T>(op);
  }
  if constexpr (sizeof(T) == 4) {
    const bool high = op.mul_mode == MulMode::hi;
    if (op.opcode == Opcode::mul24)
      return high ? lanes<Multiply24<T, true>, T, T, T> : lanes<Multiply24<T, false>, T, T, T>;
    if (op.opcode == Opcode::mad24) {
      if (op.saturate) return lanes<MultiplyAdd24Saturating, std::int32_t, std::int32_t, std::int32_t, std::int32_t>;
      return high ? lanes<MultiplyAdd24<T, true>, T, T, T, T> : lanes<MultiplyAdd24<T, false>, T, T, T, T>;
    }
  }
  switch (op.opcode) {
    case Opcode::add:
      return lanes<Add<T>, T, T, T>;
    case Opcode::sub:
      return lanes<Subtract<T>, T, T, T>;
    case Opcode::mul:
    case Opcode::mad:
      return find_multiply<T>(op);
    case Opcode::sad:
      return lanes<SumOfDifference<T>, T, T, T, T>;
    case Opcode::div_:
      return lanes<Divide<T, false>, T, T, T>;
    case Opcode::rem_:
      return lanes<Divide<T, true>, T, T, T>;
    case Opcode::min_:
      return lanes<Minimum<T>, T, T, T>;
    case Opcode::max_:
      return lanes<Maximum<T>, T, T, T>;
    case Opcode::neg:
      return lanes<Negate<T>, T, T>;
    case Opcode::abs_:
      if constexpr (std::is_signed_v<T>) return lanes<Absolute<T>, T, T>;
      return nullptr;
    default:
      return nullptr;
  }
}

LaneFunction find_saturating(const MicroOp& op) {
  using S = std::int32_t;
  switch (op.opcode) {
    case Opcode::add:
      return lanes<AddSaturating, S, S, S>;
    case Opcode::sub:
      return lanes<SubtractSaturating, S, S, S>;
    case Opcode::mad:
      return lanes<MultiplyAddHighSaturating, S, S, S, S>;
    case Opcode::mad24:
      return lanes<MultiplyAdd24Saturating, S, S, S, S>;
    default:
      return nullptr;
  }
}

}  // namespace

LaneFunction find_integer(const MicroOp& op) {
  if (op.saturate) return op.type == DataType::s32 ? find_saturating(op) : nullptr;
  switch (op.type) {
    case DataType::u16:
      return find_of_type<std::uint16_t>(op);
    case DataType::s16:
      return find_of_type<std::int16_t>(op);
    case DataType::u32:
      return find_of_type<std::uint32_t>(op);
    case DataType::s32:
      return find_of_type<std::int32_t>(op);
    case DataType::u64:
      return find_of_type<std::uint64_t>(op);
    case DataType::s64:
      return find_of_type<std::int64_t>(op);
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
