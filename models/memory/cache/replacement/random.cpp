// SPDX-License-Identifier: Apache-2.0
// A random line. The sequence depends only on the configuration's seed and the fills so far.
#include <bit>

#include "memory/cache/replacement.h"

namespace heddle::memory {
namespace {

class RandomReplacement final : public Replacement {
 public:
  explicit RandomReplacement(const ReplacementGeometry& geometry) : state_(mixed(geometry.seed)) {}

  void touched(unsigned, unsigned) override {}
  void filled(unsigned, unsigned) override { state_ = mixed(state_); }
  unsigned victim(unsigned set, std::uint64_t candidates) const override {
    auto skip = static_cast<unsigned>(mixed(state_ ^ set) % static_cast<unsigned>(std::popcount(candidates)));
    while (skip-- != 0) candidates &= candidates - 1;
    return static_cast<unsigned>(std::countr_zero(candidates));
  }

 private:
  /// One step of the SplitMix64 generator (Steele, Lea, Flood, OOPSLA 2014).
  static std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
  }

  std::uint64_t state_;
};

HEDDLE_REGISTER(Replacement, RandomReplacement, "random", "a random line, reproducible from the seed", "");

}  // namespace
}  // namespace heddle::memory
