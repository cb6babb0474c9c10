// SPDX-License-Identifier: Apache-2.0
// Numbers and ranges as written on a command line.
#include "core/number_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace heddle {
namespace {

TEST(NumberRanges, TakesNumbersRangesAndOpenRanges) {
  const NumberRanges selection("3,7-9,12-", "--timing-kernels", 1);
  for (const std::uint64_t yes : {3, 7, 8, 9, 12, 1000}) EXPECT_TRUE(selection.contains(yes)) << yes;
  for (const std::uint64_t no : {1, 2, 4, 6, 10, 11}) EXPECT_FALSE(selection.contains(no)) << no;
}

TEST(NumberRanges, RefusesWhatIsNoSelection) {
  for (const char* text : {"0", "x", "3-2", "1,,x", "-4", "2-3-4"}) {
    EXPECT_THROW(NumberRanges(text, "--timing-kernels", 1), Error) << text;
  }
}

TEST(NumberRanges, NamesTheOptionInItsMessage) {
  try {
    NumberRanges("first", "--skip-kernels", 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("--skip-kernels"), testing::HasSubstr("first")));
  }
}

TEST(NumberRanges, NothingContainsNothing) {
  EXPECT_TRUE(NumberRanges("", "--sms").empty());
  EXPECT_FALSE(NumberRanges("", "--sms").contains(0));
  EXPECT_TRUE(NumberRanges("0", "--sms").contains(0));
}

}  // namespace
}  // namespace heddle
