// SPDX-License-Identifier: Apache-2.0
#include "cc/make_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::cc {
namespace {

using testing::ElementsAre;

TEST(MakeRule, IsReadOverContinuedLinesUpToItsEnd) {
  const MakeRule rule = parse_make_rule("a.o b.o: x.cu \\\n  y.h z\\ w.h \\\n x.cu\ny.h:\n");
  EXPECT_EQ(rule.targets, "a.o b.o");
  EXPECT_THAT(rule.files, ElementsAre("x.cu", "y.h", "z\\ w.h"));
}

TEST(MakeRule, ColonInATargetDoesNotEndIt) { EXPECT_EQ(parse_make_rule("dir:x/a.o: b.h\n").targets, "dir:x/a.o"); }

TEST(MakeRule, MergeKeepsFilesOfBothOnceAndDropsIntermediateOnes) {
  const MakeRule merged =
      merge_make_rules(parse_make_rule("a.o: x.cu h.h /tmp/w/p.ptx\n"), parse_make_rule("b.o: x.cu d.h\n"), "/tmp/w/");
  EXPECT_EQ(merged.targets, "a.o");
  EXPECT_THAT(merged.files, ElementsAre("x.cu", "h.h", "d.h"));
}

TEST(MakeRule, TextIsReadBackAsTheSameRule) {
  const MakeRule rule{"a.o", {"x.cu", "y\\ z.h"}};
  EXPECT_EQ(parse_make_rule(make_rule_text(rule, false)).files, rule.files);
  EXPECT_EQ(make_rule_text(rule, true), "a.o: \\\n  x.cu \\\n  y\\ z.h\ny\\ z.h:\n");
}

}  // namespace
}  // namespace heddle::cc
