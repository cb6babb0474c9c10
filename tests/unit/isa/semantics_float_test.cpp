// SPDX-License-Identifier: Apache-2.0
// Single and double precision against the host's IEEE arithmetic under the rounding modes of <cfenv>.
#include <bit>
#include <cfenv>
#include <cmath>

#include "semantics_table.h"

namespace heddle::isa::table {
namespace {

constexpr Rounding kRoundings[] = {Rounding::rn, Rounding::rz, Rounding::rm, Rounding::rp};
constexpr const char* kRoundingNames[] = {".rn", ".rz", ".rm", ".rp"};
constexpr int kHostRoundings[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

class HostRounding {
 public:
  explicit HostRounding(int mode) { std::fesetround(mode); }
  ~HostRounding() { std::fesetround(FE_TONEAREST); }
};

template <typename T>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr DataType kType = DataType::f32;
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr DataType kType = DataType::f64;
};

template <typename T>
T value(std::uint64_t bits) {
  return std::bit_cast<T>(static_cast<typename Format<T>::Bits>(bits));
}
template <typename T>
std::uint64_t bits(T v) {
  return std::bit_cast<typename Format<T>::Bits>(v);
}
template <typename T>
T flushed(T v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(T(0), v) : v;
}

/// Modifiers of a row and how they act on operands and the result.
struct Modifiers {
  unsigned rounding = 0;  ///< index into kRoundings
  bool ftz = false, sat = false;
};

/// The NaN rule: 0x7fffffff for f32; for f64 the first NaN operand, quieted, or the default NaN.
template <typename T>
std::uint64_t finished(T result, const Modifiers& m, const std::vector<T>& operands) {
  if (m.sat) {
    if (std::isnan(result) || result <= 0) return 0;
    if (result >= 1) return bits(T(1));
  }
  if (std::isnan(result)) {
    if (sizeof(T) == 4) return 0x7fffffff;
    for (const T operand : operands) {
      if (std::isnan(operand)) return bits(operand) | 0x0008000000000000;
    }
    return 0xfff8000000000000;
  }
  return bits(m.ftz ? flushed(result) : result);
}

template <typename T>
Row row(Opcode opcode, const char* name, unsigned sources, const Modifiers& m, bool rounds = true) {
  Row made;
  made.name = std::string(name) + (rounds ? kRoundingNames[m.rounding] : "") + (m.ftz ? ".ftz" : "") +
              (m.sat ? ".sat" : "") + "." + std::string(name_of(Format<T>::kType));
  made.op.opcode = opcode;
  made.op.type = Format<T>::kType;
  made.op.rounding = rounds ? kRoundings[m.rounding] : Rounding::none;
  made.op.flush_to_zero = m.ftz;
  made.op.saturate = m.sat;
  made.result = Format<T>::kType;
  made.sources.assign(sources, {Format<T>::kType});
  return made;
}

template <typename T>
void check_arithmetic(Opcode opcode, const char* name, unsigned sources, const Modifiers& m,
                      std::function<T(T, T, T)> exact) {
  Row made = row<T>(opcode, name, sources, m);
  made.expect = [=](const Inputs& in) -> Expected {
    std::vector<T> operands;
    for (unsigned i = 0; i < sources; ++i) operands.push_back(value<T>(in[i]));
    std::array<volatile T, 3> v = {T(0), T(0), T(0)};
    for (unsigned i = 0; i < sources; ++i) v[i] = m.ftz ? flushed(operands[i]) : operands[i];
    volatile T result;
    {
      const HostRounding rounding(kHostRoundings[m.rounding]);
      result = exact(v[0], v[1], v[2]);
    }
    return {finished<T>(result, m, operands)};
  };
  check(made);
}

template <typename T, typename Visit>
void for_each_modifier(bool saturates, Visit&& visit) {
  constexpr bool kSingle = sizeof(T) == 4;
  for (unsigned rounding = 0; rounding < 4; ++rounding) {
    for (const bool ftz : {false, true}) {
      for (const bool sat : {false, true}) {
        if ((ftz && !kSingle) || (sat && (!kSingle || !saturates))) continue;
        visit(Modifiers{rounding, ftz, sat});
      }
    }
  }
}

template <typename T>
class FloatRows : public ::testing::Test {};
using FloatTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FloatRows, FloatTypes);

TYPED_TEST(FloatRows, AddSubtractMultiplyRoundOnce) {
  using T = TypeParam;
  for_each_modifier<T>(true, [](const Modifiers& m) {
    check_arithmetic<T>(Opcode::add, "add", 2, m, [](T a, T b, T) { return a + b; });
    check_arithmetic<T>(Opcode::sub, "sub", 2, m, [](T a, T b, T) { return a - b; });
    check_arithmetic<T>(Opcode::mul, "mul", 2, m, [](T a, T b, T) { return a * b; });
  });
}

TYPED_TEST(FloatRows, FusedMultiplyAddRoundsOnce) {
  using T = TypeParam;
  for_each_modifier<T>(true, [](const Modifiers& m) {
    check_arithmetic<T>(Opcode::fma_, "fma", 3, m, [](T a, T b, T c) { return std::fma(a, b, c); });
    check_arithmetic<T>(Opcode::mad, "mad", 3, m, [](T a, T b, T c) { return std::fma(a, b, c); });
  });
}

TYPED_TEST(FloatRows, DivisionReciprocalAndSquareRootRoundOnce) {
  using T = TypeParam;
  for_each_modifier<T>(false, [](const Modifiers& m) {
    check_arithmetic<T>(Opcode::div_, "div", 2, m, [](T a, T b, T) { return a / b; });
    check_arithmetic<T>(Opcode::rcp, "rcp", 1, m, [](T a, T, T) { return T(1) / a; });
    check_arithmetic<T>(Opcode::sqrt_, "sqrt", 1, m, [](T a, T, T) { return std::sqrt(a); });
  });
}

TYPED_TEST(FloatRows, MinimumAndMaximumPreferNumbersAndKnowZeroSigns) {
  using T = TypeParam;
  for (const bool maximum : {false, true}) {
    for (const bool propagate : {false, true}) {
      for (const bool ftz : {false, true}) {
        if (ftz && sizeof(T) == 8) continue;
        const Modifiers m{0, ftz, false};
        Row made = row<T>(maximum ? Opcode::max_ : Opcode::min_, propagate ? "minmax.NaN" : (maximum ? "max" : "min"),
                          2, m, false);
        made.op.propagate_nan = propagate;
        made.expect = [=](const Inputs& in) -> Expected {
          const T given_a = value<T>(in[0]), given_b = value<T>(in[1]);
          const T a = ftz ? flushed(given_a) : given_a, b = ftz ? flushed(given_b) : given_b;
          const bool nan_a = std::isnan(a), nan_b = std::isnan(b);
          if ((nan_a && nan_b) || (propagate && (nan_a || nan_b)))
            return {finished<T>(nan_a ? a : b, m, {given_a, given_b})};
          if (nan_a || nan_b) return {bits(nan_a ? b : a)};
          if (a == 0 && b == 0) return {bits(std::signbit(a) == maximum ? b : a)};
          return {bits((a < b) == maximum ? b : a)};
        };
        check(made);
      }
    }
  }
}

TYPED_TEST(FloatRows, AbsoluteNegateAndCopySignWorkOnTheSignBit) {
  using T = TypeParam;
  const std::uint64_t sign = std::uint64_t{1} << (8 * sizeof(T) - 1);
  for (const bool ftz : {false, true}) {
    if (ftz && sizeof(T) == 8) continue;
    Row absolute = row<T>(Opcode::abs_, "abs", 1, {0, ftz, false}, false);
    absolute.expect = [=](const Inputs& in) -> Expected {
      return {bits(ftz ? flushed(value<T>(in[0])) : value<T>(in[0])) & ~sign};
    };
    check(absolute);
    Row negate = row<T>(Opcode::neg, "neg", 1, {0, ftz, false}, false);
    negate.expect = [=](const Inputs& in) -> Expected {
      return {bits(ftz ? flushed(value<T>(in[0])) : value<T>(in[0])) ^ sign};
    };
    check(negate);
  }
  Row copy = row<T>(Opcode::copysign_, "copysign", 2, {}, false);
  copy.expect = [=](const Inputs& in) -> Expected { return {(in[1] & ~sign) | (in[0] & sign)}; };
  check(copy);
}

TYPED_TEST(FloatRows, TestsClassify) {
  using T = TypeParam;
  const auto check_test = [](TestpMode mode, const char* name, bool (*holds)(T)) {
    Row made = row<T>(Opcode::testp, name, 1, {}, false);
    made.op.testp_mode = mode;
    made.result = DataType::pred;
    made.expect = [=](const Inputs& in) -> Expected { return {holds(value<T>(in[0])) ? 1u : 0u}; };
    check(made);
  };
  check_test(TestpMode::finite, "testp.finite", [](T v) { return std::isfinite(v); });
  check_test(TestpMode::infinite, "testp.infinite", [](T v) { return std::isinf(v); });
  check_test(TestpMode::number, "testp.number", [](T v) { return !std::isnan(v); });
  check_test(TestpMode::notanumber, "testp.notanumber", [](T v) { return std::isnan(v); });
  check_test(TestpMode::normal, "testp.normal", [](T v) { return std::isnormal(v); });
  check_test(TestpMode::subnormal, "testp.subnormal", [](T v) { return std::fpclassify(v) == FP_SUBNORMAL; });
}

TEST(FloatControl, LaneOperationsIgnoreAndRestoreTheHostProgramsControl) {
  std::fesetround(FE_UPWARD);
  {
    const FloatControl control;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(std::nearbyintf(0.25f)), 0u);
  }
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
}

}  // namespace
}  // namespace heddle::isa::table
