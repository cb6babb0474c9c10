// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DeviceRegions, OpenWithTheFirstThreadAndCloseWithTheLast) {
  DeviceRegions regions;
  EXPECT_FALSE(regions.changed());
  regions.count("a", 32);
  EXPECT_TRUE(regions.changed());
  EXPECT_THAT(regions.settle().opened, ElementsAre("a"));
  EXPECT_FALSE(regions.changed());
  regions.count("a", 16);
  EXPECT_FALSE(regions.changed()) << "more threads come";
  regions.count("a", -32);
  EXPECT_FALSE(regions.changed()) << "16 are left";
  regions.count("a", -16);
  EXPECT_TRUE(regions.changed());
  const DeviceRegions::Changes changes = regions.settle();
  EXPECT_THAT(changes.closed, ElementsAre("a"));
  EXPECT_THAT(changes.opened, IsEmpty());
}

TEST(DeviceRegions, SumUpBetweenTwoLooksInAnyOrder) {
  for (const bool leave_first : {false, true}) {
    DeviceRegions regions;
    regions.count("a", 32);
    regions.settle();
    regions.count("a", leave_first ? -32 : 8);
    regions.count("a", leave_first ? 8 : -32);
    EXPECT_FALSE(regions.changed()) << "it stays open";
    regions.count("b", leave_first ? -4 : 4);
    regions.count("b", leave_first ? 4 : -4);
    EXPECT_FALSE(regions.changed()) << "it was never open";
  }
}

TEST(DeviceRegions, AreToldInTheOrderOfTheirNames) {
  DeviceRegions regions;
  regions.count("b", 1);
  regions.count("c", 1);
  regions.count("a", 1);
  EXPECT_THAT(regions.settle().opened, ElementsAre("a", "b", "c"));
}

TEST(DeviceRegions, LeftByMoreThanEnteredAreToldAndEmpty) {
  DeviceRegions regions;
  regions.count("a", 4);
  regions.settle();
  regions.count("a", -5);
  EXPECT_TRUE(regions.changed());
  const DeviceRegions::Changes changes = regions.settle();
  EXPECT_THAT(changes.closed, ElementsAre("a"));
  EXPECT_THAT(changes.unmatched, ElementsAre("a"));
  regions.count("a", 1);
  EXPECT_THAT(regions.settle().opened, ElementsAre("a")) << "nobody owes a thread";
}

TEST(DeviceRegions, EndWithTheKernel) {
  DeviceRegions regions;
  regions.count("a", 4);
  regions.count("b", 4);
  regions.settle();
  regions.count("b", -4);
  regions.settle();
  EXPECT_THAT(regions.end(), ElementsAre("a"));
  EXPECT_THAT(regions.end(), IsEmpty());
  regions.count("a", 1);
  EXPECT_THAT(regions.settle().opened, ElementsAre("a"));
}

}  // namespace
}  // namespace heddle::runtime
