// SPDX-License-Identifier: Apache-2.0
#include "sm_fixture.h"

namespace heddle {
namespace {

class MemoryStageTest : public SmTest {
 protected:
  std::vector<std::uint32_t> line_ = std::vector<std::uint32_t>(128);
  /// A line's first byte: stores to it and what follows make known transactions.
  std::uint64_t aligned() const { return (address(line_.data()) + 127) / 128 * 128; }
  /// Runs one warp of 32 whose threads store 4 bytes at stride bytes; `guard` may keep some from it.
  void store(unsigned stride, const std::string& guard = "") {
    build();
    run(kernel(".param .u64 p", R"(
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  )" + guard + "mul.wide.u32 %rd2, %r1, " +
                                    std::to_string(stride) + R"(;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;)"),
        {1}, {32}, {aligned()});
  }
};

TEST_F(MemoryStageTest, AWarpThatWritesAWholeLineSendsNoPartialStore) {
  store(4);
  EXPECT_EQ(side_->memory().partial_stores, 0u);
}

TEST_F(MemoryStageTest, AStoreOfEverySecondWordLeavesBothLinesPartial) {
  store(8);
  EXPECT_EQ(side_->memory().partial_stores, 2u);
}

TEST_F(MemoryStageTest, AThreadThatLeftMakesTheStorePartial) {
  store(4, "setp.eq.u32 %p1, %r1, 31; @%p1 ret; ");
  EXPECT_EQ(side_->memory().partial_stores, 1u);
}

}  // namespace
}  // namespace heddle
