// SPDX-License-Identifier: Apache-2.0
// set, setp and slct.
#include "isa/semantics/half.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

/// Types a comparison reads. Half-precision values are compared in single precision.
struct F16Tag {};
struct Bf16Tag {};

template <typename Tag>
struct Compared {
  using Register = Tag;
  template <bool Ftz>
  HEDDLE_INLINE static Tag value(Tag a) {
    if constexpr (std::is_floating_point_v<Tag>) return flush<Ftz>(a);
    return a;
  }
};
template <>
struct Compared<F16Tag> {
  using Register = Half;
  template <bool Ftz>
  HEDDLE_INLINE static float value(Half a) {
    return widen<Binary16>(flush_half<Ftz, Binary16>(a));
  }
};
template <>
struct Compared<Bf16Tag> {
  using Register = Half;
  template <bool Ftz>
  HEDDLE_INLINE static float value(Half a) {
    return widen<BrainFloat16>(flush_half<Ftz, BrainFloat16>(a));
  }
};

/// The comparisons implemented directly; all others are complements of these. An ordered comparison is false for NaN,
/// so its complement is the opposite unordered one (ltu for ge).
template <Compare C, typename T>
HEDDLE_INLINE bool compare(T a, T b) {
  switch (C) {
    case Compare::eq:
      return a == b;
    case Compare::ne:
      return a < b || a > b;
    case Compare::lt:
      return a < b;
    case Compare::le:
      return a <= b;
    case Compare::gt:
      return a > b;
    case Compare::ge:
      return a >= b;
    case Compare::num:
      return a == a && b == b;
    default:
      return false;
  }
}

template <typename Tag, Compare C, bool Ftz, unsigned Shift>
struct Comparison {
  using Register = typename Compared<Tag>::Register;
  HEDDLE_INLINE bool operator()(Register a, Register b) const {
    return compare<C>(Compared<Tag>::template value<Ftz>(a), Compared<Tag>::template value<Ftz>(b));
  }
};
/// The upper halves of packed pairs.
template <typename Tag, Compare C, bool Ftz>
struct Comparison<Tag, C, Ftz, 16> {
  HEDDLE_INLINE bool operator()(std::uint32_t a, std::uint32_t b) const {
    return Comparison<Tag, C, Ftz, 0>{}(Half{a >> 16}, Half{b >> 16});
  }
};

template <typename Tag, Compare C, bool Ftz>
std::uint32_t compare_lanes(const MicroOp& op, std::byte* const* bases) {
  return holds<Comparison<Tag, C, Ftz, 0>, Tag, Tag>({}, source<Tag>(op, bases, 0), source<Tag>(op, bases, 1));
}
/// Half-precision comparisons, of scalars or the upper halves of pairs; one copy shared by all rows.
template <typename Tag, Compare C, bool Ftz, unsigned Shift>
[[gnu::noinline]] std::uint32_t compare_half_lanes(const MicroOp& op, std::byte* const* bases) {
  using R = std::conditional_t<Shift == 0, Half, std::uint32_t>;
  return holds<Comparison<Tag, C, Ftz, Shift>, R, R>({}, source<R>(op, bases, 0), source<R>(op, bases, 1));
}

/// Combines a comparison with the instruction's predicate operand, if any.
HEDDLE_INLINE std::uint32_t combine(const MicroOp& op, std::byte* const* bases, std::uint32_t compared) {
  if (op.bool_op == BoolOp::none) return compared;
  const std::uint32_t c = predicate(op.sources[2], bases);
  return op.bool_op == BoolOp::and_ ? compared & c : (op.bool_op == BoolOp::or_ ? compared | c : compared ^ c);
}

using CompareFunction = std::uint32_t (*)(const MicroOp& op, std::byte* const* bases);

constexpr std::uint32_t bit_of(Compare compare) { return 1u << static_cast<unsigned>(compare); }
/// Comparisons implemented as complements. The integer and floating-point sets differ because of NaN.
constexpr std::uint32_t kIntegerComplements =
    bit_of(Compare::ne) | bit_of(Compare::ge) | bit_of(Compare::hs) | bit_of(Compare::le) | bit_of(Compare::ls);
constexpr std::uint32_t kFloatComplements = bit_of(Compare::neu) | bit_of(Compare::equ) | bit_of(Compare::geu) |
                                            bit_of(Compare::gtu) | bit_of(Compare::leu) | bit_of(Compare::ltu) |
                                            bit_of(Compare::nan);
/// All ones when the comparison of `op` is a complement.
template <std::uint32_t Complements>
HEDDLE_INLINE std::uint32_t flip(const MicroOp& op) {
  return (Complements >> static_cast<unsigned>(op.compare) & 1) != 0 ? ~0u : 0u;
}

/// p = (a cmp b) bool c; q = !(a cmp b) bool c.
template <CompareFunction Function, std::uint32_t Complements>
void setp_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  const std::uint32_t compared = Function(op, bases) ^ flip<Complements>(op);
  const std::uint32_t p = combine(op, bases, compared);
  const std::uint32_t q = combine(op, bases, ~compared);
  if (op.destinations[0].present()) store_predicate(op.destinations[0], bases, p, mask);
  if (op.destination_count > 1 && op.destinations[1].present()) store_predicate(op.destinations[1], bases, q, mask);
}

/// setp on packed pairs: p from the lower halves, q from the upper ones.
template <CompareFunction Lower, CompareFunction Upper, std::uint32_t Complements>
void setp_pair_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  const std::uint32_t p = combine(op, bases, Lower(op, bases) ^ flip<Complements>(op));
  const std::uint32_t q = combine(op, bases, Upper(op, bases) ^ flip<Complements>(op));
  if (op.destinations[0].present()) store_predicate(op.destinations[0], bases, p, mask);
  if (op.destination_count > 1 && op.destinations[1].present()) store_predicate(op.destinations[1], bases, q, mask);
}

/// The value `set` writes for true: all ones for integers, 1.0 for floating point.
HEDDLE_INLINE std::uint32_t true_value(DataType type) {
  switch (type) {
    case DataType::f32:
      return 0x3f800000;
    case DataType::f16:
      return Binary16::kOne;
    case DataType::f16x2:
      return Binary16::kOne | Binary16::kOne << 16;
    case DataType::bf16:
      return BrainFloat16::kOne;
    case DataType::bf16x2:
      return BrainFloat16::kOne | BrainFloat16::kOne << 16;
    case DataType::u16:
    case DataType::b16:
      return 0xffff;
    default:
      return 0xffffffff;
  }
}

HEDDLE_INLINE void store_set(const MicroOp& op, std::byte* const* bases, std::uint32_t lower, std::uint32_t upper,
                             std::uint32_t mask) {
  const std::uint32_t value = true_value(op.type);
  const bool pair = op.type == DataType::f16x2 || op.type == DataType::bf16x2 || op.source_type == DataType::f16x2 ||
                    op.source_type == DataType::bf16x2;
  const std::uint32_t low = pair ? value & 0xffff : value, high = pair ? value & 0xffff0000 : 0;
  alignas(64) std::uint32_t result[kWordThreads];
  for (unsigned i = 0; i < kWordThreads; ++i) {
    result[i] = ((lower & kLaneBits[i]) != 0 ? low : 0u) | ((upper & kLaneBits[i]) != 0 ? high : 0u);
  }
  store_lanes(destination<std::uint32_t>(op, bases), result, mask);
}

template <CompareFunction Function, std::uint32_t Complements>
void set_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  store_set(op, bases, combine(op, bases, Function(op, bases) ^ flip<Complements>(op)), 0, mask);
}
template <CompareFunction Lower, CompareFunction Upper, std::uint32_t Complements>
void set_pair_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  const std::uint32_t lower = combine(op, bases, Lower(op, bases) ^ flip<Complements>(op));
  store_set(op, bases, lower, combine(op, bases, Upper(op, bases) ^ flip<Complements>(op)), mask);
}

template <typename Tag, Compare C, bool Ftz>
LaneFunction row(const MicroOp& op, bool pair = false) {
  const bool set = op.opcode == Opcode::set;
  if constexpr (std::is_integral_v<Tag>) {
    constexpr CompareFunction kFunction = compare_lanes<Tag, C, false>;
    return set ? set_lanes<kFunction, kIntegerComplements> : setp_lanes<kFunction, kIntegerComplements>;
  } else if constexpr (std::is_floating_point_v<Tag>) {
    constexpr CompareFunction kFunction = compare_lanes<Tag, C, Ftz>;
    return set ? set_lanes<kFunction, kFloatComplements> : setp_lanes<kFunction, kFloatComplements>;
  } else {
    constexpr CompareFunction kLower = compare_half_lanes<Tag, C, Ftz, 0>;
    constexpr CompareFunction kUpper = compare_half_lanes<Tag, C, Ftz, 16>;
    if (pair) {
      return set ? set_pair_lanes<kLower, kUpper, kFloatComplements>
                 : setp_pair_lanes<kLower, kUpper, kFloatComplements>;
    }
    return set ? set_lanes<kLower, kFloatComplements> : setp_lanes<kLower, kFloatComplements>;
  }
}

template <typename Tag>
LaneFunction find_integer_comparison(const MicroOp& op) {
  switch (op.compare) {
    case Compare::eq:
    case Compare::ne:
      return row<Tag, Compare::eq, false>(op);
    case Compare::lt:
    case Compare::lo:
    case Compare::ge:
    case Compare::hs:
      return row<Tag, Compare::lt, false>(op);
    case Compare::gt:
    case Compare::hi:
    case Compare::le:
    case Compare::ls:
      return row<Tag, Compare::gt, false>(op);
    default:
      return nullptr;
  }
}

template <typename Tag, bool Ftz>
LaneFunction find_float_comparison(const MicroOp& op, bool pair = false) {
  switch (op.compare) {
    case Compare::eq:
    case Compare::neu:
      return row<Tag, Compare::eq, Ftz>(op, pair);
    case Compare::ne:
    case Compare::equ:
      return row<Tag, Compare::ne, Ftz>(op, pair);
    case Compare::lt:
    case Compare::geu:
      return row<Tag, Compare::lt, Ftz>(op, pair);
    case Compare::le:
    case Compare::gtu:
      return row<Tag, Compare::le, Ftz>(op, pair);
    case Compare::gt:
    case Compare::leu:
      return row<Tag, Compare::gt, Ftz>(op, pair);
    case Compare::ge:
    case Compare::ltu:
      return row<Tag, Compare::ge, Ftz>(op, pair);
    case Compare::num:
    case Compare::nan:
      return row<Tag, Compare::num, Ftz>(op, pair);
    default:
      return nullptr;
  }
}

/// slct: a when c >= 0, b otherwise; NaN selects b, -0 selects a.
template <typename T, typename C, bool Ftz>
struct Choose {
  HEDDLE_INLINE T operator()(T a, T b, C c) const {
    if constexpr (std::is_floating_point_v<C>) {
      return flush<Ftz>(c) >= C(0) ? a : b;
    } else {
      return c >= 0 ? a : b;
    }
  }
};
template <typename T>
LaneFunction find_choose(const MicroOp& op) {
  if (op.source_type == DataType::s32) return lanes<Choose<T, std::int32_t, false>, T, T, T, std::int32_t>;
  if (op.source_type != DataType::f32) return nullptr;
  return op.flush_to_zero ? lanes<Choose<T, float, true>, T, T, T, float>
                          : lanes<Choose<T, float, false>, T, T, T, float>;
}
LaneFunction find_slct(const MicroOp& op) {
  switch (op.type) {
    case DataType::b16:
    case DataType::u16:
      return find_choose<std::uint16_t>(op);
    case DataType::s16:
      return find_choose<std::int16_t>(op);
    case DataType::b64:
    case DataType::u64:
    case DataType::s64:
    case DataType::f64:
      return find_choose<std::uint64_t>(op);
    case DataType::b32:
    case DataType::u32:
    case DataType::s32:
    case DataType::f32:
      return find_choose<std::uint32_t>(op);
    default:
      return nullptr;
  }
}

}  // namespace

LaneFunction find_compare(const MicroOp& op) {
  if (op.opcode == Opcode::slct) return find_slct(op);
  if (op.opcode != Opcode::set && op.opcode != Opcode::setp) return nullptr;
  const bool ftz = op.flush_to_zero;
  switch (op.opcode == Opcode::set ? op.source_type : op.type) {
    case DataType::b16:
    case DataType::u16:
      return find_integer_comparison<std::uint16_t>(op);
    case DataType::s16:
      return find_integer_comparison<std::int16_t>(op);
    case DataType::b32:
    case DataType::u32:
      return find_integer_comparison<std::uint32_t>(op);
    case DataType::s32:
      return find_integer_comparison<std::int32_t>(op);
    case DataType::b64:
    case DataType::u64:
      return find_integer_comparison<std::uint64_t>(op);
    case DataType::s64:
      return find_integer_comparison<std::int64_t>(op);
    case DataType::f32:
      return ftz ? find_float_comparison<float, true>(op) : find_float_comparison<float, false>(op);
    case DataType::f64:
      return find_float_comparison<double, false>(op);
    case DataType::f16:
      return ftz ? find_float_comparison<F16Tag, true>(op) : find_float_comparison<F16Tag, false>(op);
    case DataType::bf16:
      return find_float_comparison<Bf16Tag, false>(op);
    case DataType::f16x2:
      return ftz ? find_float_comparison<F16Tag, true>(op, true) : find_float_comparison<F16Tag, false>(op, true);
    case DataType::bf16x2:
      return find_float_comparison<Bf16Tag, false>(op, true);
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
