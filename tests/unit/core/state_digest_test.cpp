// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/state_digest.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace heddle {
namespace {

template <typename... Values>
std::uint64_t of(const Values&... values) {
  StateDigest digest;
  (digest.add(values), ...);
  return digest.value();
}

std::uint64_t of_bytes(const std::array<std::byte, 20>& bytes, std::size_t count) {
  StateDigest digest;
  digest.add(bytes.data(), count);
  return digest.value();
}

constexpr std::uint64_t kOne = 1, kTwo = 2, kNull = 0;

TEST(StateDigest, IsTheSameForTheSameState) { EXPECT_EQ(of(kOne, kTwo), of(kOne, kTwo)); }

TEST(StateDigest, TellsTheOrderAndTheNumberOfValues) {
  EXPECT_NE(of(kOne, kTwo), of(kTwo, kOne));
  EXPECT_NE(of(kOne, kNull), of(kOne));
  EXPECT_NE(of(kNull), of());
}

TEST(StateDigest, TellsEveryBitOfTwoValues) {
  std::set<std::uint64_t> seen{of(kNull, kNull)};
  for (unsigned first = 0; first < 64; ++first) {
    for (unsigned second = 0; second < 64; ++second) {
      EXPECT_TRUE(seen.insert(of(std::uint64_t{1} << first, std::uint64_t{1} << second)).second)
          << first << ' ' << second;
    }
  }
}

TEST(StateDigest, TellsEveryMemberOfASet) {
  std::set<std::uint64_t> seen{of(ThreadSet())};
  for (std::size_t i = 0; i < ThreadSet::kBits; ++i) {
    ThreadSet one;
    one.set(i);
    EXPECT_TRUE(seen.insert(of(one)).second) << i;
  }
}

TEST(StateDigest, TellsEveryByteButNoneBeyondTheLast) {
  for (const std::size_t count : {8u, 16u, 19u}) {
    std::set<std::uint64_t> seen{of_bytes({}, count)};
    for (std::size_t i = 0; i < 20; ++i) {
      std::array<std::byte, 20> bytes{};
      bytes[i] = std::byte{0x80};
      EXPECT_EQ(seen.insert(of_bytes(bytes, count)).second, i < count) << i << " of " << count;
    }
  }
}

}  // namespace
}  // namespace heddle
