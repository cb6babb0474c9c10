// SPDX-License-Identifier: Apache-2.0
// From what has changed to the sets of contexts: who waits for what, and who is ready.
#include "sm/issue/context_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stage_bench.h"

namespace heddle::sm {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

/// A block of two warps, each a context at the first of ten instructions.
class ContextStatesTest : public ::testing::Test {
 protected:
  void build() {
    for (unsigned i = 0; i < 10; ++i) bench_.add(isa::Opcode::add);
    bench_.build();
    bench_.arrive(64);
  }
  ContextStates& states() { return bench_.parts().states; }
  ContextTable& contexts() { return bench_.contexts(); }
  std::vector<std::size_t> ready() { return members_of(contexts().ready); }
  /// Looks at the context again, as if it had changed.
  void touch(ContextId context) {
    contexts().changed.set(context);
    states().settle();
  }

  StageBench bench_;
};

TEST_F(ContextStatesTest, ContextsWithTheirInstructionAndNothingToWaitForAreReady) {
  build();
  EXPECT_THAT(ready(), ElementsAre(0, 1));
  EXPECT_THAT(members_of(contexts().buffered), ElementsAre(0, 1));
  EXPECT_TRUE(contexts().changed.none());
  EXPECT_EQ(contexts()[ContextId(0)].next, &bench_.kernel.ops[0]);
}

TEST_F(ContextStatesTest, EveryKindOfWaitKeepsAContextFromIssuing) {
  build();
  ContextTable& t = contexts();
  for (ContextSet* set :
       {&t.hazard, &t.long_latency, &t.barrier, &t.branch, &t.rendezvous, &t.pipeline, &t.in_sequence, &t.parked}) {
    set->set(0);
    states().update_ready(ContextId(0));
    EXPECT_THAT(ready(), ElementsAre(1));
    set->reset(0);
    states().update_ready(ContextId(0));
    EXPECT_THAT(ready(), ElementsAre(0, 1));
  }
}

TEST_F(ContextStatesTest, TheTrackerSaysWhatRegistersAreWaitedFor) {
  build();
  bench_.hazards.waits[0] = Wait::hazard;
  bench_.hazards.waits[1] = Wait::memory;
  states().check_hazard(ContextId(0));
  EXPECT_THAT(ready(), ElementsAre(1)) << "context 1 was not looked at";
  states().check_hazard(ContextId(1));
  EXPECT_THAT(ready(), IsEmpty());
  EXPECT_THAT(members_of(contexts().hazard), ElementsAre(0));
  EXPECT_THAT(members_of(contexts().long_latency), ElementsAre(1));
  bench_.hazards.waits[1] = Wait::none;
  states().check_hazard(ContextId(1));
  EXPECT_THAT(ready(), ElementsAre(1));
}

TEST_F(ContextStatesTest, AContextWithoutItsInstructionWaitsForNothingElse) {
  build();
  bench_.hazards.waits[0] = Wait::hazard;
  touch(ContextId(0));
  contexts().set(ContextId(0), 9, ThreadSet::first_n(32));
  states().settle();
  EXPECT_FALSE(contexts().buffered.test(0));
  EXPECT_FALSE(contexts().hazard.test(0));
  states().check_hazard(ContextId(0));
  EXPECT_FALSE(contexts().hazard.test(0));
  EXPECT_THAT(ready(), ElementsAre(1));
  bench_.hazards.waits[0] = Wait::none;
  bench_.fetch_all();
  EXPECT_THAT(ready(), ElementsAre(0, 1));
  EXPECT_EQ(contexts()[ContextId(0)].next, &bench_.kernel.ops[9]);
}

TEST_F(ContextStatesTest, AnOutstandingMissOutlastsTheHazardThatItIsNot) {
  build();
  contexts().away.set(0);
  touch(ContextId(0));
  EXPECT_TRUE(contexts().long_latency.test(0));
  contexts().set(ContextId(0), 9, ThreadSet::first_n(32));
  states().settle();
  EXPECT_TRUE(contexts().long_latency.test(0)) << "its instruction is not there, but it waits for memory";
}

TEST_F(ContextStatesTest, OneThreadAtABarrierHoldsAContextAndAllAtAMeeting) {
  build();
  contexts().at_barrier.set(WarpId(0), ThreadSet::of_word(0x1));
  contexts().at_meeting.set(WarpId(1), ThreadSet::of_word(~1u));
  touch(ContextId(0));
  touch(ContextId(1));
  EXPECT_THAT(members_of(contexts().barrier), ElementsAre(0));
  EXPECT_THAT(members_of(contexts().rendezvous), IsEmpty()) << "thread 0 has yet to arrive";
  EXPECT_THAT(ready(), ElementsAre(1));
  contexts().at_barrier.set(WarpId(0), {});
  contexts().at_meeting.set(WarpId(1), ThreadSet::first_n(32));
  touch(ContextId(0));
  touch(ContextId(1));
  EXPECT_THAT(members_of(contexts().rendezvous), ElementsAre(1));
  EXPECT_THAT(ready(), ElementsAre(0));
}

TEST_F(ContextStatesTest, AContextWithoutThreadsIsInNoSet) {
  build();
  for (ContextSet* set : {&contexts().branch, &contexts().hazard, &contexts().long_latency}) set->set(0);
  contexts().set(ContextId(0), 1, {});
  states().settle();
  for (const ContextSet* set :
       {&contexts().branch, &contexts().hazard, &contexts().long_latency, &contexts().buffered, &contexts().ready})
    EXPECT_FALSE(set->test(0));
  states().check_hazard(ContextId(0));
  EXPECT_FALSE(contexts().ready.test(0));
}

TEST_F(ContextStatesTest, AContextWithoutThreadsFetchesNothing) {
  build();
  contexts().set(ContextId(0), 8, ThreadSet::first_n(32));
  states().settle();
  EXPECT_TRUE(bench_.parts().supply.wants_fetch());
  contexts().set(ContextId(0), 8, {});
  states().settle();
  EXPECT_FALSE(bench_.parts().supply.wants_fetch());
}

TEST_F(ContextStatesTest, AContextIsUsedAgain) {
  build();
  contexts().set(ContextId(0), 1, {});
  states().settle();
  contexts().set(ContextId(0), 5, ThreadSet::of_word(0xff));
  bench_.fetch_all();
  EXPECT_THAT(ready(), ElementsAre(0, 1));
  EXPECT_EQ(contexts()[ContextId(0)].next, &bench_.kernel.ops[5]);
}

TEST_F(ContextStatesTest, AContextBehindTheEndOfItsKernelIsAnError) {
  build();
  contexts().set(ContextId(0), 10, ThreadSet::first_n(32));
  EXPECT_THAT([&] { states().settle(); }, ThrowsMessage<Error>(HasSubstr("context 0 ran past the end of kernel k")));
}

TEST_F(ContextStatesTest, ItIsKnownSinceWhenAContextIsReady) {
  build();
  states().choosing();
  contexts().pipeline.set(0);
  states().update_ready(ContextId(0));
  EXPECT_FALSE(states().fresh_ready());
  bench_.go_to(50);
  contexts().pipeline.reset(0);
  states().update_ready(ContextId(0));
  EXPECT_TRUE(states().fresh_ready());
  EXPECT_EQ(states().ready_since(ContextId(0)), 50u);
  bench_.go_to(60);
  states().update_ready(ContextId(0));
  EXPECT_EQ(states().ready_since(ContextId(0)), 50u) << "it has been all the time";
  states().choosing();
  EXPECT_FALSE(states().fresh_ready());
}

TEST_F(ContextStatesTest, ATrackerThatFollowsThreadsHearsOfThemBeforeItIsAsked) {
  bench_.follows_threads = true;
  build();
  EXPECT_THAT(bench_.hazards.take_told(), Contains("warp 0: [0: none -> 0-31]"));
  bench_.split(ContextId(0), ContextId(2), ThreadSet::of_word(0xff), 0);
  bench_.parts().waiting.launched(ContextId(2));
  states().settle();
  EXPECT_THAT(bench_.hazards.take_told(), ElementsAre("warp 0: [0: 0-31 -> 8-31] [2: none -> 0-7]"));
}

TEST_F(ContextStatesTest, ATrackerThatDoesNotHearsNothing) {
  build();
  bench_.hazards.take_told();
  bench_.split(ContextId(0), ContextId(2), ThreadSet::of_word(0xff), 0);
  states().settle();
  EXPECT_THAT(bench_.hazards.take_told(), IsEmpty());
}

}  // namespace
}  // namespace heddle::sm
