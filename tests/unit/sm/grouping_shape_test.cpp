// SPDX-License-Identifier: Apache-2.0
// Machine shapes that groupings accept or refuse.
#include <gtest/gtest.h>

#include <array>

#include "core/error.h"
#include "sm/grouping/grouping_unit.h"

namespace heddle::sm {
namespace {

std::unique_ptr<GroupingUnit> build(const char* name, const GroupingShape& shape, ContextTable& table) {
  Mechanism<GroupingUnit> grouping{name};
  return make(grouping, shape, table);
}

TEST(GroupingShapeTest, LargeWarpsAreAtLeastOneRow) {
  ContextTable table;
  const auto with_warps_of = [&](unsigned warp_size) {
    return build("large_warps", {.threads = 256, .warp_size = warp_size, .simd_width = 32, .issue_slots = 1}, table);
  };
  EXPECT_THROW(with_warps_of(16), Error);
  EXPECT_NE(with_warps_of(32), nullptr);
}

TEST(GroupingShapeTest, MoreContextsThanCanBeToldApartAreRefused) {
  ContextTable table;
  for (const char* name : {"reconvergence_stack", "thread_frontiers"})
    EXPECT_THROW(build(name, {.threads = 4096, .warp_size = 4, .simd_width = 4, .issue_slots = 1}, table), Error)
        << name;
  EXPECT_THROW(build("variable_warps", {.threads = 4096, .warp_size = 4, .simd_width = 32, .issue_slots = 8}, table),
               Error);
  EXPECT_THROW(
      build("branch_interweaving", {.threads = 2048, .warp_size = 4, .simd_width = 4, .issue_slots = 2}, table), Error);
}

TEST(GroupingShapeTest, ASliceHasItsShareOfTheLanes) {
  ContextTable table;
  const auto lanes = [&](unsigned warp_size, unsigned width, unsigned context) {
    return build("variable_warps",
                 {.threads = 256, .warp_size = warp_size, .simd_width = width, .issue_slots = 32 / warp_size}, table)
        ->lanes(ContextId(context), isa::MicroOp{}, {});
  };
  EXPECT_EQ(lanes(4, 32, 0).lanes.word(0), 0xfu);
  EXPECT_EQ(lanes(4, 32, 9).lanes.word(0), 0xf0u) << "warp 9 is on slice 1";
  EXPECT_EQ(lanes(4, 32, 9).waves, 1u);
  EXPECT_EQ(lanes(8, 32, 3).lanes.word(0), 0xff000000u);
  // Narrow slices pass a warp in several waves.
  EXPECT_EQ(lanes(4, 8, 3).lanes.word(0), 0x8u);
  EXPECT_EQ(lanes(4, 8, 3).waves, 4u);
}

TEST(GroupingShapeTest, SlicesMustFitTheMachine) {
  ContextTable table;
  for (const auto& [warp_size, width, slots] :
       {std::array{4u, 32u, 1u}, {4u, 64u, 8u}, {32u, 32u, 1u}, {64u, 64u, 1u}, {4u, 4u, 8u}}) {
    EXPECT_THROW(build("variable_warps",
                       {.threads = 256, .warp_size = warp_size, .simd_width = width, .issue_slots = slots}, table),
                 Error)
        << warp_size << " " << width << " " << slots;
  }
}

}  // namespace
}  // namespace heddle::sm
