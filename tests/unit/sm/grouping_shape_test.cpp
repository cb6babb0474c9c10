// SPDX-License-Identifier: Apache-2.0
// Machine shapes that groupings accept or refuse.
#include <gtest/gtest.h>

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
  EXPECT_THROW(build("sliced_warps", {.threads = 4096, .warp_size = 4, .simd_width = 32, .issue_slots = 8}, table),
               Error);
  EXPECT_THROW(
      build("branch_interweaving", {.threads = 2048, .warp_size = 4, .simd_width = 4, .issue_slots = 2}, table), Error);
}

TEST(GroupingShapeTest, ASliceMayBeTheWholeDatapath) {
  ContextTable table;
  const auto slices =
      build("sliced_warps", {.threads = 256, .warp_size = 64, .simd_width = 64, .issue_slots = 1}, table);
  EXPECT_EQ(slices->lanes(ContextId(0), isa::MicroOp{}, {}).lanes.word(0), ~std::uint64_t{0});
}

}  // namespace
}  // namespace heddle::sm
