// SPDX-License-Identifier: Apache-2.0
// How many blocks fit on an SM, and what limits them.
#include "sm/residency/sm_resources.h"

#include <gtest/gtest.h>

namespace heddle::sm {
namespace {

BlockNeed need_of(unsigned registers, unsigned threads, unsigned shared, unsigned granule = 32) {
  isa::Kernel kernel;
  kernel.registers = registers;
  return BlockNeed::of(kernel, threads, shared, granule, ResidencyParameters{});
}

TEST(SmResourcesTest, NeedsAreRoundedUpToTheirUnits) {
  const BlockNeed need = need_of(21, 100, 130);
  EXPECT_EQ(need.threads, 128u);
  EXPECT_EQ(need.registers, 4 * 704u) << "21 x 32 = 672, in multiples of 64: 704 a warp";
  EXPECT_EQ(need.shared_bytes, 256u);
  EXPECT_EQ(need_of(21, 100, 130, 256).threads, 256u) << "a large warp is allocated whole";
}

TEST(SmResourcesTest, EachResourceCanBeTheLimit) {
  const SmResources residency{ResidencyParameters{}};  // 1536 threads, 8 blocks, 32768 registers, 48 KiB
  std::string limit;
  EXPECT_EQ(residency.capacity(need_of(8, 64, 0), &limit), 8u);
  EXPECT_EQ(limit, "blocks");
  EXPECT_EQ(residency.capacity(need_of(8, 512, 0), &limit), 3u);
  EXPECT_EQ(limit, "threads");
  EXPECT_EQ(residency.capacity(need_of(63, 256, 0), &limit), 2u);
  EXPECT_EQ(limit, "registers");
  EXPECT_EQ(residency.capacity(need_of(8, 64, 20000), &limit), 2u);
  EXPECT_EQ(limit, "shared memory");
  EXPECT_EQ(residency.capacity(need_of(8, 64, 50000), &limit), 0u);
}

TEST(SmResourcesTest, BlocksThatLeaveMakeRoom) {
  SmResources residency{ResidencyParameters{}};
  const BlockNeed need = need_of(8, 512, 0);
  for (unsigned i = 0; i < residency.capacity(need); ++i) {
    ASSERT_TRUE(residency.fits(need));
    residency.take(need);
  }
  EXPECT_FALSE(residency.fits(need));
  residency.release(need);
  EXPECT_TRUE(residency.fits(need));
  EXPECT_EQ(residency.threads(), 1024u);
}

}  // namespace
}  // namespace heddle::sm
