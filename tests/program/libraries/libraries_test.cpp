// SPDX-License-Identifier: Apache-2.0
#include "library_program.h"

namespace heddle::test {
namespace {

using Libraries = LibraryProgram;

// Thrust and CUB on the device take longest to compile: one in each half of the tests.
TEST_F(Libraries, ThrustGivesWhatTheStandardLibraryGives) {
  expect_all_right("thrust_algorithms", {"--functional"});
  expect_all_right("thrust_algorithms 700", {"--machine small"});
}
TEST_F(Libraries, CubSortsScansReducesSelectsAndCountsOnTheDevice) {
  expect_all_right("cub_device", {"--functional"});
  expect_all_right("cub_device 700", {"--machine small"});
}
TEST_F(Libraries, ThrustServesPlainCxxFiles) { expect_all_right("thrust_host", {"--functional"}); }
TEST_F(Libraries, CubCollectivesOfBlocksAndWarps) {
  expect_all_right("cub_collectives", {"--functional", "--machine small", "--machine large-warp-core"});
}
TEST_F(Libraries, LibcudacxxAtomicsBarriersAndValues) {
  expect_all_right("cuda_std", {"--functional", "--machine small", "--machine gtx480"});
}
TEST_F(Libraries, CurandReproducesPublishedNumbersInKernels) {
  expect_all_right("curand_device", {"--functional", "--machine two-level-core", "--machine gtx480"});
}
TEST_F(Libraries, CurandFillsMemoryFromTheHost) { expect_all_right("curand_host", {"--functional"}); }

}  // namespace
}  // namespace heddle::test
