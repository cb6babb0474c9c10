// SPDX-License-Identifier: Apache-2.0
// The sub-warp packer as logic: the worked examples of docs/sources/large-warps-and-database-search.md 3.1 and 3.2, and
// properties that hold for any mask.
#include "sm/grouping/large_warps/subwarp_packer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "packer_rows.h"

namespace heddle::sm {
namespace {

using Cycles = std::vector<std::string>;
constexpr PackerShape kFigure{8, 4};
constexpr PackerShape kSmall{4, 4};

ThreadSet figure() { return threads_of(kFigureMask, kFigure); }
ThreadSet row(unsigned number) {
  ThreadSet threads;
  for (unsigned column = 0; column < kFigure.columns; ++column) threads.set(number * kFigure.columns + column);
  return threads;
}

TEST(SubwarpPacker, WorkedExample31_PacksTheMaskOfTheFigure) {
  EXPECT_EQ(pack_all(kFigure, figure(), PackMode::columns), (Cycles{"0 2 0 1", "1 3 2 2", "6 4 5 4", "7 7 - 5"}));
}

TEST(SubwarpPacker, WorkedExample31_PacksItWithTheLastColumnsExchanged) {
  EXPECT_EQ(pack_all(kFigure, threads_of(kFigureMaskExchanged, kFigure), PackMode::columns),
            (Cycles{"0 2 1 0", "1 3 2 2", "6 4 4 5", "7 7 5 -"}));
}

TEST(SubwarpPacker, WorkedExample31_LeavesWhatTheTableSays) {
  SubWarp packed = pack_subwarp(kFigure, {figure(), {}, figure(), PackMode::columns});
  EXPECT_EQ(packed.left, threads_of("0000 1000 0011 0100 0101 0011 1000 1100", kFigure));
  EXPECT_FALSE(packed.last);
  packed = pack_subwarp(kFigure, {packed.left, {}, figure(), PackMode::columns});
  EXPECT_EQ(packed.left, threads_of("0000 0000 0000 0000 0101 0011 1000 1100", kFigure));
  packed = pack_subwarp(kFigure, {packed.left, {}, figure(), PackMode::columns});
  EXPECT_EQ(packed.left, threads_of("0000 0000 0000 0000 0000 0001 0000 1100", kFigure));
  packed = pack_subwarp(kFigure, {packed.left, {}, figure(), PackMode::columns});
  EXPECT_TRUE(packed.left.none());
  EXPECT_TRUE(packed.last);
}

TEST(SubwarpPacker, WorkedExample32_OneFullColumn) {
  const ThreadSet column = threads_of("1000 1000 1000 1000", kSmall);
  EXPECT_EQ(pack_all(kSmall, column, PackMode::columns), (Cycles{"0 - - -", "1 - - -", "2 - - -", "3 - - -"}));
  EXPECT_EQ(pack_all(kSmall, column, PackMode::rows).size(), 4u);
  EXPECT_EQ(pack_all(kSmall, column, PackMode::arbitrary).size(), 1u);
}

TEST(SubwarpPacker, WorkedExample32_Diagonal) {
  const ThreadSet diagonal = threads_of("1000 0100 0010 0001", kSmall);
  EXPECT_EQ(pack_all(kSmall, diagonal, PackMode::columns), (Cycles{"0 1 2 3"}));
  EXPECT_EQ(pack_all(kSmall, diagonal, PackMode::rows).size(), 4u);
}

TEST(SubwarpPacker, WorkedExample32_AFullMaskIsItsRows) {
  const ThreadSet full = ThreadSet::first_n(16);
  const Cycles rows{"0 0 0 0", "1 1 1 1", "2 2 2 2", "3 3 3 3"};
  EXPECT_EQ(pack_all(kSmall, full, PackMode::columns), rows);
  EXPECT_EQ(pack_all(kSmall, full, PackMode::rows), rows);
}

TEST(SubwarpPacker, WorkedExample32_AJumpIsOneToken) {
  const PackerShape large{8, 32};
  EXPECT_EQ(pack_all(large, ThreadSet::first_n(256), PackMode::token), Cycles{"token"});
  EXPECT_EQ(pack_all(large, ThreadSet::first_n(256), PackMode::columns).size(), 8u);
}

TEST(SubwarpPacker, WorkedExample32_GlobalLoadsKeepTheirRows) {
  EXPECT_EQ(pack_all(kFigure, figure(), PackMode::rows),
            (Cycles{"0 - 0 -", "1 - - 1", "- 2 2 2", "- 3 - -", "- 4 - 4", "- - 5 5", "6 - - -", "7 7 - -"}));
}

TEST(SubwarpPacker, WorkedExample32_ThreadsInFlightAreLeftOut) {
  const SubWarp packed = pack_subwarp(kFigure, {figure(), row(0), figure(), PackMode::columns});
  EXPECT_EQ(rows_of(packed, kFigure), "1 2 2 1");
  EXPECT_TRUE(packed.left.contains(figure() & row(0)));
}

TEST(SubwarpPacker, WorkedExample32_FalseGuardsAreDropped) {
  const auto nobody = [](unsigned) { return ThreadSet{}; };
  EXPECT_EQ(pack_all(kFigure, figure(), PackMode::columns, nobody, [](unsigned) { return row(7); }), Cycles{"7 7 - -"});
}

TEST(SubwarpPacker, WorkedExample32_AGuardIsReadOnceItsProducerIsThrough) {
  const auto busy = [](unsigned cycle) { return cycle == 0 ? row(0) : ThreadSet{}; };
  const auto guard = [](unsigned cycle) { return cycle == 0 ? figure() - row(0) : figure(); };
  EXPECT_EQ(pack_all(kFigure, figure(), PackMode::columns, busy, guard),
            (Cycles{"1 2 2 1", "0 3 0 2", "6 4 5 4", "7 7 - 5"}));
}

TEST(SubwarpPacker, WorkedExample32_AGuardThatTurnsOutFalseEndsInANullSubWarp) {
  const auto busy = [](unsigned cycle) { return cycle <= 5 ? row(0) : ThreadSet{}; };
  const auto guard = [](unsigned) { return figure() - row(0); };
  EXPECT_EQ(pack_all(kFigure, figure(), PackMode::columns, busy, guard),
            (Cycles{"1 2 2 1", "6 3 5 2", "7 4 - 4", "- 7 - 5", "bubble", "bubble", "null"}));
}

TEST(SubwarpPacker, WorkedExample32_AnEmptyMaskIsOneNullSubWarp) {
  EXPECT_EQ(pack_all(kFigure, ThreadSet{}, PackMode::columns), Cycles{"null"});
}

TEST(SubwarpPacker, ARowWaitsUntilAllOfItIsFree) {
  ThreadSet one;
  one.set(1 * 4 + 3);  // row 1, column 3
  const SubWarp packed = pack_subwarp(kFigure, {figure() - row(0), one, figure(), PackMode::rows});
  EXPECT_EQ(rows_of(packed, kFigure), "- 2 2 2") << "row 1 has a thread in flight: the next row goes first";
}

/// For random masks, guards and threads in flight, of every shape.
class AnyMask : public ::testing::TestWithParam<PackerShape> {
 protected:
  ThreadSet draw(double share) {
    ThreadSet threads;
    std::bernoulli_distribution in(share);
    for (unsigned t = 0; t < GetParam().rows * GetParam().columns; ++t) {
      if (in(random_)) threads.set(t);
    }
    return threads;
  }
  /// The largest number of threads in a column.
  unsigned tallest(const ThreadSet& mask) const {
    std::vector<unsigned> height(GetParam().columns);
    mask.for_each([&](std::size_t t) { ++height[t % GetParam().columns]; });
    return *std::max_element(height.begin(), height.end());
  }
  unsigned rows_used(const ThreadSet& mask) const {
    std::vector<bool> used(GetParam().rows);
    mask.for_each([&](std::size_t t) { used[t / GetParam().columns] = true; });
    return static_cast<unsigned>(std::count(used.begin(), used.end(), true));
  }
  std::mt19937 random_{7};
};

TEST_P(AnyMask, ServesEveryThreadOnceInAsManyCyclesAsTheTallestColumn) {
  for (unsigned i = 0; i < 2000; ++i) {
    const ThreadSet mask = draw((i % 9 + 1) * 0.1), guard = draw(i % 3 == 0 ? 1.0 : 0.6);
    const ThreadSet served = mask & guard;
    const auto nobody = [](unsigned) { return ThreadSet{}; };
    const auto cycles = [&](PackMode mode) {
      return pack_all(GetParam(), mask, mode, nobody, [&](unsigned) { return guard; }).size();
    };
    const std::size_t columns = cycles(PackMode::columns), rows = cycles(PackMode::rows);
    const std::size_t arbitrary = cycles(PackMode::arbitrary);
    EXPECT_EQ(columns, std::max(1u, tallest(served)));
    EXPECT_EQ(rows, std::max(1u, rows_used(served)));
    EXPECT_EQ(arbitrary, std::max<std::size_t>(1, (served.count() + GetParam().columns - 1) / GetParam().columns));
    EXPECT_LE(arbitrary, columns);
    EXPECT_LE(columns, rows);
  }
}

TEST_P(AnyMask, HasAThreadAColumnAtMostAndNoneThatIsInFlight) {
  for (unsigned i = 0; i < 2000; ++i) {
    const ThreadSet mask = draw(0.5), guard = draw(0.8), busy = draw(0.3);
    const SubWarp packed = pack_subwarp(GetParam(), {mask, busy, guard, PackMode::columns});
    EXPECT_LE(tallest(packed.threads), 1u);
    EXPECT_FALSE(packed.threads.intersects(busy));
    EXPECT_TRUE((mask & guard).contains(packed.threads));
    // Only threads that are not in flight and have a false guard are dropped.
    EXPECT_EQ(packed.left | packed.threads, mask - ((mask - busy) - guard));
    EXPECT_FALSE(packed.left.intersects(packed.threads));
    packed.threads.for_each(
        [&](std::size_t t) { EXPECT_EQ(packed.row[t % GetParam().columns], t / GetParam().columns); });
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, AnyMask,
                         ::testing::Values(PackerShape{4, 4}, PackerShape{8, 4}, PackerShape{2, 32}, PackerShape{4, 32},
                                           PackerShape{8, 32}, PackerShape{16, 32}, PackerShape{3, 16}),
                         [](const auto& shape) {
                           return std::to_string(shape.param.rows) + "x" + std::to_string(shape.param.columns);
                         });

}  // namespace
}  // namespace heddle::sm
