// SPDX-License-Identifier: Apache-2.0
// Growing sets against std::bitset, before and after a set of the same kind received a member above 63.
#include "core/bits.h"

#include <gtest/gtest.h>

#include <bitset>
#include <random>
#include <vector>

namespace heddle {
namespace {

template <typename Set>
std::bitset<Set::kBits> members(const Set& set) {
  std::bitset<Set::kBits> all;
  set.for_each([&](std::size_t i) { all.set(i); });
  return all;
}

// A kind of its own: the kind of ThreadSet may have grown in a test before.
using Members = GrowingBits<struct MembersKind, 512>;

struct Pair {
  Members set;
  std::bitset<512> expected;
};

void expect_same(const Pair& p) {
  ASSERT_EQ(members(p.set), p.expected);
  ASSERT_EQ(p.set.any(), p.expected.any());
  ASSERT_EQ(p.set.none(), p.expected.none());
  ASSERT_EQ(p.set.count(), p.expected.count());
  ASSERT_EQ(p.set.first(), p.expected._Find_first());
}

/// Random operations on sets whose members are below `bound`.
void compare(std::vector<Pair>& pairs, std::size_t bound, std::mt19937& random) {
  for (int i = 0; i < 4000; ++i) {
    Pair& a = pairs[random() % pairs.size()];
    const Pair b = pairs[random() % pairs.size()];
    const std::size_t member = random() % bound;
    switch (random() % 10) {
      case 0:
      case 1:
      case 2:
        a.set.set(member);
        a.expected.set(member);
        break;
      case 3:
        a.set.reset(member);
        a.expected.reset(member);
        break;
      case 4:
        a = {a.set | b.set, a.expected | b.expected};
        break;
      case 5:
        a = {a.set & b.set, a.expected & b.expected};
        break;
      case 6:
        a = {a.set - b.set, a.expected & ~b.expected};
        break;
      case 7:
        a = b;
        break;
      case 8: {
        const std::size_t word = random() % (bound / 32);
        const auto value = static_cast<std::uint32_t>(random());
        a.set.set_word32(word, value);
        for (std::size_t k = 0; k < 32; ++k) a.expected[32 * word + k] = (value >> k) & 1;
        ASSERT_EQ(a.set.word32(word), value);
        break;
      }
      default:
        a.set = Members::first_n(member);
        a.expected = members(Bits<512>::first_n(member));
        break;
    }
    expect_same(a);
    ASSERT_EQ(a.set.test(member), a.expected.test(member));
    ASSERT_EQ(a.set == b.set, a.expected == b.expected);
    ASSERT_EQ(a.set.intersects(b.set), (a.expected & b.expected).any());
    ASSERT_EQ(a.set.contains(b.set), (b.expected & ~a.expected).none());
    ASSERT_EQ(a.set.next(member), member == 0 ? a.expected._Find_first() : a.expected._Find_next(member - 1));
    ASSERT_EQ((Members::everything() & a.set), a.set);
  }
}

// In one process, because the kind grows once. Sets filled before are used after it has grown.
TEST(GrowingBits, OperationsAgreeWithABitsetBeforeAndAfterTheKindGrows) {
  std::mt19937 random(7);
  std::vector<Pair> pairs(8);
  compare(pairs, 64, random);
  ASSERT_FALSE(Members::wide());
  ASSERT_EQ(Members::words(), 1u);
  compare(pairs, 256, random);
  ASSERT_EQ(Members::words(), 4u);
  compare(pairs, 512, random);
  EXPECT_TRUE(Members::wide());
  EXPECT_EQ(Members::words(), 8u);
}

TEST(GrowingBits, KindsGrowOnTheirOwn) {
  GrowingBits<struct One, 128> one;
  GrowingBits<struct Other, 128> other;
  one.set(64);
  other.set(63);
  EXPECT_TRUE(one.wide());
  EXPECT_FALSE(other.wide());
  other.clear();
  EXPECT_TRUE(other.none());
}

/// A kind grows by `put` with a member above 63, and not before. Kind: of this call alone.
template <typename Kind>
void expect_grows(void (*narrow)(GrowingBits<Kind, 128>&), void (*put)(GrowingBits<Kind, 128>&), std::size_t first) {
  GrowingBits<Kind, 128> set;
  narrow(set);
  EXPECT_FALSE(set.wide());
  put(set);
  EXPECT_TRUE(set.wide());
  EXPECT_EQ(set.first(), first);
}

TEST(GrowingBits, EveryWayToPutInALargeMemberGrowsTheKind) {
  using ByWord = GrowingBits<struct ByWordKind, 128>;
  expect_grows<ByWordKind>([](ByWord& set) { set.set_word(1, 0); }, [](ByWord& set) { set.set_word(1, 2); }, 65);
  using ByHalf = GrowingBits<struct ByHalfKind, 128>;
  expect_grows<ByHalfKind>([](ByHalf& set) { set.set_word32(2, 0); }, [](ByHalf& set) { set.set_word32(3, 1); }, 96);
  using ByCount = GrowingBits<struct ByCountKind, 128>;
  expect_grows<ByCountKind>([](ByCount& set) { set = ByCount::first_n(64); },
                            [](ByCount& set) { set = ByCount::first_n(65) - ByCount::first_n(64); }, 64);
}

}  // namespace
}  // namespace heddle
