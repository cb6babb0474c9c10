// SPDX-License-Identifier: Apache-2.0
// What is known of contexts in step, against a matrix of them.
#include "sm/in_step.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace heddle::sm {
namespace {

constexpr unsigned kContexts = 64, kWord = 1;

/// The contexts of a word, two of which may be in step only in one block.
class Matrix {
 public:
  bool together(unsigned a, unsigned b) const { return a == b || (a / 8 == b / 8 && bits_[a][b]); }
  void join(std::uint64_t some) {
    for_pairs([&](unsigned a, unsigned b, bool& bit) {
      if (in(some, a) || in(some, b)) bit = in(some, a) && in(some, b);
    });
  }
  void part(std::uint64_t some) {
    for_pairs([&](unsigned a, unsigned b, bool& bit) { bit = bit && in(some, a) == in(some, b); });
  }
  static bool in(std::uint64_t some, unsigned c) { return some >> c & 1; }

 private:
  template <typename Visit>
  void for_pairs(Visit&& visit) {
    for (unsigned a = 0; a < kContexts; ++a) {
      for (unsigned b = 0; b < kContexts; ++b) visit(a, b, bits_[a][b]);
    }
  }
  bool bits_[kContexts][kContexts]{};
};

std::uint64_t expected_with_first(const Matrix& matrix, std::uint64_t some) {
  const auto first = static_cast<unsigned>(std::countr_zero(some));
  std::uint64_t all = 0;
  for (unsigned c = first; c < kContexts; ++c) {
    if (Matrix::in(some, c) && matrix.together(first, c)) all |= std::uint64_t{1} << c;
  }
  return all;
}

TEST(InStepTest, KnowsThoseThatOnlyChangedTogether) {
  std::mt19937_64 random(3);
  InStep known;
  known.use();
  Matrix matrix;
  for (unsigned round = 0; round < 3000; ++round) {
    std::uint64_t some = random() & random();
    if (random() % 2) some &= std::uint64_t{0xff} << (8 * (random() % 8));
    if (some == 0) continue;
    if (random() % 2) {
      known.join(kWord, some);
      matrix.join(some);
    } else {
      known.part(kWord, some);
      matrix.part(some);
    }
    const std::uint64_t looked_at = random() | 1u;
    EXPECT_EQ(known.with_first(kWord, looked_at), expected_with_first(matrix, looked_at)) << round;
    const auto first = static_cast<unsigned>(random() % kContexts);
    const auto others = static_cast<std::uint8_t>(random() & random());
    bool all = true;
    for (unsigned i = 0; i < 8; ++i) {
      if ((others >> i & 1) == 0 || i == 0) continue;
      all = all && first % 8 + i < 8 && matrix.together(first, first + i);
    }
    EXPECT_EQ(known.all(ContextId(64 * kWord + first), others & 0xfe), all) << round;
  }
  known.leave(ContextId(64 * kWord + 9));
  EXPECT_EQ(known.with_first(kWord, 0xff00 & ~std::uint64_t{0x100}), 0x200u);
}

TEST(InStepTest, KeepsThoseThatMovedUntilTheyAreLookedAt) {
  InStep known;
  known.use();
  known.join(0, 0b1111);
  known.moved(0, 0b0111);
  known.moved_alone(ContextId(1));
  EXPECT_EQ(known.take_moved(0, 0b0011), 0b0001u);
  EXPECT_EQ(known.take_moved(0, 0b1111), 0b0100u);
  EXPECT_EQ(known.with_first(0, 0b1111), 0b0111u) << "who looks compares the one that changed on its own";
}

TEST(InStepTest, ThoseThatWereNotAllInStepAreCompared) {
  InStep known;
  known.use();
  known.join(0, 0b0011);
  known.moved(0, 0b0111);
  EXPECT_EQ(known.take_moved(0, 0b0111), 0u);
  EXPECT_EQ(known.with_first(0, 0b0111), 0b0011u);
}

TEST(InStepTest, KnowsNothingWhereNobodyUsesIt) {
  InStep known;
  known.join(0, 0b11);
  known.moved(0, 0b11);
  EXPECT_FALSE(known.all(ContextId(0), 0b10));
  EXPECT_EQ(known.take_moved(0, 0b11), 0u);
}

}  // namespace
}  // namespace heddle::sm
