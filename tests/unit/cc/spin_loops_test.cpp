// SPDX-License-Identifier: Apache-2.0
#include "cc/spin_loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::cc {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kTry =
    "define internal i32 @try(i32* %0) {\n"
    "  %2 = cmpxchg i32* %0, i32 0, i32 1 seq_cst seq_cst, align 4\n"
    "  %3 = extractvalue { i32, i1 } %2, 0\n"
    "  ret i32 %3\n"
    "}\n"
    "define internal void @give_back(i32* %0) {\n"
    "  %2 = atomicrmw xchg i32* %0, i32 0 seq_cst, align 4\n"
    "  ret void\n"
    "}\n";
const std::string kMeeting =
    "  call void asm sideeffect \"// threads that try to take a lock meet here\", \"\"() #100000000\n";

/// A kernel with a loop: block 4 tests `done` (%2); `body` is the blocks from 7 on, that lead back to 4.
std::string kernel(const std::string& body) {
  return kTry +
         "define void @k(i32* %0) {\n"
         "  %2 = alloca i8, align 1\n"
         "  %3 = alloca i32, align 4\n"
         "  store i8 0, i8* %2, align 1\n"
         "  br label %4\n"
         "\n"
         "4:                                                ; preds = %40, %1\n"
         "  %5 = load i8, i8* %2, align 1\n"
         "  %6 = trunc i8 %5 to i1\n"
         "  br i1 %6, label %99, label %7\n"
         "\n" +
         body +
         "\n"
         "99:                                               ; preds = %4\n"
         "  ret void\n"
         "}\n";
}

const std::string kTakeAndGiveBack =
    "7:                                                ; preds = %4\n"
    "  %8 = call i32 @try(i32* %0)\n"
    "  %9 = icmp eq i32 %8, 0\n"
    "  br i1 %9, label %10, label %40\n"
    "\n"
    "10:                                               ; preds = %7\n"
    "  call void @give_back(i32* %0)\n"
    "  store i8 1, i8* %2, align 1\n"
    "  br label %40\n"
    "\n"
    "40:                                               ; preds = %10, %7\n";

TEST(SpinLoops, ThreadsMeetBeforeTheBranchBack) {
  const std::string branch = "  br label %4, !llvm.loop !9\n";
  EXPECT_EQ(with_meeting_points(kernel(kTakeAndGiveBack + branch)),
            kernel(kTakeAndGiveBack + kMeeting + branch) + "attributes #100000000 = { convergent nounwind }\n");
}

TEST(SpinLoops, ThreadsThatContinueMeetTheOthersInABlockOfTheirOwn) {
  const std::string text =
      with_meeting_points(kernel("7:                                                ; preds = %4\n"
                                 "  %8 = call i32 @try(i32* %0)\n"
                                 "  %9 = icmp eq i32 %8, 0\n"
                                 "  br i1 %9, label %40, label %4\n"
                                 "\n"
                                 "40:                                               ; preds = %7\n"
                                 "  call void @give_back(i32* %0)\n"
                                 "  store i8 1, i8* %2, align 1\n"
                                 "  br label %4, !llvm.loop !9\n"));
  EXPECT_THAT(text, HasSubstr("  br i1 %9, label %40, label %heddle.meeting.1\n"));
  EXPECT_THAT(text, HasSubstr("  br label %heddle.meeting.1, !llvm.loop !9\n"
                              "\n"
                              "heddle.meeting.1:\n" +
                              kMeeting + "  br label %4\n"));
  EXPECT_THAT(text, HasSubstr("align 1\n  br label %4\n")) << "the way into the loop";
}

TEST(SpinLoops, AFlagThatIsTheAnswerCounts) {
  // do { leave = try() == 0; if (leave) give_back(); } while (!leave);
  const std::string text = with_meeting_points(kTry +
                                               "define void @k(ptr %0) {\n"
                                               "  %2 = alloca i8, align 1\n"
                                               "  br label %3\n"
                                               "3:\n"
                                               "  %4 = call i32 @try(ptr %0)\n"
                                               "  %5 = icmp eq i32 %4, 0\n"
                                               "  %6 = zext i1 %5 to i8\n"
                                               "  store i8 %6, ptr %2, align 1\n"
                                               "  br i1 %5, label %7, label %8\n"
                                               "7:\n"
                                               "  call void @give_back(ptr %0)\n"
                                               "  br label %8\n"
                                               "8:\n"
                                               "  %9 = load i8, ptr %2, align 1\n"
                                               "  %10 = trunc i8 %9 to i1\n"
                                               "  br i1 %10, label %11, label %3, !llvm.loop !1\n"
                                               "11:\n"
                                               "  ret void\n"
                                               "}\n");
  EXPECT_THAT(text, HasSubstr("%10 = trunc i8 %9 to i1\n" + kMeeting + "  br i1 %10, label %11, label %3"));
}

TEST(SpinLoops, WhatDoesNotDecideAboutTheEndOfALoopLeavesItAsItIs) {
  // for (i = ...; i < n; ++i) if (try() == 0) give_back(), ++count;
  const std::string marking = kernel(
      "7:                                                ; preds = %4\n"
      "  %8 = call i32 @try(i32* %0)\n"
      "  %9 = icmp eq i32 %8, 0\n"
      "  br i1 %9, label %10, label %40\n"
      "\n"
      "10:                                               ; preds = %7\n"
      "  call void @give_back(i32* %0)\n"
      "  store i32 1, i32* %3, align 4\n"
      "  br label %40\n"
      "\n"
      "40:                                               ; preds = %10, %7\n"
      "  store i8 1, i8* %2, align 1\n"
      "  br label %4, !llvm.loop !9\n");
  EXPECT_EQ(with_meeting_points(marking), marking);
}

TEST(SpinLoops, ALoopThatOnlyWaitsStaysAsItIs) {
  // while (try() != 0);
  const std::string waiting = kTry +
                              "define void @k(i32* %0) {\n"
                              "  br label %2\n"
                              "2:\n"
                              "  %3 = call i32 @try(i32* %0)\n"
                              "  %4 = icmp ne i32 %3, 0\n"
                              "  br i1 %4, label %5, label %6\n"
                              "5:\n"
                              "  br label %2, !llvm.loop !9\n"
                              "6:\n"
                              "  call void @give_back(i32* %0)\n"
                              "  ret void\n"
                              "}\n";
  EXPECT_EQ(with_meeting_points(waiting), waiting);
}

TEST(SpinLoops, TheUnreachableDefaultOfASwitchIsNoWayOut) {
  const auto loop = [](const std::string& target) {
    return kernel(
        "7:                                                ; preds = %4\n"
        "  %8 = call i32 @try(i32* %0)\n"
        "  %9 = icmp eq i32 %8, 0\n"
        "  br i1 %9, label %10, label %20\n"
        "\n"
        "10:                                               ; preds = %7\n"
        "  call void @give_back(i32* %0)\n"
        "  store i32 1, i32* %3, align 4\n"
        "  br label %20\n"
        "\n"
        "20:                                               ; preds = %10, %7\n"
        "  %21 = load i32, i32* %3, align 4\n"
        "  switch i32 %21, label %" +
        target +
        " [\n"
        "    i32 0, label %40\n"
        "    i32 1, label %40\n"
        "  ]\n"
        "\n"
        "22:                                               ; preds = %20\n"
        "  unreachable\n"
        "\n"
        "40:                                               ; preds = %20, %20\n"
        "  br label %4, !llvm.loop !9\n");
  };
  EXPECT_EQ(with_meeting_points(loop("22")), loop("22"));
  EXPECT_THAT(with_meeting_points(loop("99")), HasSubstr(kMeeting + "  br label %4, !llvm.loop !9\n"));
}

TEST(SpinLoops, CodeWithoutAtomicOrVolatileAccessesNeedsNoLook) {
  EXPECT_TRUE(may_spin("\tatom.global.cas.b32 %r1, [%rd1], 0, 1;\n"));
  EXPECT_TRUE(may_spin("\tld.volatile.global.u32 %r1, [%rd1];\n"));
  EXPECT_TRUE(may_spin("  %2 = cmpxchg i32* %0, i32 0, i32 1 seq_cst seq_cst, align 4\n"));
  EXPECT_FALSE(may_spin("\tld.global.u32 %r1, [%rd1];\n"));
}

}  // namespace
}  // namespace heddle::cc
