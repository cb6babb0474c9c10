// SPDX-License-Identifier: Apache-2.0
// Random draws of the generators: a seed gives the same draws on every host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string_view>

namespace heddle::random {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}

  /// 0 to limit - 1.
  unsigned below(std::size_t limit) { return static_cast<unsigned>(random_() % limit); }
  bool chance(unsigned one_in) { return below(one_in) == 0; }
  /// A power of two, between those of these exponents.
  unsigned power(unsigned lowest, unsigned highest) { return 1u << (lowest + below(highest - lowest + 1)); }
  /// Small numbers, powers of two or any number.
  std::uint32_t bits() {
    switch (below(4)) {
      case 0:
        return below(16);
      case 1:
        return (1u << below(32)) - below(2);
      default:
        return static_cast<std::uint32_t>(random_());
    }
  }
  std::string_view one_of(std::initializer_list<std::string_view> list) { return list.begin()[below(list.size())]; }

 private:
  std::mt19937_64 random_;
};

}  // namespace heddle::random
