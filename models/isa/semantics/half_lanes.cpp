// SPDX-License-Identifier: Apache-2.0
// f16, bf16 and their packed pairs: add, sub, mul, fma, min, max, abs, neg.
#include "isa/semantics/half.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

/// An operand, flushed, in the precision used for the format's arithmetic.
template <typename Format, bool Ftz>
HEDDLE_INLINE typename Format::Work operand(Half h) {
  return static_cast<typename Format::Work>(widen<Format>(flush_half<Ftz, Format>(h)));
}

template <typename Format, bool Ftz, bool Sat>
struct Add {
  HEDDLE_INLINE Half operator()(Half a, Half b) const {
    return finish_half<Format, Ftz, Sat>(add_to_odd(operand<Format, Ftz>(a), operand<Format, Ftz>(b)));
  }
};
template <typename Format, bool Ftz, bool Sat>
struct Subtract {
  HEDDLE_INLINE Half operator()(Half a, Half b) const { return Add<Format, Ftz, Sat>{}(a, Half{b.bits ^ kHalfSign}); }
};
/// Products are exact: twice the mantissa bits and the exponent range fit.
template <typename Format, bool Ftz, bool Sat>
struct Multiply {
  HEDDLE_INLINE Half operator()(Half a, Half b) const {
    return finish_half<Format, Ftz, Sat>(operand<Format, Ftz>(a) * operand<Format, Ftz>(b));
  }
};
template <typename Format, bool Ftz, bool Sat>
struct MultiplyAdd {
  HEDDLE_INLINE Half operator()(Half a, Half b, Half c) const {
    const auto product = operand<Format, Ftz>(a) * operand<Format, Ftz>(b);
    return finish_half<Format, Ftz, Sat>(add_to_odd(product, operand<Format, Ftz>(c)));
  }
};

/// As for f32: a number wins over a NaN unless Propagate; -0 is less than +0.
template <typename Format, bool Ftz, bool Maximum, bool Propagate>
struct Extremum {
  HEDDLE_INLINE Half operator()(Half a, Half b) const {
    a = flush_half<Ftz, Format>(a);
    b = flush_half<Ftz, Format>(b);
    // Maps to integers of the same order: negative numbers are reversed.
    const auto order = [](Half h) {
      const auto bits = static_cast<std::int32_t>(h.bits & 0x7fff);
      return (h.bits & kHalfSign) != 0 ? -bits - 1 : bits;
    };
    const bool a_wins = Maximum ? order(a) > order(b) : order(a) < order(b);
    std::uint32_t r = a_wins ? a.bits : b.bits;
    const bool nan_a = is_nan_half<Format>(a), nan_b = is_nan_half<Format>(b);
    r = nan_b ? a.bits : r;
    r = nan_a ? b.bits : r;
    return Half{(Propagate ? nan_a || nan_b : nan_a && nan_b) ? kHalfNan : r};
  }
};

template <typename Format, bool Ftz>
struct Absolute {
  HEDDLE_INLINE Half operator()(Half a) const { return Half{flush_half<Ftz, Format>(a).bits & 0x7fff}; }
};
template <typename Format, bool Ftz>
struct Negate {
  HEDDLE_INLINE Half operator()(Half a) const { return Half{flush_half<Ftz, Format>(a).bits ^ kHalfSign}; }
};

/// Applies an operation to both halves of packed pairs.
template <typename F>
struct Pair {
  template <typename... Words>
  HEDDLE_INLINE std::uint32_t operator()(Words... words) const {
    const std::uint32_t low = F{}(Half{words & 0xffff}...).bits;
    const std::uint32_t high = F{}(Half{words >> 16}...).bits;
    return low | high << 16;
  }
};

template <typename F, bool Packed>
LaneFunction unary() {
  if constexpr (Packed) return lanes<Pair<F>, std::uint32_t, std::uint32_t>;
  if constexpr (!Packed) return lanes<F, Half, Half>;
}
template <typename F, bool Packed>
LaneFunction binary() {
  if constexpr (Packed) return lanes<Pair<F>, std::uint32_t, std::uint32_t, std::uint32_t>;
  if constexpr (!Packed) return lanes<F, Half, Half, Half>;
}
template <typename F, bool Packed>
LaneFunction ternary() {
  if constexpr (Packed) return lanes<Pair<F>, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  if constexpr (!Packed) return lanes<F, Half, Half, Half, Half>;
}

template <typename Format, bool Packed, bool Ftz, bool Sat>
LaneFunction find_arithmetic(Opcode opcode) {
  switch (opcode) {
    case Opcode::add:
      return binary<Add<Format, Ftz, Sat>, Packed>();
    case Opcode::sub:
      return binary<Subtract<Format, Ftz, Sat>, Packed>();
    case Opcode::mul:
      return binary<Multiply<Format, Ftz, Sat>, Packed>();
    case Opcode::fma_:
      return ternary<MultiplyAdd<Format, Ftz, Sat>, Packed>();
    default:
      return nullptr;
  }
}

template <typename Format, bool Packed, bool Ftz>
LaneFunction find_any(const MicroOp& op) {
  if (op.saturate) return find_arithmetic<Format, Packed, Ftz, true>(op.opcode);
  switch (op.opcode) {
    case Opcode::min_:
      return op.propagate_nan ? binary<Extremum<Format, Ftz, false, true>, Packed>()
                              : binary<Extremum<Format, Ftz, false, false>, Packed>();
    case Opcode::max_:
      return op.propagate_nan ? binary<Extremum<Format, Ftz, true, true>, Packed>()
                              : binary<Extremum<Format, Ftz, true, false>, Packed>();
    case Opcode::abs_:
      return unary<Absolute<Format, Ftz>, Packed>();
    case Opcode::neg:
      return unary<Negate<Format, Ftz>, Packed>();
    default:
      return find_arithmetic<Format, Packed, Ftz, false>(op.opcode);
  }
}

}  // namespace

LaneFunction find_half(const MicroOp& op) {
  const bool ftz = op.flush_to_zero;
  switch (op.type) {
    case DataType::f16:
      return ftz ? find_any<Binary16, false, true>(op) : find_any<Binary16, false, false>(op);
    case DataType::f16x2:
      return ftz ? find_any<Binary16, true, true>(op) : find_any<Binary16, true, false>(op);
    case DataType::bf16:
      return find_any<BrainFloat16, false, false>(op);
    case DataType::bf16x2:
      return find_any<BrainFloat16, true, false>(op);
    default:
      return nullptr;
  }
}

}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
