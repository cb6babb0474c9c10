// SPDX-License-Identifier: Apache-2.0
// Errors in units in the last place, and the points at which they are measured.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace heddle::test {

/// |got - reference| in units of the last place of the reference in T's format (denormals included). NaN agrees with
/// NaN; an infinity with a reference that rounds to it, or that lies within a unit of the largest finite number.
template <class T>
long double ulp_error(T got, long double reference) {
  using Limits = std::numeric_limits<T>;
  constexpr long double kWrong = 1e30L;
  if (std::isnan(reference) || std::isnan(got)) return std::isnan(reference) && std::isnan(got) ? 0 : kWrong;
  const long double largest = Limits::max();
  if (std::isinf(got))
    return std::fabs(reference) >= largest && std::signbit(got) == std::signbit(reference) ? 0 : kWrong;
  if (std::fabs(reference) > largest) {
    return std::fabs(static_cast<long double>(got)) == largest && std::signbit(got) == std::signbit(reference) ? 1
                                                                                                               : kWrong;
  }
  if (reference == 0) return std::fabs(static_cast<long double>(got)) / Limits::denorm_min();
  int exponent;
  std::frexp(reference, &exponent);
  if (exponent < Limits::min_exponent) exponent = Limits::min_exponent;
  return std::fabs(static_cast<long double>(got) - reference) / std::ldexp(1.0L, exponent - Limits::digits);
}

/// How arguments spread over an interval: evenly, or evenly in the logarithm (both ends positive).
enum class Spread { linear, logarithmic };

template <class T>
T argument(std::mt19937_64& random, long double low, long double high, Spread spread) {
  const long double u = static_cast<long double>(random() >> 11) * 0x1p-53L;
  if (spread == Spread::linear) return static_cast<T>(low + (high - low) * u);
  return static_cast<T>(std::exp(std::log(low) + (std::log(high) - std::log(low)) * u));
}

}  // namespace heddle::test
