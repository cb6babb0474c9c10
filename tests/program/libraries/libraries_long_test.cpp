// SPDX-License-Identifier: Apache-2.0
#include "library_program.h"

namespace heddle::test {
namespace {

using LargeInputs = LibraryProgram;

TEST_F(LargeInputs, OfThrust) {
  expect_all_right("thrust_algorithms 60001", {"--functional", "--machine two-level-core", "--machine gtx480"});
}
TEST_F(LargeInputs, OfCub) {
  expect_all_right("cub_device 60001", {"--functional", "--machine two-level-core", "--machine gtx480"});
}

}  // namespace
}  // namespace heddle::test
