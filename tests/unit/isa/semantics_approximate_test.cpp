// SPDX-License-Identifier: Apache-2.0
// Approximations: within the error bounds of the PTX manual, with its special values, identical on every level. Prints
// the largest errors found.
#include <bit>
#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "semantics_half_reference.h"
#include "semantics_table.h"

namespace heddle::isa::table {
namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

float single(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
float flushed(float v, bool ftz) { return ftz && std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; }

/// Distance in units of the last place of the correctly rounded single result.
long double ulps(long double got, long double exact) {
  int exponent;
  std::frexp(exact, &exponent);
  return std::fabs(got - exact) / std::ldexp(1.0L, std::max(exponent - 24, -149));
}

struct Bound {
  enum Kind { ulp, relative, absolute } kind;
  long double limit;
};

/// Compares the error of `got` with a bound; keeps the largest ratio.
class Meter {
 public:
  Meter(std::string name, Bound bound) : name_(std::move(name)), bound_(bound) {}
  ~Meter() {
    if (bound_.kind == Bound::ulp) {
      std::printf("%-22s largest error %.3Lf ulp, allowed %.0Lf\n", name_.c_str(), largest_, bound_.limit);
    } else {
      std::printf("%-22s largest %s error 2^%.1Lf, allowed 2^%.1Lf\n", name_.c_str(),
                  bound_.kind == Bound::relative ? "relative" : "absolute",
                  largest_ == 0 ? -kInfinity : std::log2(largest_), std::log2(bound_.limit));
    }
  }
  /// Empty if within the bound.
  std::string judge(long double got, long double exact) {
    if (std::isnan(exact)) return std::isnan(got) ? "" : "expected NaN";
    if (std::isinf(exact) || exact == 0) {
      return got == exact && std::signbit(got) == std::signbit(exact)
                 ? ""
                 : fmt::format("expected {}", static_cast<double>(exact));
    }
    long double error = std::fabs(got - exact);
    if (bound_.kind == Bound::ulp) error = ulps(got, exact);
    if (bound_.kind == Bound::relative) {
      // Below the smallest normal single, units of the subnormals bound any result.
      if (std::fabs(exact) < 0x1p-126L && error <= 0x1p-149L) return "";
      error /= std::fabs(exact);
    }
    if (!(error <= bound_.limit))
      return fmt::format("expected {}, error {}", static_cast<double>(exact), static_cast<double>(error));
    largest_ = std::max(largest_, error);
    return "";
  }

 private:
  std::string name_;
  Bound bound_;
  long double largest_ = 0;
};

Row row(Opcode opcode, const std::string& name, DataType type, bool ftz, unsigned sources = 1) {
  Row made;
  made.name = name + (ftz ? ".ftz." : ".") + std::string(name_of(type));
  made.op.opcode = opcode;
  made.op.type = made.result = type;
  made.op.approximate = true;
  made.op.flush_to_zero = ftz;
  made.sources.assign(sources, {type});
  made.random_tuples = 6000;
  return made;
}

/// The exact result as a single: overflow to infinity and, with ftz, underflow to zero.
long double in_range(long double exact, bool ftz) {
  if (std::isnan(exact)) return exact;
  if (ftz && std::fabs(exact) < 0x1p-126L) return std::copysign(0.0L, exact);
  if (std::fabs(exact) >= 0x1.ffffffp127L) return std::copysign(kInfinity, exact);
  return exact;
}

void check_single(Opcode opcode, const std::string& name, Bound bound, long double (*exact)(long double),
                  long double lowest = -kInfinity, long double highest = kInfinity) {
  for (const bool ftz : {false, true}) {
    if (ftz && opcode == Opcode::tanh_) continue;  // has no such form
    Row made = row(opcode, name, DataType::f32, ftz);
    Meter meter(made.name, bound);
    made.judge = [&, ftz](const Inputs& in, std::uint64_t got) -> std::string {
      const float x = flushed(single(in[0]), ftz), y = single(got);
      if (std::isnan(y) && got != 0x7fffffff) return "a NaN that is not 0x7fffffff";
      if (std::isfinite(x) && (x < lowest || x > highest))
        return std::fabs(y) <= 1 ? "" : "out of the function's range";
      const long double wanted = in_range(exact(x), ftz);
      if (ftz && wanted != 0 && std::fabs(wanted) < 0x1.000002p-126L && y == 0)
        return "";  // at the edge of the subnormals
      if (wanted != 0 && std::fabs(wanted) < 0x1p-149L && std::fabs(y) <= 0x1p-149f) return "";
      if (std::isinf(y) && std::fabs(wanted) > 0x1.fffffcp127L) return "";
      return meter.judge(y, wanted);
    };
    check(made);
  }
}

TEST(ApproximateRows, ReciprocalAndRoots) {
  check_single(Opcode::rcp, "rcp.approx", {Bound::ulp, 1}, [](long double x) { return 1 / x; });
  check_single(Opcode::sqrt_, "sqrt.approx", {Bound::relative, 0x1p-23L}, [](long double x) { return std::sqrt(x); });
  check_single(Opcode::rsqrt, "rsqrt.approx", {Bound::relative, std::exp2(-22.9L)},
               [](long double x) { return 1 / std::sqrt(x); });
}

TEST(ApproximateRows, PowersAndLogarithms) {
  check_single(Opcode::ex2, "ex2.approx", {Bound::ulp, 2}, [](long double x) { return std::exp2(x); });
  // Absolute within (0.5, 2), relative outside: the absolute bound is the weaker one there, so both are tried.
  check_single(Opcode::lg2, "lg2.approx", {Bound::relative, 0x1p-22L}, [](long double x) { return std::log2(x); });
}

TEST(ApproximateRows, SineAndCosine) {
  const auto sine = [](long double x) { return std::sin(x); };
  const auto cosine = [](long double x) { return std::cos(x); };
  constexpr long double kTurn = 6.28318530717958647692L;
  check_single(Opcode::sin_, "sin.approx [-2pi, 2pi]", {Bound::absolute, std::exp2(-20.5L)}, sine, -kTurn, kTurn);
  check_single(Opcode::cos_, "cos.approx [-2pi, 2pi]", {Bound::absolute, std::exp2(-20.5L)}, cosine, -kTurn, kTurn);
  check_single(Opcode::sin_, "sin.approx [-100pi, 100pi]", {Bound::absolute, std::exp2(-14.7L)}, sine, -50 * kTurn,
               50 * kTurn);
  check_single(Opcode::cos_, "cos.approx [-100pi, 100pi]", {Bound::absolute, std::exp2(-14.7L)}, cosine, -50 * kTurn,
               50 * kTurn);
}

TEST(ApproximateRows, HyperbolicTangent) {
  check_single(Opcode::tanh_, "tanh.approx", {Bound::relative, 0x1p-11L}, [](long double x) { return std::tanh(x); });
}

TEST(ApproximateRows, DivisionLosesDivisorsAboveTwoTo126) {
  for (const bool ftz : {false, true}) {
    Row made = row(Opcode::div_, "div.approx", DataType::f32, ftz, 2);
    Meter meter(made.name, {Bound::ulp, 2});
    made.judge = [&, ftz](const Inputs& in, std::uint64_t got) -> std::string {
      const float a = flushed(single(in[0]), ftz), b = flushed(single(in[1]), ftz), y = single(got);
      const float size = std::fabs(b);
      if (std::isfinite(b) && size > 0x1p126f) {
        const bool good =
            std::isfinite(a) ? y == 0 && std::signbit(y) == (std::signbit(a) != std::signbit(b)) : std::isnan(y);
        return good ? "" : "expected zero, or NaN for an infinite dividend";
      }
      if (size != 0 && size < 0x1p-126f) return "";  // outside the range with a bound
      long double wanted = in_range(static_cast<long double>(a) / b, ftz);
      if (std::isfinite(a) && a != 0 && std::isinf(b)) wanted = std::copysign(0.0L, static_cast<long double>(a) / b);
      if (ftz && std::fabs(wanted) < 0x1.00001p-126L && y == 0) return "";
      if (std::isinf(y) && std::fabs(wanted) > 0x1.fffff8p127L) return "";
      if (wanted != 0 && std::fabs(wanted) < 0x1p-126L && std::fabs(y - wanted) <= 0x1p-148L) return "";
      return meter.judge(y, wanted);
    };
    check(made);
  }
}

TEST(ApproximateRows, FullRangeDivisionIsWithinTwoUlpEverywhere) {
  for (const bool ftz : {false, true}) {
    Row made = row(Opcode::div_, "div.full", DataType::f32, ftz, 2);
    made.op.full_range = true;
    Meter meter(made.name, {Bound::ulp, 2});
    made.judge = [&, ftz](const Inputs& in, std::uint64_t got) -> std::string {
      const float a = flushed(single(in[0]), ftz), b = flushed(single(in[1]), ftz), y = single(got);
      const long double wanted = in_range(static_cast<long double>(a) / b, ftz);
      if (ftz && std::fabs(wanted) < 0x1.000002p-126L && y == 0) return "";
      if (wanted != 0 && std::fabs(wanted) < 0x1p-149L && std::fabs(y) <= 0x1p-149f) return "";
      return meter.judge(y, wanted);
    };
    check(made);
  }
}

TEST(ApproximateRows, GrossDoubleFunctionsUseTheUpperWord) {
  for (const bool root : {false, true}) {
    Row made = row(root ? Opcode::rsqrt : Opcode::rcp, root ? "rsqrt.approx" : "rcp.approx", DataType::f64, true);
    Meter meter(made.name, {Bound::relative, 0x1p-20L});
    made.judge = [&](const Inputs& in, std::uint64_t got) -> std::string {
      if ((got & 0xffffffff) != 0) return "the lower word is not zero";
      double x = std::bit_cast<double>(in[0] & 0xffffffff00000000);
      if (std::isnan(std::bit_cast<double>(in[0])))
        return got == 0x7fffffff00000000 ? "" : "expected NaN 0x7fffffff00000000";
      if (std::fpclassify(x) == FP_SUBNORMAL) x = std::copysign(0.0, x);
      long double wanted = root ? 1 / std::sqrt(static_cast<long double>(x)) : 1 / static_cast<long double>(x);
      if (std::fabs(wanted) < 0x1p-1022L) wanted = std::copysign(0.0L, wanted);
      return meter.judge(std::bit_cast<double>(got), wanted);
    };
    check(made);
  }
  Row made = row(Opcode::rsqrt, "rsqrt.approx", DataType::f64, false);
  Meter meter(made.name, {Bound::relative, 0x1p-51L});
  made.judge = [&](const Inputs& in, std::uint64_t got) {
    return meter.judge(std::bit_cast<double>(got),
                       1 / std::sqrt(static_cast<long double>(std::bit_cast<double>(in[0]))));
  };
  check(made);
}

TEST(ApproximateRows, HalfPrecisionFunctions) {
  struct Case {
    Opcode opcode;
    const char* name;
    DataType type;
    long double limit;
    bool ftz;
  };
  for (const Case& each : {Case{Opcode::ex2, "ex2.approx", DataType::f16, std::exp2(-9.9L), false},
                           Case{Opcode::ex2, "ex2.approx", DataType::bf16, 0x1p-7L, true},
                           Case{Opcode::tanh_, "tanh.approx", DataType::f16, std::exp2(-10.987L), false},
                           Case{Opcode::tanh_, "tanh.approx", DataType::bf16, 0x1p-8L, false}}) {
    for (const bool packed : {false, true}) {
      const DataType pair = each.type == DataType::f16 ? DataType::f16x2 : DataType::bf16x2;
      Row made = row(each.opcode, each.name, packed ? pair : each.type, each.ftz);
      Meter meter(made.name, {Bound::relative, each.limit});
      const HalfFormat format = half_format(each.type);
      made.judge = [&](const Inputs& in, std::uint64_t got) -> std::string {
        for (const unsigned shift : {0u, 16u}) {
          if (shift != 0 && !packed) break;
          const long double x = half_value(in[0] >> shift & 0xffff, each.type),
                            y = half_value(got >> shift & 0xffff, each.type);
          long double wanted = each.opcode == Opcode::ex2 ? std::exp2(x) : std::tanh(x);
          const long double smallest = std::ldexp(1.0L, format.minimum_exponent);
          if (each.ftz && std::fabs(x) < smallest) wanted = 1;
          if (each.ftz && std::fabs(wanted) < smallest) wanted = 0;
          if (std::fabs(wanted) >= std::ldexp(2.0L, format.maximum_exponent)) wanted = kInfinity;
          if (wanted != 0 && std::fabs(wanted) < smallest &&
              std::fabs(y - wanted) <= std::ldexp(smallest, -format.mantissa_bits))
            continue;
          if (std::isinf(y) && wanted > std::ldexp(1.99L, format.maximum_exponent)) continue;
          const std::string wrong = meter.judge(y, wanted);
          if (!wrong.empty()) return wrong;
        }
        return "";
      };
      check(made);
    }
  }
}

}  // namespace
}  // namespace heddle::isa::table
