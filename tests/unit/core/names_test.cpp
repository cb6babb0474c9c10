// SPDX-License-Identifier: Apache-2.0
#include "core/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GlobMatch, TakesStarsQuestionMarksAndAlternatives) {
  EXPECT_TRUE(glob_match("sm0.*", "sm0.issue.pc"));
  EXPECT_FALSE(glob_match("sm0.*", "sm01.issue"));
  EXPECT_TRUE(glob_match("sm?.pc", "sm1.pc"));
  EXPECT_FALSE(glob_match("sm?.pc", "sm10.pc"));
  EXPECT_TRUE(glob_match("sm0.*,mc*.bank*", "mc12.bank3.row"));
  EXPECT_FALSE(glob_match("sm0.*,mc*.bank*", "mc12.queue"));
  EXPECT_TRUE(glob_match("*a*b", "xaxxaxb"));
  EXPECT_FALSE(glob_match("*a*b", "xaxxaxc"));
  EXPECT_TRUE(glob_match("**", ""));
  EXPECT_FALSE(glob_match("?", ""));
  EXPECT_TRUE(glob_match("", ""));
  EXPECT_TRUE(glob_match("a.b[0-3]", "a.b[0-3]"));
}

TEST(NaturalOrder, CountsDigitsAsNumbers) {
  EXPECT_TRUE(natural_less("sm2", "sm10"));
  EXPECT_FALSE(natural_less("sm10", "sm2"));
  EXPECT_TRUE(natural_less("sm2.b", "sm10.a"));
  EXPECT_TRUE(natural_less("sm", "sm0"));
  EXPECT_TRUE(natural_less("a9", "b1"));
  EXPECT_FALSE(natural_less("sm3", "sm3"));
}

TEST(NaturalOrder, IsStrictAlsoForLeadingZeros) { EXPECT_NE(natural_less("a01", "a1"), natural_less("a1", "a01")); }

TEST(KernelName, IsShownAndMatchedAsInTheSource) {
  EXPECT_EQ(demangled("_Z6expandPKiPi"), "expand(int const*, int*)");
  EXPECT_EQ(demangled("plain"), "plain");
  EXPECT_EQ(kernel_title("_Z6expandPKiPi"), "expand");
  EXPECT_EQ(kernel_title("_Z4walkIfEvPT_"), "walk<float>") << "a template, which states its result";
  EXPECT_EQ(kernel_title("_ZN12_GLOBAL__N_14stepEi"), "(anonymous namespace)::step");
  EXPECT_EQ(kernel_title("_Z3sumIiLi4EEvPT_"), "sum<int, 4>");
  EXPECT_EQ(kernel_title("_ZN4deep4workIN12_GLOBAL__N_11TEEEvi"), "deep::work<(anonymous namespace)::T>");
  EXPECT_EQ(kernel_title("plain"), "plain");
  for (const char* pattern : {"expand", "expand*", "_Z6expand*", "expand(*", "other,expand"})
    EXPECT_TRUE(kernel_match(pattern, "_Z6expandPKiPi")) << pattern;
  EXPECT_FALSE(kernel_match("exp", "_Z6expandPKiPi"));
}

TEST(NearestSpelling, FindsSlipsAndNothingFarAway) {
  const std::vector<std::string> keys = {"sets", "ways", "line_size", "replacement"};
  EXPECT_THAT(nearest_spellings("sest", keys), ElementsAre("sets"));
  EXPECT_THAT(nearest_spellings("linesize", keys), ElementsAre("line_size"));
  EXPECT_THAT(nearest_spellings("replacment", keys), ElementsAre("replacement"));
  EXPECT_THAT(nearest_spellings("banana", keys), IsEmpty());
  EXPECT_THAT(nearest_spellings("ways", {"wayz", "ways", "way"}, 2), ElementsAre("ways", "way"));
}

TEST(NearestHint, IsAQuestionOrNothing) {
  EXPECT_EQ(nearest_hint("way", {"sets", "ways"}), "; did you mean 'ways'?");
  EXPECT_EQ(nearest_hint("banana", {"sets", "ways"}), "");
}

TEST(Split, GivesThePartsBetweenSeparators) {
  EXPECT_THAT(split("sm0.issue.pc", '.'), ElementsAre("sm0", "issue", "pc"));
  EXPECT_THAT(split("", '.'), ElementsAre(""));
  EXPECT_THAT(split("a.", '.'), ElementsAre("a", ""));
}

}  // namespace
}  // namespace heddle
