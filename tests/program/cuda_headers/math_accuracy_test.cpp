// SPDX-License-Identifier: Apache-2.0
// The device math library, compiled for the host, against long double: the largest error over random arguments must be
// within the maximum ulp errors of the CUDA C++ Programming Guide.
#define HEDDLE_MATH_HOST
#include "heddle_math/all.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "math_references.h"
#include "ulp.h"

namespace heddle::test {
namespace {

using Reference = long double;
constexpr int kSamples = 20000;

template <class T>
struct Unary {
  const char* name;
  T (*function)(T);
  Reference (*reference)(Reference);
  Reference low, high;
  Spread spread;
  double bound;  // ulp
};

template <class T>
void expect_within_bound(const Unary<T>& c) {
  std::mt19937_64 random(1);
  Reference worst = 0;
  T at = 0;
  for (int i = 0; i < kSamples; ++i) {
    T x = i == 0   ? static_cast<T>(c.low)
          : i == 1 ? static_cast<T>(c.high)
                   : argument<T>(random, c.low, c.high, c.spread);
    for (int sign = 0; sign < (c.spread == Spread::logarithmic ? 2 : 1); ++sign, x = -x) {
      const Reference error = ulp_error(c.function(x), c.reference(static_cast<Reference>(x)));
      if (error > worst) {
        worst = error;
        at = x;
      }
    }
  }
  EXPECT_LE(worst, c.bound) << c.name << " at " << at << " gives " << c.function(at) << ", not "
                            << c.reference(static_cast<Reference>(at));
}

template <class T>
class MathAccuracy : public testing::Test {
 protected:
  static constexpr bool kSingle = sizeof(T) == 4;
  static double pick(double single, double twice) { return kSingle ? single : twice; }
  static Reference smallest() { return std::numeric_limits<T>::denorm_min(); }
  static Reference largest() { return std::numeric_limits<T>::max(); }
};
using Formats = testing::Types<float, double>;
TYPED_TEST_SUITE(MathAccuracy, Formats);

// FUNCTION(name): the library's function of this name as a plain pointer; REFERENCE(expression of x).
#define FUNCTION(name) +[](TypeParam x) -> TypeParam { return heddle_math::name(x); }
#define REFERENCE(expression) +[](Reference x) -> Reference { return expression; }
#define CASE(name, expression, low, high, spread, single, twice)                                       \
  Unary<TypeParam> {                                                                                   \
#name, FUNCTION(name), REFERENCE(expression), low, high, Spread::spread, this->pick(single, twice) \
  }

TYPED_TEST(MathAccuracy, TrigonometricFunctionsStayWithinTheirBounds) {
  const Reference limit = heddle_math::AngleLimit<TypeParam>::value, largest = this->largest();
  for (const auto& c : {
           CASE(sin, std::sin(x), this->smallest(), 1, logarithmic, 2, 2),
           CASE(sin, std::sin(x), 0.5L, limit, logarithmic, 2, 2),
           CASE(sin, std::sin(x), limit, largest, logarithmic, 2, 2),
           CASE(cos, std::cos(x), this->smallest(), 1, logarithmic, 2, 2),
           CASE(cos, std::cos(x), 0.5L, limit, logarithmic, 2, 2),
           CASE(cos, std::cos(x), limit, largest, logarithmic, 2, 2),
           CASE(tan, std::tan(x), this->smallest(), 1, logarithmic, 4, 2),
           CASE(tan, std::tan(x), 0.5L, limit, logarithmic, 4, 2),
           CASE(tan, std::tan(x), limit, largest, logarithmic, 4, 2),
           CASE(sinpi, sinpi(x), 1e-6L, 1e6L, logarithmic, 2, 2),
           CASE(cospi, cospi(x), 1e-6L, 1e6L, logarithmic, 2, 2),
           CASE(asin, std::asin(x), -1, 1, linear, 4, 2),
           CASE(asin, std::asin(x), this->smallest(), 1, logarithmic, 4, 2),
           CASE(acos, std::acos(x), -1, 1, linear, 3, 2),
           CASE(atan, std::atan(x), -3, 3, linear, 2, 2),
           CASE(atan, std::atan(x), this->smallest(), largest, logarithmic, 2, 2),
       }) {
    expect_within_bound(c);
  }
}

TYPED_TEST(MathAccuracy, ExponentialFunctionsStayWithinTheirBounds) {
  const Reference high = this->pick(88.72L, 709.78L), low = this->pick(-103.9L, -745.1L);
  for (const auto& c : {
           CASE(exp, std::exp(x), low, high, linear, 2, 1),
           CASE(exp, std::exp(x), this->smallest(), high, logarithmic, 2, 1),
           CASE(exp2, std::exp2(x), this->pick(-149, -1074), this->pick(127.99L, 1023.99L), linear, 2, 1),
           CASE(exp10, std::pow(10.0L, x), this->pick(-44.8L, -323), this->pick(38.5L, 308.2L), linear, 2, 1),
           CASE(expm1, std::expm1(x), -50, high, linear, 1, 1),
           CASE(expm1, std::expm1(x), this->smallest(), 2, logarithmic, 1, 1),
           CASE(sinh, std::sinh(x), this->smallest(), high, logarithmic, 3, 2),
           CASE(sinh, std::sinh(x), -3, 3, linear, 3, 2),
           CASE(cosh, std::cosh(x), -high, high, linear, 2, 1),
           CASE(cosh, std::cosh(x), -3, 3, linear, 2, 1),
           CASE(tanh, std::tanh(x), this->smallest(), 30, logarithmic, 2, 1),
           CASE(tanh, std::tanh(x), -3, 3, linear, 2, 1),
       }) {
    expect_within_bound(c);
  }
}

TYPED_TEST(MathAccuracy, LogarithmsStayWithinTheirBounds) {
  const Reference smallest = this->smallest(), largest = this->largest(),
                  below_one = this->pick(0.9999999L, 0.9999999999L);
  for (const auto& c : {
           CASE(log, std::log(x), smallest, largest, logarithmic, 1, 1),
           CASE(log, std::log(x), 0.3L, 3, linear, 1, 1),
           CASE(log2, std::log2(x), smallest, largest, logarithmic, 1, 1),
           CASE(log2, std::log2(x), 0.3L, 3, linear, 1, 1),
           CASE(log10, std::log10(x), smallest, largest, logarithmic, 2, 1),
           CASE(log10, std::log10(x), 0.3L, 3, linear, 2, 1),
           CASE(log1p, std::log1p(x), smallest, largest, logarithmic, 1, 1),
           CASE(log1p, std::log1p(x), -0.99L, 3, linear, 1, 1),
           CASE(asinh, std::asinh(x), smallest, largest, logarithmic, 3, 3),
           CASE(asinh, std::asinh(x), -4, 4, linear, 3, 3),
           CASE(acosh, std::acosh(x), 1, largest, logarithmic, 4, 3),
           CASE(acosh, std::acosh(x), 1, 3, linear, 4, 3),
           CASE(atanh, std::atanh(x), smallest, below_one, logarithmic, 3, 2),
           CASE(atanh, std::atanh(x), -0.999L, 0.999L, linear, 3, 2),
       }) {
    expect_within_bound(c);
  }
}

TYPED_TEST(MathAccuracy, RootsStayWithinTheirBounds) {
  const Reference smallest = this->smallest(), largest = this->largest();
  for (const auto& c : {
           CASE(sqrt, std::sqrt(x), smallest, largest, logarithmic, 0.5, 0.5),
           CASE(rsqrt, 1 / std::sqrt(x), smallest, largest, logarithmic, 2, 1),
           CASE(cbrt, std::cbrt(x), smallest, largest, logarithmic, 1, 1),
           CASE(rcbrt, 1 / std::cbrt(x), smallest, largest, logarithmic, 1, 1),
       }) {
    expect_within_bound(c);
  }
}

TYPED_TEST(MathAccuracy, ErrorFunctionsStayWithinTheirBounds) {
  const Reference smallest = this->smallest();
  for (const auto& c : {
           CASE(erf, std::erf(x), smallest, 7, logarithmic, 2, 2),
           CASE(erf, std::erf(x), -6, 6, linear, 2, 2),
           CASE(erfc, std::erfc(x), -6, this->pick(10, 27), linear, 4, 5),
           CASE(erfc, std::erfc(x), smallest, 3, logarithmic, 4, 5),
           CASE(erfcx, erfcx(x), this->pick(-9, -26), 50, linear, 4, 4),
           CASE(erfinv, erfinv(x), -1 + 1e-6L, 1 - 1e-6L, linear, 2, 5),
           CASE(erfinv, erfinv(x), smallest, 1 - 1e-7L, logarithmic, 2, 5),
           CASE(erfcinv, erfcinv(x), 1e-3L, 1.999L, linear, 4, 6),
           CASE(normcdf, normcdf(x), this->pick(-14.1L, -38), 9, linear, 5, 5),
           CASE(normcdfinv, normcdfinv(x), 1e-3L, 0.999L, linear, 5, 8),
       }) {
    expect_within_bound(c);
  }
}

TYPED_TEST(MathAccuracy, ErrorFunctionsStayWithinTheirBoundsInTheFarTails) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 5000; ++i) {
    const TypeParam q = argument<TypeParam>(random, this->smallest(), 1, Spread::logarithmic);
    EXPECT_LE(ulp_error(heddle_math::erfcinv(q), erfcinv(q)), this->pick(4, 6)) << "erfcinv of " << q;
    const TypeParam p = argument<TypeParam>(random, this->smallest(), 0.5L, Spread::logarithmic);
    EXPECT_LE(ulp_error(heddle_math::normcdfinv(p), normcdfinv(p)), this->pick(5, 8)) << "normcdfinv of " << p;
    const TypeParam x = argument<TypeParam>(random, 1e-5L, 1e10L, Spread::logarithmic);
    EXPECT_LE(ulp_error(heddle_math::erfcx(x), erfcx(x)), 4) << "erfcx of " << x;
  }
}

TYPED_TEST(MathAccuracy, GammaFunctionsStayWithinTheirBounds) {
  const Reference largest = this->pick(35, 171.6L);
  for (const auto& c : {
           CASE(tgamma, std::tgamma(x), this->pick(1e-37L, 1e-307L), 2, logarithmic, 11, 10),
           CASE(tgamma, std::tgamma(x), 0.01L, largest, linear, 11, 10),
           CASE(tgamma, std::tgamma(x), this->pick(-30, -150), -0.01L, linear, 11, 10),
           CASE(lgamma, std::lgamma(x), -2.2637L, 12, linear, 6, 4),
           CASE(lgamma, std::lgamma(x), 0.5L, 3, linear, 6, 4),
           CASE(lgamma, std::lgamma(x), 3, this->pick(1e36L, 1e305L), linear, 6, 4),
           CASE(lgamma, std::lgamma(x), 3, 1000, linear, 6, 4),
           CASE(lgamma, std::lgamma(x), -1000, -24, linear, 6, 4),
       }) {
    expect_within_bound(c);
  }
}

TYPED_TEST(MathAccuracy, BesselFunctionsStayWithinTheirBoundsUpToEightAndThroughTheirZeros) {
  struct Point {
    const char* name;
    double x;
    Reference value;
  };
  static const Point points[] = {
#include "bessel_references.inc"
  };
  for (const Point& p : points) {
    const TypeParam x = static_cast<TypeParam>(p.x);
    const std::string name = p.name;
    const TypeParam got = name == "j0"   ? heddle_math::j0(x)
                          : name == "j1" ? heddle_math::j1(x)
                          : name == "y0" ? heddle_math::y0(x)
                                         : heddle_math::y1(x);
    EXPECT_LE(ulp_error(got, p.value), this->pick(9, 7)) << name << " at " << x;
  }
}

TYPED_TEST(MathAccuracy, BesselFunctionsBeyondEightStayWithinTheirAbsoluteBounds) {
  std::mt19937_64 random(3);
  const Reference bound = this->pick(2.2e-6L, 5e-12L);
  for (int i = 0; i < kSamples; ++i) {
    const TypeParam x = argument<TypeParam>(random, 8, 1e5L, Spread::logarithmic);
    EXPECT_NEAR(heddle_math::j0(x), ::j0l(x), bound) << x;
    EXPECT_NEAR(heddle_math::j1(-x), ::j1l(-static_cast<Reference>(x)), bound) << x;
    EXPECT_NEAR(heddle_math::y0(x), ::y0l(x), bound) << x;
    EXPECT_NEAR(heddle_math::y1(x), ::y1l(x), bound) << x;
  }
}

TYPED_TEST(MathAccuracy, BesselFunctionsOfHigherOrderStayWithinTheirAbsoluteBounds) {
  std::mt19937_64 random(4);
  const Reference bound = this->pick(2.2e-6L, 5e-12L);
  for (int i = 0; i < 3000; ++i) {
    const int n = static_cast<int>(random() % 130);
    const TypeParam x = argument<TypeParam>(random, 0.1L, 400, Spread::logarithmic);
    EXPECT_NEAR(heddle_math::jn(n, x), ::jnl(n, x), bound) << n << ' ' << x;
    EXPECT_NEAR(heddle_math::jn(-n, -x), ::jnl(n, x), bound) << n << ' ' << x;
    if (x > 1.5 * n) {
      EXPECT_NEAR(heddle_math::yn(n, x), ::ynl(n, x), bound) << n << ' ' << x;
    }
  }
}

TYPED_TEST(MathAccuracy, ModifiedBesselFunctionsStayWithinTheirBounds) {
  for (const auto& c : {
           CASE(cyl_bessel_i0, std::cyl_bessel_i(0.0L, std::fabs(x)), 1e-5L, this->pick(90, 712), logarithmic, 6, 6),
           CASE(cyl_bessel_i0, std::cyl_bessel_i(0.0L, std::fabs(x)), -20, 20, linear, 6, 6),
           CASE(cyl_bessel_i1, std::copysign(std::cyl_bessel_i(1.0L, std::fabs(x)), x), 1e-5L, this->pick(90, 712),
                logarithmic, 6, 6),
       }) {
    expect_within_bound(c);
  }
}

// --- two arguments and more
// ---------------------------------------------------------------------------------------------
template <class T>
struct Interval {
  Reference low, high;
  Spread spread;
  bool both_signs;

  T draw(std::mt19937_64& random) const {
    const T x = argument<T>(random, low, high, spread);
    return both_signs && random() % 2 == 0 ? -x : x;
  }
};

template <class T, class Function, class ReferenceFunction>
void expect_within_bound(const char* name, Function function, ReferenceFunction reference, Interval<T> first,
                         Interval<T> second, double bound) {
  std::mt19937_64 random(5);
  Reference worst = 0;
  T at_x = 0, at_y = 0;
  for (int i = 0; i < kSamples; ++i) {
    const T x = first.draw(random), y = second.draw(random);
    const Reference error =
        ulp_error<T>(function(x, y), reference(static_cast<Reference>(x), static_cast<Reference>(y)));
    if (error > worst) {
      worst = error;
      at_x = x;
      at_y = y;
    }
  }
  EXPECT_LE(worst, bound) << name << " at " << at_x << ", " << at_y << " gives " << function(at_x, at_y);
}

TYPED_TEST(MathAccuracy, PowersStayWithinTheirBounds) {
  using T = TypeParam;
  const auto power = [](T x, T y) { return heddle_math::pow(x, y); };
  const auto reference = [](Reference x, Reference y) { return std::pow(x, y); };
  const double bound = this->pick(8, 2);
  expect_within_bound<T>("pow", power, reference, {this->smallest(), this->largest(), Spread::logarithmic, false},
                         {0.01L, 3, Spread::logarithmic, true}, bound);
  expect_within_bound<T>("pow near 1", power, reference, {0.9L, 1.1L, Spread::linear, false},
                         {-800, 800, Spread::linear, false}, bound);
  expect_within_bound<T>("pow", power, reference, {0.5L, 2, Spread::linear, false},
                         {-1000, 1000, Spread::linear, false}, bound);
  const auto of_integer = [](T x, T y) { return heddle_math::pow(x, heddle_math::rint(y)); };
  const auto reference_of_integer = [](Reference x, Reference y) { return std::pow(x, std::rint(y)); };
  expect_within_bound<T>("pow of integers", of_integer, reference_of_integer, {0.1L, 10, Spread::linear, true},
                         {-40, 40, Spread::linear, false}, bound);
}

TYPED_TEST(MathAccuracy, NormsStayWithinTheirBounds) {
  using T = TypeParam;
  const Interval<T> everywhere = {this->smallest(), this->largest() / 2, Spread::logarithmic, true};
  const Interval<T> alike = {0.1L, 4, Spread::logarithmic, true};
  for (const Interval<T>& range : {everywhere, alike}) {
    expect_within_bound<T>(
        "hypot", [](T x, T y) { return heddle_math::hypot(x, y); },
        [](Reference x, Reference y) { return std::hypot(x, y); }, range, range, this->pick(3, 2));
    expect_within_bound<T>(
        "rhypot", [](T x, T y) { return heddle_math::rhypot(x, y); },
        [](Reference x, Reference y) { return 1 / std::hypot(x, y); }, range, range, this->pick(2, 1));
    expect_within_bound<T>(
        "norm3d", [](T x, T y) { return heddle_math::norm3d(x, y, x); },
        [](Reference x, Reference y) { return std::sqrt(2 * x * x + y * y); }, range, range, this->pick(3, 2));
    expect_within_bound<T>(
        "rnorm3d", [](T x, T y) { return heddle_math::rnorm3d(x, y, x); },
        [](Reference x, Reference y) { return 1 / std::sqrt(2 * x * x + y * y); }, range, range, this->pick(2, 1));
    expect_within_bound<T>(
        "norm4d", [](T x, T y) { return heddle_math::norm4d(x, y, y, x); },
        [](Reference x, Reference y) { return std::sqrt(2 * x * x + 2 * y * y); }, range, range, this->pick(3, 2));
    expect_within_bound<T>(
        "rnorm4d", [](T x, T y) { return heddle_math::rnorm4d(x, y, y, x); },
        [](Reference x, Reference y) { return 1 / std::sqrt(2 * x * x + 2 * y * y); }, range, range, this->pick(2, 1));
    expect_within_bound<T>(
        "norm",
        [](T x, T y) {
          const T values[5] = {x, y, x, y, x};
          return heddle_math::norm(5, values);
        },
        [](Reference x, Reference y) { return std::sqrt(3 * x * x + 2 * y * y); }, range, range, this->pick(4, 3));
  }
}

TYPED_TEST(MathAccuracy, ArctangentOfTwoArgumentsStaysWithinItsBound) {
  using T = TypeParam;
  const auto function = [](T y, T x) { return heddle_math::atan2(y, x); };
  const auto reference = [](Reference y, Reference x) { return std::atan2(y, x); };
  const Interval<T> wide = {1e-20L, 1e20L, Spread::logarithmic, true}, unit = {-1, 1, Spread::linear, false};
  expect_within_bound<T>("atan2", function, reference, wide, wide, this->pick(3, 2));
  expect_within_bound<T>("atan2", function, reference, unit, unit, this->pick(3, 2));
}

// --- exact functions
// --------------------------------------------------------------------------------------------------------
/// Bit patterns of all kinds: any bits, integers and quarters, denormals, and the special values.
template <class T>
T any_number(std::mt19937_64& random) {
  using Limits = std::numeric_limits<T>;
  static const T special[] = {0,
                              -T(0),
                              1,
                              -1,
                              T(0.5),
                              Limits::infinity(),
                              -Limits::infinity(),
                              Limits::quiet_NaN(),
                              Limits::denorm_min(),
                              Limits::max(),
                              Limits::min(),
                              3,
                              T(-2.5)};
  switch (random() % 6) {
    case 0:
      return special[random() % (sizeof special / sizeof special[0])];
    case 1:
      return static_cast<T>(static_cast<int>(random() % 2001) - 1000) / 4;
    case 2:
      return static_cast<T>(static_cast<int>(random() % 1000)) * Limits::denorm_min();
    default:
      return heddle_math::from_bits(static_cast<decltype(heddle_math::to_bits(T()))>(random()));
  }
}

template <class T>
testing::AssertionResult same(T got, T expected) {
  if (std::isnan(got) ? std::isnan(expected) : heddle_math::to_bits(got) == heddle_math::to_bits(expected)) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << got << " is not " << expected;
}

TYPED_TEST(MathAccuracy, PartsAndRemaindersAreExact) {
  using T = TypeParam;
  std::mt19937_64 random(6);
  for (int i = 0; i < 100000 && !this->HasFailure(); ++i) {
    const T x = any_number<T>(random), y = any_number<T>(random);
    SCOPED_TRACE(testing::Message() << std::hexfloat << x << ", " << y);
    EXPECT_TRUE(same(heddle_math::fmod(x, y), std::fmod(x, y)));
    EXPECT_TRUE(same(heddle_math::nextafter(x, y), std::nextafter(x, y)));
    EXPECT_TRUE(same(heddle_math::fdim(x, y), std::fdim(x, y)));
    EXPECT_TRUE(same(heddle_math::logb(x), std::logb(x)));
    int got_low = 0, low = 0;
    const T got = heddle_math::remquo(x, y, &got_low);
    const T expected = std::remquo(x, y, &low);
    EXPECT_TRUE(expected == 0 ? got == 0 && std::signbit(got) == std::signbit(x) : same(got, expected));
    if (!std::isnan(expected)) {
      EXPECT_EQ(got_low & 7, (low < 0 ? -(-low & 7) : low & 7) & 7);
    }
    const int n = static_cast<int>(random() % 5000) - 2500;
    EXPECT_TRUE(same(heddle_math::ldexp(x, n), std::ldexp(x, n)));
    int got_exponent = 0, exponent = 0;
    EXPECT_TRUE(same(heddle_math::frexp(x, &got_exponent), std::frexp(x, &exponent)));
    if (std::isfinite(x)) {
      EXPECT_EQ(got_exponent, exponent);
    }
    if (!std::isnan(x)) {
      EXPECT_EQ(heddle_math::ilogb(x), std::ilogb(x));
    }
    T got_whole = 0, whole = 0;
    EXPECT_TRUE(same(heddle_math::modf(x, &got_whole), std::modf(x, &whole)));
    EXPECT_TRUE(same(got_whole, whole));
  }
}

// --- special values
// ---------------------------------------------------------------------------------------------------------
TYPED_TEST(MathAccuracy, SpecialArgumentsGiveWhatTheHostLibraryGives) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const T special[] = {0,
                       -T(0),
                       1,
                       -1,
                       2,
                       -2,
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::denorm_min(),
                       -Limits::denorm_min(),
                       Limits::max(),
                       -Limits::max(),
                       T(0.5),
                       T(-0.5),
                       3,
                       -3};
#define SPECIAL(name)                                                       \
  for (const T x : special) {                                               \
    const T got = heddle_math::name(x), expected = std::name(x);            \
    EXPECT_EQ(std::isnan(got), std::isnan(expected)) << #name << ' ' << x;  \
    if (!std::isfinite(expected) || expected == 0 || !std::isfinite(got)) { \
      EXPECT_TRUE(same(got, expected)) << #name << ' ' << x;                \
    }                                                                       \
  }
  SPECIAL(acos)
  SPECIAL(acosh)
  SPECIAL(asin)
  SPECIAL(asinh)
  SPECIAL(atan)
  SPECIAL(atanh)
  SPECIAL(cbrt)
  SPECIAL(cos)
  SPECIAL(cosh)
  SPECIAL(erf)
  SPECIAL(erfc)
  SPECIAL(exp)
  SPECIAL(exp2)
  SPECIAL(expm1)
  SPECIAL(lgamma)
  SPECIAL(log)
  SPECIAL(log10)
  SPECIAL(log1p)
  SPECIAL(log2)
  SPECIAL(sin)
  SPECIAL(sinh)
  SPECIAL(tan)
  SPECIAL(tanh)
  SPECIAL(tgamma)
#undef SPECIAL
  for (const T x : special) {
    for (const T y : special) {
      const T power = std::pow(x, y);
      if (!std::isfinite(power) || power == 0 || power == 1) {
        EXPECT_TRUE(same(heddle_math::pow(x, y), power)) << x << '^' << y;
      }
      const T angle = std::atan2(x, y);
      if (std::isnan(angle) || angle == 0) {
        EXPECT_TRUE(same(heddle_math::atan2(x, y), angle)) << x << ", " << y;
      }
      EXPECT_LE(ulp_error(heddle_math::atan2(x, y), std::atan2(static_cast<Reference>(x), static_cast<Reference>(y))),
                3);
      EXPECT_EQ(std::isinf(heddle_math::hypot(x, y)), std::isinf(std::hypot(x, y))) << x << ", " << y;
      EXPECT_EQ(std::isnan(heddle_math::hypot(x, y)), std::isnan(std::hypot(x, y))) << x << ", " << y;
    }
  }
}

}  // namespace
}  // namespace heddle::test
