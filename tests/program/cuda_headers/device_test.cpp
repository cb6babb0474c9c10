// SPDX-License-Identifier: Apache-2.0
// What the headers' functions give when kernels that call them run on the functional machine.
#include "../runtime/run_program.h"

namespace heddle::test {
namespace {

class DeviceCode : public RunProgram {
 protected:
  void expect_all_right(const std::string& program) {
    const Result result = run(program);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.out, "all right\n");
  }
};

TEST_F(DeviceCode, MathFunctionsStayWithinTheirBounds) { expect_all_right("device_math"); }
TEST_F(DeviceCode, IntegerWarpAtomicAndMemoryFunctionsGiveWhatPlainCodeGives) { expect_all_right("device_functions"); }
TEST_F(DeviceCode, GroupsHalvesAndComplexNumbersGiveWhatPlainCodeGives) { expect_all_right("device_groups"); }

}  // namespace
}  // namespace heddle::test
