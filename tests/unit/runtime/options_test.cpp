// SPDX-License-Identifier: Apache-2.0
#include "runtime/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/error.h"

namespace heddle::runtime {
namespace {

class OptionsFromEnvironment : public testing::Test {
 protected:
  void TearDown() override {
    for (const OptionVariable& variable : option_variables()) unsetenv(variable.name.c_str());
  }
};

TEST_F(OptionsFromEnvironment, AreEmptyWithoutVariables) {
  const Options options = options_from_environment();
  EXPECT_TRUE(options.machine.empty());
  EXPECT_TRUE(options.settings.empty());
  EXPECT_FALSE(options.functional);
  EXPECT_TRUE(options.timed(1));
}

TEST_F(OptionsFromEnvironment, EveryVariableIsRead) {
  setenv("HEDDLE_MACHINE", "small", 1);
  setenv("HEDDLE_SET", "a.b=1\nc=\"x y\"", 1);
  setenv("HEDDLE_FUNCTIONAL", "1", 1);
  setenv("HEDDLE_OUTPUT", "/tmp/results", 1);
  setenv("HEDDLE_TIMING_KERNELS", "2", 1);
  setenv("HEDDLE_SKIP_KERNELS", "5", 1);
  setenv("HEDDLE_MAX_INSTRUCTIONS", "123", 1);
  setenv("HEDDLE_MAX_CYCLES", "456", 1);
  setenv("HEDDLE_THREADS", "3", 1);
  setenv("HEDDLE_THREAD_CYCLES", "5", 1);
  setenv("HEDDLE_QUIET", "1", 1);
  const Options options = options_from_environment();
  EXPECT_EQ(options.machine, "small");
  EXPECT_THAT(options.settings, testing::ElementsAre("a.b=1", "c=\"x y\""));
  EXPECT_TRUE(options.functional);
  EXPECT_EQ(options.output, "/tmp/results");
  EXPECT_TRUE(options.timing_kernels.contains(2));
  EXPECT_TRUE(options.skip_kernels.contains(5));
  EXPECT_EQ(options.max_instructions, 123u);
  EXPECT_EQ(options.max_cycles, 456u);
  EXPECT_EQ(options.threads, 3u);
  EXPECT_EQ(options.thread_cycles, 5u);
  EXPECT_TRUE(options.quiet);
}

TEST_F(OptionsFromEnvironment, MalformedNumbersAreRefused) {
  setenv("HEDDLE_MAX_CYCLES", "1e6", 1);
  EXPECT_THROW(options_from_environment(), Error);
}

TEST_F(OptionsFromEnvironment, ThereIsAtLeastOneThreadAndCycle) {
  EXPECT_EQ(options_from_environment().threads, 1u);
  setenv("HEDDLE_THREADS", "0", 1);
  EXPECT_THROW(options_from_environment(), Error);
  unsetenv("HEDDLE_THREADS");
  setenv("HEDDLE_THREAD_CYCLES", "0", 1);
  EXPECT_THROW(options_from_environment(), Error);
}

TEST_F(OptionsFromEnvironment, FlagsAreZeroOrOne) {
  setenv("HEDDLE_QUIET", "yes", 1);
  EXPECT_THROW(options_from_environment(), Error);
}

TEST(Options, SkippedLaunchesAreNotTimedEvenWhenSelected) {
  Options options;
  options.timing_kernels = NumberRanges("1-4", "");
  options.skip_kernels = NumberRanges("2", "");
  EXPECT_TRUE(options.timed(1));
  EXPECT_FALSE(options.timed(2));
  EXPECT_FALSE(options.timed(5));
  options.functional = true;
  EXPECT_FALSE(options.timed(1));
}

}  // namespace
}  // namespace heddle::runtime
