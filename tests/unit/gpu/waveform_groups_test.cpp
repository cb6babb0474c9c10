// SPDX-License-Identifier: Apache-2.0
#include "gpu/recording/waveform_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

std::vector<std::string> groups(std::string_view scope) { return waveform_place(scope).groups; }

TEST(WaveformGroups, AModuleOfAnSmIsInItsStage) {
  EXPECT_THAT(groups("clock"), IsEmpty());
  EXPECT_THAT(groups("sm0.fetch"), ElementsAre("sm0", "front end"));
  EXPECT_THAT(groups("sm0.instruction"), ElementsAre("sm0", "front end"));
  EXPECT_THAT(groups("sm12.order1.last.0"), ElementsAre("sm12", "issue"));
  EXPECT_THAT(groups("sm0.packer.rtl"), ElementsAre("sm0", "issue"));
  EXPECT_THAT(groups("sm0.operands.alu_collectors.3"), ElementsAre("sm0", "operand collect"));
  EXPECT_THAT(groups("sm0.fp64"), ElementsAre("sm0", "execute"));
  EXPECT_THAT(groups("sm0.shared_memory"), ElementsAre("sm0", "memory"));
  EXPECT_THAT(groups("sm0.l1d"), ElementsAre("sm0", "L1"));
  EXPECT_THAT(groups("sm0.constant"), ElementsAre("sm0", "L1", "constant"));
}

TEST(WaveformGroups, TheMemorySideHasAGroupPerSliceAndController) {
  EXPECT_THAT(groups("crossbar.network"), ElementsAre("network"));
  EXPECT_THAT(groups("l2_3.cache"), ElementsAre("L2", "l2_3"));
  EXPECT_THAT(groups("mc1.controller.bank12"), ElementsAre("DRAM", "mc1"));
  EXPECT_THAT(groups("gpu.dispatcher"), ElementsAre("dispatch"));
}

TEST(WaveformGroups, WhatIsUnknownIsShownTooAndLast) {
  EXPECT_THAT(groups("sm0.tensor"), ElementsAre("sm0", "other"));
  EXPECT_THAT(groups("accelerator.queue"), ElementsAre("other", "accelerator"));
  EXPECT_THAT(groups("smoke.queue"), ElementsAre("other", "smoke")) << "not an SM";
}

TEST(WaveformGroups, TheOrderIsThatOfAnInstructionThenOfItsRequest) {
  const std::vector<std::string> ordered = {
      "clock",        "sm2.fetch",      "sm2.decode",     "sm2.issue",      "sm2.grouping", "sm2.warps",
      "sm2.operands", "sm2.alu",        "sm2.writeback",  "sm2.memory",     "sm2.l1d",      "sm2.multiplexer",
      "sm2.constant", "sm2.texture",    "sm2.tensor",     "sm10.fetch",     "crossbar",     "l2_2.cache",
      "l2_10.cache",  "mc0.controller", "mc3.controller", "gpu.dispatcher", "accelerator"};
  std::vector<std::string> sorted = ordered;
  std::sort(sorted.begin(), sorted.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    const WaveformPlace first = waveform_place(a), second = waveform_place(b);
    return std::tie(first.order, first.within) < std::tie(second.order, second.within);
  });
  EXPECT_THAT(sorted, ElementsAreArray(ordered));
}

TEST(WaveformGroups, IssueAndMemoryStartOpen) {
  EXPECT_TRUE(waveform_place("sm0.issue").open);
  EXPECT_TRUE(waveform_place("sm0.l1d").open);
  EXPECT_FALSE(waveform_place("sm0.constant").open);
  EXPECT_FALSE(waveform_place("sm0.fetch").open);
  EXPECT_FALSE(waveform_place("mc0.controller").open);
}

}  // namespace
}  // namespace heddle::gpu
