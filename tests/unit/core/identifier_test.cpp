// SPDX-License-Identifier: Apache-2.0
// What an identifier allows, and what must not compile: one kind for another, and a number for an identifier.
#include "core/identifier.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <concepts>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "core/requester.h"

namespace heddle {
namespace {

template <typename A, typename B>
concept Equates = requires(A a, B b) {
  a == b;
};
template <typename A, typename B>
concept Orders = requires(A a, B b) {
  a < b;
};

/// B does not serve as A, neither as an argument nor where both are compared.
template <typename A, typename B>
constexpr bool kApart = !std::is_convertible_v<B, A> && !std::is_constructible_v<A, B> &&
                        !std::is_assignable_v<A&, B> && !Equates<A, B> && !Orders<A, B>;
template <typename A, typename... Others>
constexpr bool kApartFrom = (kApart<A, Others> && ...) && (kApart<Others, A> && ...);

static_assert(kApartFrom<ContextId, WarpId, BlockSlot, IssueSlot, SmId>);
static_assert(kApartFrom<WarpId, BlockSlot, IssueSlot, SmId>);
static_assert(kApartFrom<BlockSlot, IssueSlot, SmId>);
static_assert(kApartFrom<IssueSlot, SmId>);

// A number becomes an identifier only where the code says so.
static_assert(std::is_constructible_v<WarpId, int> && std::is_constructible_v<WarpId, std::size_t>);
static_assert(!std::is_convertible_v<int, WarpId> && !std::is_convertible_v<std::uint16_t, WarpId>);
static_assert(!std::is_assignable_v<WarpId&, int>);
static_assert(!std::is_constructible_v<WarpId, double>);

// An identifier is an index, and compares with its own kind and with numbers.
static_assert(std::is_convertible_v<WarpId, std::size_t>);
static_assert(std::totally_ordered<WarpId>);
static_assert(Equates<WarpId, unsigned> && Orders<WarpId, std::size_t>);

// It costs what its number costs.
static_assert(sizeof(WarpId) == sizeof(std::uint16_t) && std::is_trivially_copyable_v<WarpId>);
static_assert(sizeof(Requester) == sizeof(std::uint32_t));

TEST(Identifier, IndexesAndCounts) {
  const std::vector<int> by_warp{5, 6, 7};
  int sum = 0;
  for (WarpId warp(0); warp < by_warp.size(); ++warp) sum = 10 * sum + by_warp[warp];
  EXPECT_EQ(sum, 567);
}

TEST(Identifier, IsTheFirstUnlessSaid) {
  EXPECT_EQ(WarpId(), WarpId(0));
  EXPECT_NE(WarpId(), WarpId(1));
  EXPECT_LT(WarpId(1), WarpId(2));
  EXPECT_EQ(WarpId(3).number(), 3u);
}

TEST(Identifier, ReadsAsItsNumber) {
  EXPECT_EQ(fmt::format("warp {} of SM {:02}", WarpId(12), SmId(3)), "warp 12 of SM 03");
  EXPECT_EQ(std::to_string(SmId(14)), "14");
}

TEST(Identifier, IsAKey) {
  const std::unordered_set<WarpId> warps{WarpId(1), WarpId(2), WarpId(1)};
  EXPECT_EQ(warps.size(), 2u);
  EXPECT_TRUE(warps.contains(WarpId(2)));
  EXPECT_FALSE(warps.contains(WarpId(3)));
  const std::unordered_set<Requester> requesters{{SmId(1), WarpId(2)}, {SmId(2), WarpId(1)}, {SmId(1), WarpId(2)}};
  EXPECT_EQ(requesters.size(), 2u);
}

}  // namespace
}  // namespace heddle
