// SPDX-License-Identifier: Apache-2.0
#include "core/config/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

/// Prints whole numbers without fraction or exponent.
std::string number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e18) return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

std::string bounds(double low, double high) {
  if (std::isinf(high)) return fmt::format("{} or more", number(low));
  return fmt::format("{} .. {}", number(low), number(high));
}

}  // namespace

bool Legal::allows(double value) const {
  switch (kind) {
    case Kind::any:
    case Kind::names:
      return true;
    case Kind::range:
      return value >= low && value <= high;
    case Kind::power_of_two:
      return value >= low && value <= high && value > 0 && std::exp2(std::floor(std::log2(value))) == value;
    case Kind::multiple:
      return value >= low && value <= high && std::fmod(value, step) == 0;
    case Kind::one_of:
      return std::find(values.begin(), values.end(), value) != values.end();
  }
  return false;
}

bool Legal::allows(std::string_view name) const {
  return kind != Kind::names ||
         std::any_of(choices.begin(), choices.end(), [&](const NamedChoice& choice) { return choice.name == name; });
}

std::string Legal::text() const {
  switch (kind) {
    case Kind::any:
      return "any";
    case Kind::range:
      return bounds(low, high);
    case Kind::power_of_two:
      return fmt::format("a power of two, {}", bounds(low, high));
    case Kind::multiple:
      return fmt::format("a multiple of {}, {}", number(step), bounds(low, high));
    case Kind::one_of: {
      std::vector<std::string> texts;
      for (double value : values) texts.push_back(number(value));
      return fmt::format("one of {}", fmt::join(texts, ", "));
    }
    case Kind::names: {
      std::vector<std::string> texts;
      for (const auto& choice : choices) texts.push_back(choice.name);
      return texts.empty() ? "none (nothing is registered)" : fmt::format("{}", fmt::join(texts, ", "));
    }
  }
  return {};
}

Legal any() { return {}; }

Legal range(double low, double high) {
  Legal legal;
  legal.kind = Legal::Kind::range;
  legal.low = low;
  legal.high = high;
  return legal;
}

Legal at_least(double low) { return range(low, std::numeric_limits<double>::infinity()); }

Legal power_of_two(double low, double high) {
  Legal legal = range(low, high);
  legal.kind = Legal::Kind::power_of_two;
  return legal;
}

Legal multiple_of(double step, double low, double high) {
  Legal legal = range(low, high);
  legal.kind = Legal::Kind::multiple;
  legal.step = step;
  return legal;
}

Legal one_of(std::initializer_list<double> values) {
  Legal legal;
  legal.kind = Legal::Kind::one_of;
  legal.values = values;
  return legal;
}

Legal names(std::initializer_list<std::string_view> names) {
  Legal legal;
  legal.kind = Legal::Kind::names;
  for (const auto& name : names) legal.choices.push_back({std::string(name), {}, 0});
  return legal;
}

}  // namespace heddle
