// SPDX-License-Identifier: Apache-2.0
#include "cc/architecture.h"

#include <gtest/gtest.h>

namespace heddle::cc {
namespace {

TEST(Architecture, DefaultIsSeventyWithPtx64) {
  const Architecture chosen = choose_architecture({});
  EXPECT_EQ(chosen.name(), "sm_70");
  EXPECT_EQ(chosen.ptx_feature(), "+ptx64");
  EXPECT_EQ(chosen.note, "");
  EXPECT_EQ(choose_architecture({0}).number, 70) << "native and all are the driver's choice";
}

TEST(Architecture, WhatClangKnowsPassesThrough) {
  for (int number : {70, 72, 75, 80, 86}) {
    EXPECT_EQ(choose_architecture({number}).number, number);
    EXPECT_EQ(choose_architecture({number}).note, "");
  }
  EXPECT_EQ(choose_architecture({86}).ptx_feature(), "+ptx71");
}

TEST(Architecture, OthersBecomeTheNearestBelowOrTheOldest) {
  EXPECT_EQ(choose_architecture({20}).number, 70);
  EXPECT_EQ(choose_architecture({69}).number, 70);
  EXPECT_EQ(choose_architecture({71}).number, 70);
  EXPECT_EQ(choose_architecture({87}).number, 86);
  EXPECT_EQ(choose_architecture({120}).number, 86);
  EXPECT_NE(choose_architecture({20}).note.find("sm_20 is older"), std::string::npos);
  EXPECT_NE(choose_architecture({90}).note.find("sm_90 is newer"), std::string::npos);
}

TEST(Architecture, OfAListTheLowestIsCompiledAndNotedOnlyWhenNobodyAskedForIt) {
  EXPECT_EQ(choose_architecture({80, 75, 86}).number, 75);
  EXPECT_EQ(choose_architecture({35, 50, 70, 80}).number, 70);
  EXPECT_EQ(choose_architecture({35, 50, 70, 80}).note, "");
  EXPECT_EQ(choose_architecture({70, 35}).note, "");
  EXPECT_NE(choose_architecture({35, 80}).note, "");
}

}  // namespace
}  // namespace heddle::cc
