// SPDX-License-Identifier: Apache-2.0
// A reference for narrow floating point, independent of the headers: every code's value by definition, and rounding by
// search among them.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

enum class Round { nearest, zero, up, down };

class NarrowFormat {
 public:
  /// `highest`: the code of the largest number; `overflow`: the code of larger values.
  NarrowFormat(int exponent_bits, int mantissa_bits, unsigned highest, unsigned overflow)
      : exponent_bits_(exponent_bits), mantissa_bits_(mantissa_bits), highest_(highest), overflow_(overflow) {
    for (unsigned code = 0; code <= highest + 1; ++code) values_.push_back(by_definition(code));
  }
  int bits() const { return 1 + exponent_bits_ + mantissa_bits_; }
  unsigned sign_bit() const { return 1u << (exponent_bits_ + mantissa_bits_); }
  unsigned nan() const { return sign_bit() - 1; }
  unsigned highest() const { return highest_; }
  bool is_nan(unsigned code) const { return (code & nan()) > overflow_ || ((code & nan()) == nan()); }
  bool is_infinite(unsigned code) const { return (code & nan()) == overflow_ && !is_nan(code); }

  double value(unsigned code) const {
    const unsigned magnitude = code & nan();
    if (is_nan(code)) return NAN;
    const double v = is_infinite(code) ? INFINITY : static_cast<double>(values_[magnitude]);
    return (code & sign_bit()) != 0 ? -v : v;
  }
  /// x must be held exactly by the long double. `saturate`: values that are too large give the largest number.
  unsigned code(long double x, Round round = Round::nearest, bool saturate = false) const {
    if (x != x) return nan();
    const bool negative = std::signbit(x);
    const unsigned sign = negative ? sign_bit() : 0;
    const long double magnitude = std::fabs(x);
    if (std::isinf(x)) return sign | (saturate ? highest_ : overflow_);
    unsigned low = 0, high = highest_ + 1;  // values_[low] <= magnitude < values_[high], or beyond
    if (magnitude >= values_[high]) low = high;
    while (high - low > 1 && low <= highest_) {
      const unsigned middle = (low + high) / 2;
      (values_[middle] <= magnitude ? low : high) = middle;
    }
    unsigned result = low;
    if (low <= highest_ && magnitude != values_[low]) {
      const long double half = (values_[low] + values_[high]) / 2;
      const bool above = magnitude > half || (magnitude == half && low % 2 == 1);
      if (round == Round::nearest ? above : round == (negative ? Round::down : Round::up)) result = high;
    }
    if (result > highest_) {
      const bool away = round == Round::nearest || round == (negative ? Round::down : Round::up);
      result = saturate || !away ? highest_ : overflow_;
    }
    return sign | result;
  }

 private:
  long double by_definition(unsigned code) const {
    const int exponent = static_cast<int>(code >> mantissa_bits_), bias = (1 << (exponent_bits_ - 1)) - 1;
    const long double fraction =
        std::ldexp(static_cast<long double>(code & ((1u << mantissa_bits_) - 1)), -mantissa_bits_);
    return exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
  }
  int exponent_bits_, mantissa_bits_;
  unsigned highest_, overflow_;
  std::vector<long double> values_;
};

/// An integer of `digits` bits without the sign, saturated; a NaN gives 0, of 64 bits the top bit alone.
inline long double to_whole(double x, Round round, int digits, bool is_signed) {
  if (x != x) return digits < 63 ? 0 : is_signed ? -std::ldexp(1.0L, 63) : std::ldexp(1.0L, 63);
  long double v = 0;
  switch (round) {
    case Round::nearest:
      v = std::nearbyint(static_cast<long double>(x));
      break;
    case Round::zero:
      v = std::trunc(static_cast<long double>(x));
      break;
    case Round::up:
      v = std::ceil(static_cast<long double>(x));
      break;
    case Round::down:
      v = std::floor(static_cast<long double>(x));
      break;
  }
  const long double top = std::ldexp(1.0L, digits);
  if (v > top - 1) return top - 1;
  if (v < (is_signed ? -top : 0)) return is_signed ? -top : 0;
  return v;
}
