// SPDX-License-Identifier: Apache-2.0
// f32 and f64 arithmetic: add, sub, mul, fma, mad, div, rcp, sqrt, min, max, abs, neg, copysign, testp.
#include "isa/semantics/float_rules.h"
#include "isa/semantics/rounding.h"

namespace heddle::isa::HEDDLE_LANE_LEVEL {
namespace {

template <bool Ftz, bool Sat, typename T, typename... Operands>
HEDDLE_INLINE T finish(T r, Operands... operands) {
  r = flush<Ftz>(r);
  if constexpr (Sat) return saturate<true>(r);
  return result_of(r, operands...);
}

template <typename T, bool Ftz, bool Sat>
struct Add {
  HEDDLE_INLINE T operator()(T a, T b) const { return finish<Ftz, Sat>(flush<Ftz>(a) + flush<Ftz>(b), a, b); }
};
template <typename T, bool Ftz, bool Sat>
struct Subtract {
  HEDDLE_INLINE T operator()(T a, T b) const { return finish<Ftz, Sat>(flush<Ftz>(a) - flush<Ftz>(b), a, b); }
};
template <typename T, bool Ftz, bool Sat>
struct Multiply {
  HEDDLE_INLINE T operator()(T a, T b) const { return finish<Ftz, Sat>(flush<Ftz>(a) * flush<Ftz>(b), a, b); }
};
template <typename T, bool Ftz, bool Sat>
struct MultiplyAdd {
  HEDDLE_INLINE T operator()(T a, T b, T c) const {
    return finish<Ftz, Sat>(fused(flush<Ftz>(a), flush<Ftz>(b), flush<Ftz>(c)), a, b, c);
  }
};
template <typename T, bool Ftz, bool Sat>
struct Divide {
  HEDDLE_INLINE T operator()(T a, T b) const { return finish<Ftz, Sat>(flush<Ftz>(a) / flush<Ftz>(b), a, b); }
};
template <typename T, bool Ftz, bool Sat>
struct Reciprocal {
  HEDDLE_INLINE T operator()(T a) const { return finish<Ftz, Sat>(T(1) / flush<Ftz>(a), a); }
};
template <typename T, bool Ftz, bool Sat>
struct SquareRoot {
  HEDDLE_INLINE T operator()(T a) const {
    if constexpr (sizeof(T) == 4) {
      return finish<Ftz, Sat>(__builtin_sqrtf(flush<Ftz>(a)), a);
    } else {
      return finish<Ftz, Sat>(__builtin_sqrt(flush<Ftz>(a)), a);
    }
  }
};

/// A number wins over a NaN unless Propagate; -0 is less than +0.
template <typename T, bool Ftz, bool Maximum, bool Propagate>
struct Extremum {
  HEDDLE_INLINE T operator()(T a, T b) const {
    a = flush<Ftz>(a);
    b = flush<Ftz>(b);
    const bool a_negative = bits_as<BitsOf<T>>(a) >> (8 * sizeof(T) - 1) != 0;
    const bool a_wins = Maximum ? (a > b || (a == b && !a_negative)) : (a < b || (a == b && a_negative));
    T r = a_wins ? a : b;
    if constexpr (Propagate) {
      r = is_nan(a) ? a : r;
      r = is_nan(b) ? b : r;
    } else {
      r = is_nan(b) ? a : r;
      r = is_nan(a) ? b : r;
    }
    return result_of(r, a, b);
  }
};

template <typename T, bool Ftz>
struct Absolute {
  HEDDLE_INLINE T operator()(T a) const { return magnitude(flush<Ftz>(a)); }
};
template <typename T, bool Ftz>
struct Negate {
  HEDDLE_INLINE T operator()(T a) const {
    return bits_as<T>(bits_as<BitsOf<T>>(flush<Ftz>(a)) ^ FloatTraits<T>::kSign);
  }
};
template <typename T>
struct CopySign {
  HEDDLE_INLINE T operator()(T a, T b) const { return with_sign_of(b, a); }
};

#if !defined(__FMA__)
/// Directed-rounding fused multiply-add on a host without the instruction: rounded to odd in nearest mode, then
/// stepped.
template <typename T, bool Ftz, bool Sat, unsigned Mode>
struct DirectedMultiplyAdd {
  HEDDLE_INLINE T operator()(T a, T b, T c) const {
    a = flush<Ftz>(a);
    b = flush<Ftz>(b);
    c = flush<Ftz>(c);
    if constexpr (sizeof(T) == 8) {
      return finish<Ftz, Sat>(fused_in_mode(a, b, c, Mode), a, b, c);
    } else {
      const double product = static_cast<double>(a) * static_cast<double>(b);
      double exact = add_to_odd(product, static_cast<double>(c));
      const bool signs_differ =
          (bits_as<std::uint64_t>(product) ^ bits_as<std::uint64_t>(static_cast<double>(c))) >> 63 != 0;
      if (Mode == kDown) exact = exact == 0 && signs_differ ? -0.0 : exact;
      return finish<Ftz, Sat>(to_single<Mode>(exact), a, b, c);
    }
  }
};
#endif

template <typename T, bool Ftz, bool Sat>
LaneFunction multiply_add(Rounding rounding) {
#if defined(__FMA__)
  return rounded<MultiplyAdd<T, Ftz, Sat>, T, T, T, T>(rounding);
#else
  switch (rounding_control(rounding)) {
    case kNearest:
      return lanes<MultiplyAdd<T, Ftz, Sat>, T, T, T, T>;
    case kDown:
      return lanes<DirectedMultiplyAdd<T, Ftz, Sat, kDown>, T, T, T, T>;
    case kUp:
      return lanes<DirectedMultiplyAdd<T, Ftz, Sat, kUp>, T, T, T, T>;
    case kToZero:
      return lanes<DirectedMultiplyAdd<T, Ftz, Sat, kToZero>, T, T, T, T>;
  }
  return nullptr;
#endif
}

template <typename T, bool Ftz, bool Sat>
LaneFunction find_arithmetic(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::add:
      return rounded<Add<T, Ftz, Sat>, T, T, T>(op.rounding);
    case Opcode::sub:
      return rounded<Subtract<T, Ftz, Sat>, T, T, T>(op.rounding);
    case Opcode::mul:
      return rounded<Multiply<T, Ftz, Sat>, T, T, T>(op.rounding);
    case Opcode::mad:
    case Opcode::fma_:
      return multiply_add<T, Ftz, Sat>(op.rounding);
    default:
      return nullptr;
  }
}

template <typename T, bool Ftz>
LaneFunction find_unsaturated(const MicroOp& op) {
  // div.full and sqrt without .approx are correctly rounded; approximations have separate rows.
  switch (op.opcode) {
    case Opcode::div_:
      return rounded<Divide<T, Ftz, false>, T, T, T>(op.rounding);
    case Opcode::rcp:
      return rounded<Reciprocal<T, Ftz, false>, T, T>(op.rounding);
    case Opcode::sqrt_:
      return rounded<SquareRoot<T, Ftz, false>, T, T>(op.rounding);
    case Opcode::min_:
      return op.propagate_nan ? lanes<Extremum<T, Ftz, false, true>, T, T, T>
                              : lanes<Extremum<T, Ftz, false, false>, T, T, T>;
    case Opcode::max_:
      return op.propagate_nan ? lanes<Extremum<T, Ftz, true, true>, T, T, T>
                              : lanes<Extremum<T, Ftz, true, false>, T, T, T>;
    case Opcode::abs_:
      return lanes<Absolute<T, Ftz>, T, T>;
    case Opcode::neg:
      return lanes<Negate<T, Ftz>, T, T>;
    case Opcode::copysign_:
      return lanes<CopySign<T>, T, T, T>;
    default:
      return nullptr;
  }
}

template <typename T, TestpMode Mode>
struct Test {
  HEDDLE_INLINE bool operator()(T a) const {
    constexpr auto kInfinity = FloatTraits<T>::kInfinity;
    const auto bits = bits_as<BitsOf<T>>(a) & ~FloatTraits<T>::kSign;
    switch (Mode) {
      case TestpMode::finite:
        return bits < kInfinity;
      case TestpMode::infinite:
        return bits == kInfinity;
      case TestpMode::number:
        return bits <= kInfinity;
      case TestpMode::notanumber:
        return bits > kInfinity;
      case TestpMode::normal:
        return bits < kInfinity && (bits & kInfinity) != 0;
      case TestpMode::subnormal:
        return bits != 0 && (bits & kInfinity) == 0;
      default:
        return false;
    }
  }
};

template <typename T, TestpMode Mode>
void test_lanes(const MicroOp& op, std::byte* const* bases, std::uint32_t mask) {
  store_predicate(op.destinations[0], bases, holds<Test<T, Mode>, T>({}, source<T>(op, bases, 0)), mask);
}

template <typename T>
LaneFunction find_test(TestpMode mode) {
  switch (mode) {
    case TestpMode::finite:
      return test_lanes<T, TestpMode::finite>;
    case TestpMode::infinite:
      return test_lanes<T, TestpMode::infinite>;
    case TestpMode::number:
      return test_lanes<T, TestpMode::number>;
    case TestpMode::notanumber:
      return test_lanes<T, TestpMode::notanumber>;
    case TestpMode::normal:
      return test_lanes<T, TestpMode::normal>;
    case TestpMode::subnormal:
      return test_lanes<T, TestpMode::subnormal>;
    default:
      return nullptr;
  }
}

template <typename T, bool Ftz>
LaneFunction find_any(const MicroOp& op) {
  if constexpr (sizeof(T) == 4) {
    if (op.saturate) return find_arithmetic<T, Ftz, true>(op);
  }
  if (LaneFunction found = find_arithmetic<T, Ftz, false>(op)) return found;
  return find_unsaturated<T, Ftz>(op);
}

}  // namespace

LaneFunction find_float(const MicroOp& op) {
  const bool approximate = op.approximate && !op.full_range;
  if (op.type == DataType::f32 && !approximate) {
    if (op.opcode == Opcode::testp) return find_test<float>(op.testp_mode);
    return op.flush_to_zero ? find_any<float, true>(op) : find_any<float, false>(op);
  }
  if (op.type == DataType::f64 && !approximate) {
    if (op.opcode == Opcode::testp) return find_test<double>(op.testp_mode);
    return find_any<double, false>(op);
  }
  return nullptr;
}

}  // namespace heddle::isa::HEDDLE_LANE_LEVEL
