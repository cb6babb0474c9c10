// SPDX-License-Identifier: Apache-2.0
// Long double references for functions missing from the host's library.
#pragma once

#include <cmath>

namespace heddle::test {

constexpr long double kPi = 3.14159265358979323846264338327950288L;

inline long double sinpi(long double x) {
  const long double r = std::remainder(x, 2.0L);
  const long double a = std::fabs(r);
  const long double s = a <= 0.25L  ? std::sin(kPi * a)
                        : a < 0.75L ? std::cos(kPi * (0.5L - a))
                                    : std::sin(kPi * (1 - a));
  return std::copysign(s, r);
}
inline long double cospi(long double x) {
  const long double a = std::fabs(std::remainder(x, 2.0L));
  return a <= 0.25L ? std::cos(kPi * a) : a < 0.75L ? std::sin(kPi * (0.5L - a)) : -std::cos(kPi * (1 - a));
}

/// exp(x^2) erfc(x): the product where there is no cancellation, the asymptotic series beyond 9.
inline long double erfcx(long double x) {
  if (x < 9) return std::exp(x * x) * std::erfc(x);
  long double sum = 0, term = 1;
  for (int k = 1; k < 30; ++k) {
    sum += term;
    term *= -(2 * k - 1) / (2 * x * x);
  }
  return sum / (x * std::sqrt(kPi));
}

/// The y >= 0 with erfc(y) = q, 0 < q <= 1, by Newton's method on log erfc.
inline long double erfc_inverse(long double q) {
  long double y = q > 0.5L ? std::sqrt(kPi) / 2 * (1 - q) : std::sqrt(-std::log(q));
  for (int i = 0; i < 60; ++i) {
    const long double e = std::erfc(y);
    const long double slope = -2 / std::sqrt(kPi) / erfcx(y);
    const long double step = (std::log(e) - std::log(q)) / slope;
    y -= step;
    if (std::fabs(step) < 1e-19L * y) break;
  }
  return y;
}
/// Newton's method on erf near 0, where log erfc has lost precision.
inline long double erfinv(long double x) {
  const long double a = std::fabs(x);
  if (a > 0.5L) return std::copysign(erfc_inverse(1 - a), x);
  long double y = a * std::sqrt(kPi) / 2;
  for (int i = 0; i < 20; ++i) y -= (std::erf(y) - a) / (2 / std::sqrt(kPi) * std::exp(-y * y));
  return std::copysign(y, x);
}
inline long double erfcinv(long double x) {
  if (x > 0.5L && x < 1.5L) return erfinv(1 - x);
  return x < 1 ? erfc_inverse(x) : -erfc_inverse(2 - x);
}
inline long double normcdf(long double x) {
  if (x > -1) return std::erfc(-x * std::sqrt(0.5L)) / 2;
  return std::exp(-x * x / 2) * erfcx(-x * std::sqrt(0.5L)) / 2;
}
inline long double normcdfinv(long double p) { return -std::sqrt(2.0L) * erfcinv(2 * p); }

}  // namespace heddle::test
