// SPDX-License-Identifier: Apache-2.0
// Environment of a block under test: clock, services, random vectors, time limit.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "sm/blocks/block_site.h"

namespace heddle::rtl {

class BlockTest : public ::testing::Test {
 protected:
  /// Calls `round` for $HEDDLE_RTL_SECONDS or a third of a second, at least a thousand times. Prints the number of
  /// rounds.
  template <typename Round>
  void rounds(Round&& round) {
    const char* asked = std::getenv("HEDDLE_RTL_SECONDS");
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(asked ? std::atof(asked) : 0.3);
    std::uint64_t count = 0;
    do {
      for (unsigned i = 0; i < 1000 && !HasFailure(); ++i) round();
      count += 1000;
    } while (!HasFailure() && std::chrono::steady_clock::now() < end);
    RecordProperty("vectors", std::to_string(count));
    std::printf("%llu random vectors\n", static_cast<unsigned long long>(count));
  }

  /// 64 bits: none, all, or any share of them set.
  std::uint64_t word() {
    const std::uint64_t a = random_(), b = random_();
    switch (random_() % 8) {
      case 0:
        return 0;
      case 1:
        return ~std::uint64_t{0};
      case 2:
        return a & b & random_();
      case 3:
        return a | b | random_();
      default:
        return a;
    }
  }

  /// Shared by all cases, because SystemC object names must be unique.
  static ClockDomain& clock() {
    static ClockTree tree;
    static ClockDomain clock("clock", tree, 1'000'000);
    return clock;
  }

  std::mt19937_64 random_{20};
  Services services_;
  sm::BlockSite site_{"block", services_, clock()};
};

}  // namespace heddle::rtl
