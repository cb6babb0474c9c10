// SPDX-License-Identifier: Apache-2.0
// Checks shared by the library programs, and unsorted values with repetitions in several element types.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

inline int& failures() {
  static int count = 0;
  return count;
}

inline void expect(bool right, const std::string& what) {
  if (right) return;
  ++failures();
  std::printf("%s\n", what.c_str());
}

template <class A, class B>
void expect_same(const std::string& what, const A& got, const B& expected) {
  if (got.size() != expected.size()) {
    expect(false, what + ": " + std::to_string(got.size()) + " instead of " + std::to_string(expected.size()));
    return;
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (got[i] == expected[i]) continue;
    expect(false, what + ": wrong at " + std::to_string(i) + " of " + std::to_string(expected.size()));
    return;
  }
}

inline bool is_near(double got, double expected, double relative) {
  return std::fabs(got - expected) <= relative * (std::fabs(expected) + 1e-30);
}

inline int finish() {
  std::printf(failures() == 0 ? "all right\n" : "%d differences\n", failures());
  return failures() == 0 ? 0 : 1;
}

/// A linear congruential generator (Numerical Recipes' constants), the same on every machine.
class Sequence {
 public:
  explicit Sequence(std::uint32_t seed) : state_(seed) {}
  std::uint32_t next() { return (state_ = state_ * 1664525u + 1013904223u) >> 8; }

 private:
  std::uint32_t state_;
};

/// `count` values below `range`, negative ones too where the type has them; whole numbers, so that sums are exact.
template <class T>
std::vector<T> values(std::size_t count, std::uint32_t range, std::uint32_t seed = 1) {
  Sequence sequence(seed);
  std::vector<T> out(count);
  for (T& value : out) {
    const auto number = static_cast<std::int64_t>(sequence.next() % range);
    value = static_cast<T>(std::is_signed<T>::value ? number - static_cast<std::int64_t>(range / 2) : number);
  }
  return out;
}
