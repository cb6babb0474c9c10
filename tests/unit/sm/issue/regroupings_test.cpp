// SPDX-License-Identifier: Apache-2.0
// What a tracker that follows threads hears when they change contexts.
#include "sm/issue/regroupings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "issue_bench.h"

namespace heddle::sm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Contexts 0 and 1 belong to warp 0, contexts 2 and 3 to warp 1. Each warp has 32 threads in its first context.
class RegroupingsTest : public ::testing::Test {
 protected:
  RegroupingsTest() {
    bench_.add(isa::Opcode::add);
    for (const unsigned c : {0u, 1u, 2u, 3u}) {
      table_[c].warp = warp_of(c);
      waiting_.launched(ContextId(c));
    }
    table_.set(ContextId{0}, 0, ThreadSet::first_n(32));
    table_.set(ContextId{2}, 0, ThreadSet::first_n(32));
  }
  static WarpNumber warp_of(unsigned context) { return static_cast<WarpNumber>(context / 2); }
  std::vector<std::string> told() {
    regroupings_.changed(table_.changed);
    table_.changed.clear();
    return bench_.hazards.take_told();
  }

  IssueBench bench_;
  ContextTable& table_ = bench_.contexts();
  WaitingThreads waiting_{bench_.sm, bench_.grouping, bench_.meetings};
  Regroupings regroupings_{table_, 4, bench_.hazards, waiting_};
};

TEST_F(RegroupingsTest, TheThreadsOfALaunchComeFromNowhere) {
  EXPECT_THAT(told(), ElementsAre("warp 0: [0: none -> 0-31]", "warp 1: [2: none -> 0-31]"));
}

TEST_F(RegroupingsTest, ThreadsThatChangeContextsAreToldOnceForTheirWarp) {
  told();
  table_.set(ContextId{0}, 4, ThreadSet::of_word(0x0000ffff));
  table_.set(ContextId{1}, 9, ThreadSet::of_word(0xffff0000));
  EXPECT_THAT(told(), ElementsAre("warp 0: [0: 0-31 -> 0-15] [1: none -> 16-31]"));
  table_.set(ContextId{0}, 9, ThreadSet::first_n(32));
  table_.set(ContextId{1}, 9, {});
  EXPECT_THAT(told(), ElementsAre("warp 0: [0: 0-15 -> 0-31] [1: 16-31 -> none]"));
}

TEST_F(RegroupingsTest, AChangeOfThePcAloneIsNotTold) {
  told();
  table_.set(ContextId{0}, 7, ThreadSet::first_n(32));
  EXPECT_TRUE(table_.changed.test(0));
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(RegroupingsTest, ContextsOfTheWarpThatDidNotChangeAreListedToo) {
  table_.set(ContextId{1}, 0, ThreadSet::of_word(0x3));
  table_.set(ContextId{0}, 0, ThreadSet::of_word(0xc));
  told();
  table_.set(ContextId{1}, 0, ThreadSet::of_word(0x1));
  EXPECT_THAT(told(), ElementsAre("warp 0: [0: 2-3 -> 2-3] [1: 0-1 -> 0]")) << "thread 1 is in no context now";
}

TEST_F(RegroupingsTest, AContextThatGoesToAnotherWarpIsToldToBoth) {
  told();
  table_[1].warp = warp_of(2);
  waiting_.launched(ContextId{1});
  table_.set(ContextId{1}, 0, ThreadSet::of_word(0x7));
  table_.set(ContextId{2}, 0, ThreadSet::first_n(32) - ThreadSet::of_word(0x7));
  EXPECT_THAT(told(), ElementsAre("warp 1: [2: 0-31 -> 3-31] [1: none -> 0-2]"));
  table_[1].warp = warp_of(0);
  table_.set(ContextId{1}, 0, ThreadSet::of_word(0x30));
  EXPECT_THAT(told(),
              ElementsAre("warp 1: [2: 3-31 -> 3-31] [1: 0-2 -> none]", "warp 0: [0: 0-31 -> 0-31] [1: none -> 4-5]"));
}

TEST_F(RegroupingsTest, ThreadsThatExitGoNowhere) {
  told();
  table_.set(ContextId{2}, 5, {});
  EXPECT_THAT(told(), ElementsAre("warp 1: [2: 0-31 -> none]"));
  table_[2].warp = warp_of(0);
  table_.changed.set(ContextId{2});
  EXPECT_THAT(told(), IsEmpty()) << "it had no threads and has none";
}

}  // namespace
}  // namespace heddle::sm
