// SPDX-License-Identifier: Apache-2.0
#include "sm/grouping/resizing/large_warp_intensive.h"

#include "../isa/front_end_fixture.h"

namespace heddle::sm {
namespace {

constexpr LatMask kEverySpace{true, true, true}, kNoSpace{false, false, false};

bool intensive(const std::string& instruction, LatMask mask = {}) {
  const auto kernel = isa::lower_body(
      ".local .align 8 .b8 spot[16]; .shared .align 8 .b8 tile[16]; " + instruction + " ret;", ".param .u32 n");
  return is_large_warp_intensive(kernel->ops[0], mask);
}

TEST(LargeWarpIntensive, LoadsAndStoresOfGlobalAndLocalMemory) {
  for (const char* text :
       {"ld.global.u32 %r1, [%d1];", "st.global.u8 [%d1], %r1;", "ld.global.nc.v2.f32 {%f1, %f2}, [%d1];",
        "ld.local.u32 %r1, [%d1];", "st.local.v4.u32 [%d1], {%r1, %r2, %r3, %r4};",
        "ld.volatile.global.u32 %r1, [%d1];", "@%p1 ld.global.u32 %r1, [%d1];"}) {
    EXPECT_TRUE(intensive(text)) << text;
    EXPECT_FALSE(intensive(text, kNoSpace)) << text;
  }
}

TEST(LargeWarpIntensive, ParametersOnlyWhereTheMaskSaysSo) {
  EXPECT_FALSE(intensive("ld.param.u32 %r1, [n];"));
  EXPECT_TRUE(intensive("ld.param.u32 %r1, [n];", kEverySpace));
  EXPECT_TRUE(intensive("ld.param.u32 %r1, [n];", {false, false, true}));
}

TEST(LargeWarpIntensive, EachBitIsForItsSpaceAlone) {
  EXPECT_TRUE(intensive("ld.global.u32 %r1, [%d1];", {true, false, false}));
  EXPECT_FALSE(intensive("ld.global.u32 %r1, [%d1];", {false, true, true}));
  EXPECT_TRUE(intensive("ld.local.u32 %r1, [%d1];", {false, true, false}));
  EXPECT_FALSE(intensive("ld.local.u32 %r1, [%d1];", {true, false, true}));
}

TEST(LargeWarpIntensive, GenericCountsAsGlobalUnlessLoweringKnowsTheVariable) {
  EXPECT_TRUE(intensive("ld.u32 %r1, [%d1];", {true, false, false}));
  EXPECT_FALSE(intensive("ld.u32 %r1, [%d1];", {false, true, true}));
  EXPECT_TRUE(intensive("ld.u32 %r1, [spot];", {false, true, false}));
  EXPECT_FALSE(intensive("ld.u32 %r1, [tile];", kEverySpace));
}

TEST(LargeWarpIntensive, NothingElse) {
  for (const char* text :
       {"ld.shared.u32 %r1, [%r2];", "st.shared.u32 [%r2], %r1;", "ld.const.u32 %r1, [%d1];",
        "atom.global.add.u32 %r1, [%d1], 1;", "red.global.add.u32 [%d1], 1;", "prefetch.global.L1 [%d1];",
        "cp.async.ca.shared.global [%r2], [%d1], 4;", "heddle.cond_acc.global.b32 %r1, [%d1], %p1, %r3;",
        "add.u32 %r1, %r1, %r2;", "bar.sync 0;", "mov.u32 %r1, %tid.x;"}) {
    EXPECT_FALSE(intensive(text, kEverySpace)) << text;
  }
}

}  // namespace
}  // namespace heddle::sm
