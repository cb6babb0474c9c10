// SPDX-License-Identifier: Apache-2.0
// Collectives: who waits for whom, when they take effect, and for which threads.
#include "sm/issue/meeting_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/operands.h"
#include "issue_bench.h"

namespace heddle::sm {
namespace {

using isa::Opcode;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t kUntouched = 0xdead;

/// A ballot of predicate 0 at PC 0, a copy of it at PC 1 and a barrier of the warp at PC 2. Each thread finds the mask
/// of those that it names in register 2; the votes go to register 1.
class MeetingUnitTest : public ::testing::Test {
 protected:
  void build(unsigned threads, const GroupingTraits& traits = {.contexts = 8}) {
    bench_ = std::make_unique<IssueBench>(traits);
    for (unsigned copy = 0; copy < 2; ++copy) {
      isa::MicroOp& ballot = bench_->add(Opcode::vote, {IssueBench::predicate_at(0), IssueBench::register_at(2)},
                                         {IssueBench::register_at(1)});
      ballot.vote_mode = isa::VoteMode::ballot;
      ballot.sync_form = true;
    }
    bench_->add(Opcode::bar_warp, {IssueBench::register_at(2)}).sync_form = true;
    bench_->start(threads);
    waiting_ = std::make_unique<WaitingThreads>(bench_->sm, bench_->grouping, bench_->meetings);
    contexts().valid.for_each([this](std::size_t c) { waiting_->launched(ContextId(c)); });
    unit_ = std::make_unique<MeetingUnit>(bench_->sm, bench_->grouping, bench_->meetings, *waiting_);
    for (unsigned w = 0; w < threads / 32; ++w) {
      bench_->predicate(bench_->warp(w), 0) = 0x00ff00ff;
      for (unsigned lane = 0; lane < 32; ++lane) {
        bench_->value(bench_->warp(w), 1, lane) = kUntouched;
        name(~0u, 1u << lane, w);
      }
    }
    contexts().changed.clear();
  }
  ContextTable& contexts() { return bench_->contexts(); }
  /// The threads of a warp in `who` name those in `mask`.
  void name(std::uint32_t mask, std::uint32_t who, unsigned warp = 0) {
    isa::for_each_lane(who, [&](unsigned lane) { bench_->value(bench_->warp(warp), 2, lane) = mask; });
  }
  bool meet(ContextId context, unsigned pc = 0) {
    return unit_->meet(context, bench_->kernel.ops[pc], contexts()[context].threads);
  }
  std::uint32_t vote_of(unsigned lane, unsigned warp = 0) { return bench_->value(bench_->warp(warp), 1, lane); }
  std::string at_meeting(unsigned warp = 0) { return text_of(contexts().at_meeting[WarpId(warp)]); }
  std::vector<std::string> told() { return bench_->grouping.take_told(); }
  /// Half of the warp goes to context 1.
  void split_in_halves() {
    bench_->split(ContextId(0), ContextId(1), ThreadSet::of_word(0xffff0000), 0);
    waiting_->launched(ContextId(1));
    contexts().changed.clear();
  }

  std::unique_ptr<IssueBench> bench_;
  std::unique_ptr<WaitingThreads> waiting_;
  std::unique_ptr<MeetingUnit> unit_;
};

TEST_F(MeetingUnitTest, ThreadsThatNameOnlyThemselvesProceed) {
  build(32);
  EXPECT_TRUE(meet(ContextId(0)));
  EXPECT_EQ(at_meeting(), "none");
  EXPECT_THAT(unit_->meetings().open(), IsEmpty());
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(MeetingUnitTest, AFormWithoutAMaskWaitsForNobody) {
  build(32);
  split_in_halves();
  bench_->kernel.ops[0].sync_form = false;
  EXPECT_TRUE(meet(ContextId(0)));
}

TEST_F(MeetingUnitTest, WithoutAThreadWhoseGuardHoldsThereIsNoArrival) {
  build(32);
  EXPECT_TRUE(unit_->meet(ContextId(0), bench_->kernel.ops[0], {}));
  EXPECT_THAT(unit_->meetings().open(), IsEmpty());
}

TEST_F(MeetingUnitTest, TheFirstWaitForTheLastAndTheVoteIsTakenOnce) {
  build(32);
  split_in_halves();
  EXPECT_FALSE(meet(ContextId(0)));
  EXPECT_EQ(at_meeting(), "0-15");
  EXPECT_THAT(members_of(contexts().changed), ElementsAre(0));
  EXPECT_THAT(told(), ElementsAre("0 awaits 16-31"));
  EXPECT_EQ(vote_of(0), kUntouched);

  EXPECT_FALSE(meet(ContextId(1))) << "the arrival takes the slot";
  EXPECT_EQ(at_meeting(), "none");
  EXPECT_EQ(vote_of(0), 0x00ff00ffu);
  EXPECT_EQ(vote_of(31), 0x00ff00ffu);
  bench_->predicate(bench_->warp(), 0) = 0;
  EXPECT_TRUE(meet(ContextId(0)));
  EXPECT_TRUE(meet(ContextId(1)));
  EXPECT_EQ(vote_of(0), 0x00ff00ffu) << "it has taken effect for them";
}

TEST_F(MeetingUnitTest, AWaitingContextThatComesAgainArrivesOnce) {
  build(32);
  split_in_halves();
  EXPECT_FALSE(meet(ContextId(0)));
  EXPECT_FALSE(meet(ContextId(0)));
  ASSERT_EQ(unit_->meetings().open().size(), 1u);
  EXPECT_EQ(unit_->meetings().open()[0].waiting.size(), 1u);
}

TEST_F(MeetingUnitTest, ThreadsMeetAtCopiesOfTheInstruction) {
  build(32);
  split_in_halves();
  EXPECT_FALSE(meet(ContextId(0), 0));
  EXPECT_FALSE(meet(ContextId(1), 1));
  EXPECT_EQ(vote_of(0), 0x00ff00ffu);
  EXPECT_EQ(vote_of(16), 0x00ff00ffu);
  EXPECT_THAT(unit_->meetings().open(), IsEmpty());
}

TEST_F(MeetingUnitTest, AnotherInstructionIsAnotherMeeting) {
  build(32);
  split_in_halves();
  EXPECT_FALSE(meet(ContextId(0), 0));
  EXPECT_FALSE(meet(ContextId(1), 2));
  EXPECT_EQ(unit_->meetings().open().size(), 2u);
  EXPECT_EQ(at_meeting(), "0-31");
  EXPECT_EQ(vote_of(0), kUntouched);
}

TEST_F(MeetingUnitTest, TwoMeetingsOfOnePacketTakeEffectEachForItself) {
  build(32);
  name(0x0000ffff, 0x0000ffff);
  name(0xffff0000, 0xffff0000);
  EXPECT_TRUE(meet(ContextId(0))) << "nobody waited";
  EXPECT_EQ(vote_of(0), 0x000000ffu);
  EXPECT_EQ(vote_of(16), 0x00ff0000u);
}

TEST_F(MeetingUnitTest, TwoMeetingsOfOneWarpAreOpenAtOnce) {
  build(32);
  split_in_halves();
  name(0x00ff00ff, 0x00ff00ff);
  name(0xff00ff00, 0xff00ff00);
  EXPECT_FALSE(meet(ContextId(0)));
  EXPECT_EQ(unit_->meetings().open().size(), 2u);
  told();
  bench_->split(ContextId(1), ContextId(2), ThreadSet::of_word(0xff000000), 0);
  waiting_->launched(ContextId(2));
  EXPECT_FALSE(meet(ContextId(1)));
  EXPECT_EQ(at_meeting(), "8-15") << "those that wait for threads 24 to 31";
  EXPECT_EQ(vote_of(0), 0x00ff00ffu);
  EXPECT_EQ(vote_of(8), kUntouched);
  EXPECT_FALSE(meet(ContextId(2)));
  EXPECT_EQ(at_meeting(), "none");
  EXPECT_EQ(vote_of(8), 0u);
}

TEST_F(MeetingUnitTest, AContextWaitsAsAWholeUnlessTheGroupingPartsIt) {
  for (const bool parts : {false, true}) {
    build(32);
    split_in_halves();
    bench_->grouping.parts = parts;
    name(0x000000ff, 0x000000ff);
    name(0x00ffff00, 0x00ffff00);
    EXPECT_FALSE(meet(ContextId(0)));
    EXPECT_EQ(told()[0], "8-15 wait in 0");
    EXPECT_EQ(at_meeting(), parts ? "8-15" : "0-15");
    EXPECT_EQ(vote_of(0), 0xffu) << "threads 0 to 7 need nobody else";
  }
}

TEST_F(MeetingUnitTest, WhenTheAwaitedExitTheOthersProceed) {
  build(32);
  split_in_halves();
  EXPECT_FALSE(meet(ContextId(0)));
  bench_->warp().live &= ~0x0fff0000u;
  unit_->exited(bench_->warp());
  EXPECT_EQ(at_meeting(), "0-15") << "threads 28 to 31 may still come";
  told();
  contexts().changed.clear();
  bench_->warp().live &= 0xffffu;
  unit_->exited(bench_->warp());
  EXPECT_EQ(at_meeting(), "none");
  EXPECT_EQ(vote_of(0), 0xffu) << "the vote of those that are left";
  EXPECT_EQ(told()[0], "0 awaits none");
  EXPECT_TRUE(contexts().changed.test(0));
}

TEST_F(MeetingUnitTest, ExitsOfOtherWarpsEndNothing) {
  build(64);
  bench_->split(ContextId(0), ContextId(2), ThreadSet::of_word(0xffff0000), 0);
  EXPECT_FALSE(meet(ContextId(0)));
  bench_->warp(1).live = 0;
  unit_->exited(bench_->warp(1));
  EXPECT_EQ(at_meeting(), "0-15");
}

TEST_F(MeetingUnitTest, NarrowWarpsMeetInTheirIsaWarp) {
  build(32, {.contexts = 4, .granule = 8, .span = 8});
  name(0x0000ff00, 0x0000ff00);
  name(0xffff00ff, 0xffff00ff);
  EXPECT_TRUE(meet(ContextId(1))) << "it names only itself";
  EXPECT_FALSE(meet(ContextId(0)));
  EXPECT_FALSE(meet(ContextId(2)));
  EXPECT_EQ(at_meeting(2), "0-7") << "by position";
  EXPECT_FALSE(meet(ContextId(3)));
  EXPECT_EQ(at_meeting(0), "none");
  EXPECT_EQ(at_meeting(2), "none");
  EXPECT_EQ(vote_of(16), 0x00ff00ffu);
}

TEST_F(MeetingUnitTest, TheWordsOfALargeWarpMeetEachForItself) {
  build(64, {.contexts = 4, .granule = 64, .span = 64});
  bench_->split(ContextId(0), ContextId(1), ThreadSet::first_n(64) - ThreadSet::first_n(48), 0);
  bench_->grouping.parts = true;
  EXPECT_FALSE(meet(ContextId(0)));
  EXPECT_EQ(at_meeting(), "32-47") << "the first word is complete";
  EXPECT_FALSE(meet(ContextId(1)));
  EXPECT_EQ(at_meeting(), "none");
  EXPECT_EQ(vote_of(0, 1), 0x00ff00ffu);
}

}  // namespace
}  // namespace heddle::sm
