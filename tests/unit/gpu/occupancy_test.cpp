// SPDX-License-Identifier: Apache-2.0
#include "gpu/occupancy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace heddle::gpu {
namespace {

/// The GTX 480 of docs/sources/gtx480.md 1. It has 32,768 registers, 48 warps, 8 blocks, 48 KB.
const DeviceLimits kLimits;

void expect(const BlockNeeds& needs, std::uint32_t blocks, const char* limit) {
  const Occupancy result = occupancy(kLimits, needs);
  EXPECT_EQ(result.blocks_per_sm, blocks);
  EXPECT_STREQ(result.limit, limit);
}

TEST(Occupancy, SmallBlocksAreBoundedByBlockSlots) { expect({32, 10, 0}, 8, "blocks"); }

TEST(Occupancy, LargeBlocksAreBoundedByWarps) {
  expect({256, 16, 0}, 6, "warps");
  expect({1024, 16, 0}, 1, "warps");
}

TEST(Occupancy, RegistersAreAllocatedByWholeWarps) {
  // 8 warps x 21 registers x 32 threads = 5,376, rounded up per warp to 704: 5,632; 32,768 / 5,632 = 5.
  expect({256, 21, 0}, 5, "registers");
  expect({250, 21, 0}, 5, "registers");
}

TEST(Occupancy, RegistersJustFitAtTheLimit) {
  expect({512, 64, 0}, 1, "registers");
  expect({513, 64, 0}, 0, "registers");
}

TEST(Occupancy, SharedMemoryIsAllocatedInUnits) {
  expect({64, 10, 12 * 1024}, 4, "shared memory");
  expect({64, 10, 12 * 1024 + 1}, 3, "shared memory");
  expect({64, 10, 48 * 1024}, 1, "shared memory");
  expect({64, 10, 48 * 1024 + 1}, 0, "shared memory of a block");
}

/// Most registers of a thread of a kernel with these bounds; 0 is none.
std::uint32_t most_registers(std::uint32_t own, std::uint32_t threads, std::uint32_t blocks, std::uint32_t shared = 0) {
  isa::Kernel kernel;
  kernel.max_registers = own;
  kernel.max_threads[0] = threads;
  kernel.min_blocks = blocks;
  kernel.static_shared_bytes = shared;
  return register_limit(kLimits, kernel);
}

TEST(RegisterLimit, IsTheMachinesWithoutBounds) { EXPECT_EQ(most_registers(0, 0, 0), 255u); }

TEST(RegisterLimit, IsTheKernelsOwnWhereThatIsLower) {
  EXPECT_EQ(most_registers(24, 0, 0), 24u);
  EXPECT_EQ(most_registers(300, 0, 0), 255u);
}

TEST(RegisterLimit, LeavesRoomForTheBlocksOfLaunchBounds) {
  EXPECT_EQ(most_registers(0, 256, 6), 20u) << "48 warps of 640 registers; of 21 a warp takes 704";
  EXPECT_EQ(most_registers(0, 256, 5), 24u);
  EXPECT_EQ(most_registers(16, 256, 6), 16u);
  EXPECT_EQ(most_registers(0, 1024, 0), 32u) << "one block at least";
}

TEST(RegisterLimit, AsksForNoMoreBlocksThanOtherLimitsAllow) {
  EXPECT_EQ(most_registers(0, 256, 6, 12 * 1024), 32u) << "shared memory holds 4";
  EXPECT_EQ(most_registers(0, 256, 100), 20u) << "6 by warps";
}

class CheckLaunch : public testing::Test {
 protected:
  CheckLaunch() {
    kernel_.name = "k";
    kernel_.registers = 20;
    kernel_.static_shared_bytes = 1024;
  }
  std::string refusal(Dim3 grid, Dim3 block, std::uint32_t dynamic) {
    LaunchRequest request;
    request.kernel = std::make_shared<isa::Kernel>(kernel_);
    request.grid = grid, request.block = block, request.dynamic_shared_bytes = dynamic;
    try {
      check_launch(kLimits, request);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::launch);
      return error.what();
    }
    return "";
  }
  isa::Kernel kernel_;
};

TEST_F(CheckLaunch, TakesWhatFits) { EXPECT_EQ(refusal({1, 1, 1}, {1024, 1, 1}, 47 * 1024), ""); }

TEST_F(CheckLaunch, NamesWhatDoesNot) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal({0, 1, 1}, {32, 1, 1}, 0), HasSubstr("empty"));
  EXPECT_THAT(refusal({1, 1, 1}, {1024, 2, 1}, 0), HasSubstr("2048 threads per block"));
  EXPECT_THAT(refusal({1, 1, 1}, {32, 1, 1}, 47 * 1024 + 1), HasSubstr("1024 static"));
  kernel_.registers = 100;
  EXPECT_THAT(refusal({1, 1, 1}, {1024, 1, 1}, 0), HasSubstr("registers exceeded"));
}

}  // namespace
}  // namespace heddle::gpu
