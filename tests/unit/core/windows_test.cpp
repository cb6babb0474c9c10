// SPDX-License-Identifier: Apache-2.0
// Recording windows.
#include "core/statistics/windows.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace heddle {
namespace {

TEST(ParseWindows, TakesBothEndsOneEndAndSeveral) {
  const auto windows = parse_windows("1000:2000,5:9,3000:").cycles;
  ASSERT_EQ(windows.size(), 3u);
  EXPECT_EQ(windows[0].first, 5u);
  EXPECT_EQ(windows[0].last, 9u);
  EXPECT_EQ(windows[1].last, 2000u);
  EXPECT_EQ(windows[2].last, kNever);
  EXPECT_EQ(parse_windows(":7").cycles[0].first, 0u);
  EXPECT_EQ(parse_windows(":7").cycles[0].last, 7u);
}

TEST(ParseWindows, TakesKernelsPlacesAndTheTimeBeforeAnError) {
  const auto request = parse_windows("kernel=expand*,pc=*:12,line=bfs.cu:42+500");
  EXPECT_EQ(request.kernels, std::vector<std::string>{"expand*"});
  ASSERT_EQ(request.triggers.size(), 2u);
  EXPECT_FALSE(request.triggers[0].line);
  EXPECT_EQ(request.triggers[0].number, 12u);
  EXPECT_EQ(request.triggers[0].cycles, kTriggerCycles);
  EXPECT_TRUE(request.triggers[1].line);
  EXPECT_EQ(request.triggers[1].pattern, "bfs.cu");
  EXPECT_EQ(request.triggers[1].number, 42u);
  EXPECT_EQ(request.triggers[1].cycles, 500u);
  EXPECT_EQ(parse_windows("last=5000").before_error, 5000u);
}

TEST(ParseWindows, RefusesWhatIsNoWindow) {
  for (const char* wrong : {"", "5", "a:b", "9:5", "1:5,5:9", "-1:5", "1:2x", "kernel=", "pc=12", "pc=:12", "line=a:b",
                            "line=a:1+0", "last=0", "last=", "last=5,1:2", "colour=red"}) {
    EXPECT_THROW(parse_windows(wrong), Error) << wrong;
  }
}

TEST(WindowsOfARun, NothingAskedForIsEverything) {
  const Windows windows{WindowRequest{}};
  EXPECT_TRUE(windows.contains(0));
  EXPECT_TRUE(windows.contains(kNever - 1));
}

TEST(WindowsOfARun, BothEndsAreInside) {
  const Windows windows(parse_windows("10:20,30:40"));
  EXPECT_FALSE(windows.contains(9));
  EXPECT_TRUE(windows.contains(10));
  EXPECT_TRUE(windows.contains(20));
  EXPECT_FALSE(windows.contains(21));
  EXPECT_EQ(windows.from(21)->first, 30u);
  EXPECT_EQ(windows.from(41), nullptr);
}

TEST(WindowsOfARun, TriggersThatFollowEachOtherMakeOneWindow) {
  Windows windows(parse_windows("pc=k:0"));
  EXPECT_FALSE(windows.contains(5));
  windows.open({100, 150});
  const auto before = windows.generation();
  windows.open({120, 170});
  EXPECT_NE(windows.generation(), before);
  EXPECT_EQ(windows.from(0)->first, 100u);
  EXPECT_EQ(windows.from(0)->last, 170u);
  windows.open({200, 210});
  EXPECT_FALSE(windows.contains(171));
  EXPECT_TRUE(windows.contains(200));
}

TEST(WindowsOfARun, AKernelOfTheNameIsRecordedFromItsFirstCycleToItsLast) {
  Windows windows(parse_windows("kernel=exp*,500:600"));
  windows.kernel_begins("other", 10);
  windows.kernel_ends(20);
  EXPECT_FALSE(windows.contains(15));
  windows.kernel_begins("expand", 21);
  EXPECT_TRUE(windows.contains(21));
  EXPECT_TRUE(windows.contains(400));
  windows.kernel_ends(550);
  EXPECT_TRUE(windows.contains(550));
  EXPECT_TRUE(windows.contains(600)) << "asked for by cycles as well";
  EXPECT_FALSE(windows.contains(601));
}

}  // namespace
}  // namespace heddle
