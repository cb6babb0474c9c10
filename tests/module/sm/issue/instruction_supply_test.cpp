// SPDX-License-Identifier: Apache-2.0
// What is requested when and for whom, and what becomes of instructions that nobody wants any more.
#include "sm/issue/instruction_supply.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stage_bench.h"

namespace heddle::sm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Answer = InstructionStore::Answer;

class InstructionSupplyTest : public ::testing::Test {
 protected:
  /// Contexts of one block at PC 0 that have nothing.
  void build(unsigned contexts = 1, unsigned instructions = 20) {
    for (unsigned i = 0; i < instructions; ++i) bench_.add(isa::Opcode::add);
    bench_.build();
    bench_.start(32 * contexts);
    for (unsigned c = 0; c < contexts; ++c) {
      supply().launched(ContextId(c));
      follow(ContextId(c));
    }
    bench_.contexts().changed.clear();
  }
  InstructionSupply& supply() { return bench_.parts().supply; }
  /// Requests sent in this cycle; the next begins.
  std::vector<FetchRequest> sent() {
    supply().send_requests();
    bench_.go_to(bench_.gate.now() + 1);
    return StageBench::received(bench_.in.fetch);
  }
  /// "CONTEXT: PC, COUNT".
  static std::vector<std::string> texts(const std::vector<FetchRequest>& requests) {
    std::vector<std::string> list;
    for (const FetchRequest& r : requests)
      list.push_back(fmt::format("{}: {}, {}", std::size_t{r.context}, r.pc, r.count));
    return list;
  }
  /// The context continues elsewhere. Whether it has its instruction.
  bool goes_to(ContextId context, std::uint32_t pc) {
    bench_.contexts().set(context, pc, bench_.contexts()[context].threads);
    return follow(context);
  }
  bool follow(ContextId context) { return supply().follow(context, std::uint64_t{1} << context) != 0; }
  /// The runs among the contexts of `some`, all in the first word.
  std::vector<std::uint64_t> runs(std::uint64_t some) {
    std::vector<std::uint64_t> all;
    supply().for_each_run(0, some, [&](ContextId, std::uint64_t run) { all.push_back(run); });
    return all;
  }

  StageBench bench_;
};

TEST_F(InstructionSupplyTest, FetchesAheadUntilTheBufferIsFull) {
  build();
  EXPECT_TRUE(supply().wants_fetch());
  const auto first = sent();
  EXPECT_THAT(texts(first), ElementsAre("0: 0, 2"));
  EXPECT_THAT(texts(sent()), ElementsAre("0: 2, 2"));
  EXPECT_FALSE(supply().wants_fetch());
  EXPECT_THAT(sent(), IsEmpty());
  EXPECT_FALSE(follow(ContextId(0)));
  supply().arrived({first[0]});
  EXPECT_TRUE(bench_.contexts().changed.test(0));
  EXPECT_TRUE(follow(ContextId(0)));
  EXPECT_TRUE(goes_to(ContextId(0), 1));
  EXPECT_FALSE(supply().wants_fetch()) << "there is no room for two";
  EXPECT_FALSE(goes_to(ContextId(0), 2)) << "it is on its way";
  EXPECT_THAT(texts(sent()), ElementsAre("0: 4, 2"));
  EXPECT_EQ(bench_.counted("fetch_requests"), 3);
}

TEST_F(InstructionSupplyTest, WithoutFetchingAheadItWaitsUntilTheBufferIsEmpty) {
  bench_.parameters.fetch.ahead = false;
  build();
  const auto first = sent();
  EXPECT_THAT(sent(), IsEmpty());
  supply().arrived({first[0]});
  EXPECT_TRUE(goes_to(ContextId(0), 1));
  EXPECT_THAT(sent(), IsEmpty());
  EXPECT_FALSE(goes_to(ContextId(0), 2));
  EXPECT_THAT(texts(sent()), ElementsAre("0: 2, 2"));
}

TEST_F(InstructionSupplyTest, FetchesNothingBehindTheKernel) {
  build(1, 3);
  EXPECT_THAT(texts(sent()), ElementsAre("0: 0, 2"));
  EXPECT_THAT(texts(sent()), ElementsAre("0: 2, 1"));
  EXPECT_FALSE(supply().wants_fetch());
}

TEST_F(InstructionSupplyTest, InstructionsOfAPathThatWasLeftAreIgnored) {
  build();
  const auto old = sent();
  EXPECT_FALSE(goes_to(ContextId(0), 10));
  bench_.contexts().changed.clear();
  supply().arrived({old[0]});
  EXPECT_FALSE(bench_.contexts().changed.test(0));
  EXPECT_FALSE(follow(ContextId(0)));
  const auto here = sent();
  EXPECT_THAT(texts(here), ElementsAre("0: 10, 2"));
  supply().arrived({here[0]});
  EXPECT_TRUE(follow(ContextId(0)));
}

TEST_F(InstructionSupplyTest, AShortBranchForwardKeepsWhatIsBuffered) {
  build();
  supply().arrived({sent()[0]});
  supply().arrived({sent()[0]});
  EXPECT_TRUE(goes_to(ContextId(0), 3));
  EXPECT_THAT(texts(sent()), ElementsAre("0: 4, 2"));
}

TEST_F(InstructionSupplyTest, ContextsInLockStepAreFollowedTogether) {
  build(4);
  EXPECT_THAT(runs(0b1111), ElementsAre(0b1111u));
  EXPECT_THAT(runs(0b1010), ElementsAre(0b1010u)) << "others between them do not matter";
  goes_to(ContextId(2), 5);
  EXPECT_THAT(runs(0b1111), ElementsAre(0b0011u, 0b0100u, 0b1000u)) << "one is elsewhere";
  goes_to(ContextId(2), 0);
  supply().arrived({sent()[0]});
  EXPECT_THAT(runs(0b1111), ElementsAre(0b0001u, 0b1110u)) << "one has fetched more";
  // All members of a run get there.
  for (unsigned c = 1; c < 4; ++c) bench_.contexts().set(ContextId(c), 7, bench_.contexts()[c].threads);
  EXPECT_EQ(supply().follow(ContextId(1), 0b1110), 0u);
  for (unsigned c = 1; c < 4; ++c) EXPECT_EQ(supply().buffers()[ContextId(c)].pc, 7u);
}

TEST_F(InstructionSupplyTest, ABranchThatHasNotResolvedRequestsNothing) {
  build();
  bench_.contexts().branch.set(0);
  EXPECT_FALSE(supply().wants_fetch());
  EXPECT_THAT(sent(), IsEmpty());
  bench_.contexts().branch.reset(0);
  EXPECT_THAT(texts(sent()), ElementsAre("0: 0, 2"));
}

TEST_F(InstructionSupplyTest, ContextsRequestInTurn) {
  build(3);
  std::vector<std::string> all;
  for (unsigned i = 0; i < 6; ++i) all.push_back(texts(sent()).at(0));
  EXPECT_THAT(all, ElementsAre("0: 0, 2", "1: 0, 2", "2: 0, 2", "0: 2, 2", "1: 2, 2", "2: 2, 2"));
}

TEST_F(InstructionSupplyTest, ALinkThatIsFullIsAskedAgain) {
  build(3);
  supply().send_requests();
  EXPECT_FALSE(supply().can_request()) << "one in a cycle";
  bench_.go_to(bench_.gate.now() + 1);
  EXPECT_TRUE(supply().can_request());
  supply().send_requests();
  bench_.go_to(bench_.gate.now() + 1);
  EXPECT_FALSE(supply().can_request()) << "nobody takes them";
}

TEST_F(InstructionSupplyTest, ARetiredContextWantsNothingAndItsSuccessorGetsNothingOfIt) {
  build();
  const auto old = sent();
  supply().retired(ContextId(0));
  EXPECT_FALSE(supply().wants_fetch());
  bench_.contexts().set(ContextId(0), 0, ThreadSet::first_n(7));
  supply().launched(ContextId(0));
  EXPECT_FALSE(follow(ContextId(0)));
  supply().arrived({old[0]});
  EXPECT_FALSE(follow(ContextId(0)));
  EXPECT_THAT(texts(sent()), ElementsAre("0: 0, 2"));
}

/// Requests by hand, as a fetch scheme does.
class SharedFetches : public InstructionSupplyTest {
 protected:
  FetchRequest received() {
    bench_.go_to(bench_.gate.now() + 1);
    return StageBench::received(bench_.in.fetch).at(0);
  }
};

TEST_F(SharedFetches, ServeEachOfTheirReceivers) {
  build(4);
  goes_to(ContextId(3), 9);
  goes_to(ContextId(3), 0);
  EXPECT_EQ(supply().request(ContextId(1), 0b101, 3), 0b101);
  const FetchRequest request = received();
  EXPECT_EQ(request.receivers, 0b101);
  EXPECT_EQ(request.store, 3);
  supply().arrived({request});
  for (const unsigned c : {0u, 1u, 2u, 3u}) {
    EXPECT_EQ(follow(ContextId(c)), c == 1 || c == 3);
    EXPECT_EQ(supply().next_pc(ContextId(c)), c == 1 || c == 3 ? 2u : 0u);
  }
}

TEST_F(SharedFetches, LeaveOutThoseThatWantSomethingElse) {
  build(4);
  goes_to(ContextId(1), 8);
  bench_.contexts().branch.set(2);
  EXPECT_EQ(supply().request(ContextId(0), 0b11111111), 0b1001)
      << "one is elsewhere, one branches, others have no threads";
}

TEST_F(SharedFetches, BringWhatTheSmallestRoomHolds) {
  bench_.parameters.fetch.instructions = 3;
  bench_.parameters.fetch.buffer_depth = 4;
  build(2, 20);
  supply().request(ContextId(0));
  supply().arrived({received()});
  goes_to(ContextId(0), 3);
  goes_to(ContextId(1), 3);
  EXPECT_EQ(supply().request(ContextId(0), 0b11), 0b11);
  EXPECT_EQ(received().count, 3u);
}

TEST_F(SharedFetches, AreIgnoredByAReceiverThatBranchedMeanwhile) {
  build(2);
  supply().request(ContextId(0), 0b11);
  const FetchRequest request = received();
  goes_to(ContextId(0), 9);
  supply().arrived({request});
  EXPECT_FALSE(follow(ContextId(0)));
  EXPECT_TRUE(follow(ContextId(1)));
}

TEST_F(SharedFetches, InFlightTogetherAreToldApart) {
  build(4);
  supply().request(ContextId(0), 0b11);
  const FetchRequest first = received();
  supply().request(ContextId(2), 0b11);
  const FetchRequest second = received();
  supply().arrived({second});
  EXPECT_FALSE(follow(ContextId(0)));
  EXPECT_TRUE(follow(ContextId(2)));
  supply().arrived({first});
  EXPECT_TRUE(follow(ContextId(1)));
}

/// The barrel shape, which looks up the cache when it picks a context.
class LookUps : public InstructionSupplyTest {
 protected:
  LookUps() { bench_.parameters.shape = PipelineShape::barrel; }
  std::size_t looked_up() const { return bench_.calls.cache.requests.size(); }
  bool at_pick() { return supply().at_pick(ContextId(0)); }
};

TEST_F(LookUps, AHitServesThePickUntilTheInstructionIssues) {
  build();
  EXPECT_TRUE(supply().looks_up_at_pick());
  EXPECT_TRUE(follow(ContextId(0))) << "the pick finds out";
  EXPECT_TRUE(at_pick());
  EXPECT_TRUE(at_pick());
  EXPECT_EQ(looked_up(), 1u);
  supply().issued(ContextId(0));
  EXPECT_TRUE(at_pick());
  EXPECT_EQ(looked_up(), 2u) << "a loop of one instruction fetches it each time";
  EXPECT_FALSE(supply().wants_fetch());
}

TEST_F(LookUps, AMissMakesTheContextWaitForItsLine) {
  build();
  bench_.calls.cache.answer = Answer::miss;
  EXPECT_FALSE(at_pick());
  EXPECT_TRUE(bench_.contexts().changed.test(0));
  EXPECT_FALSE(follow(ContextId(0)));
  bench_.contexts().changed.clear();
  supply().arrived({bench_.calls.cache.requests[0]});
  EXPECT_TRUE(bench_.contexts().changed.test(0));
  EXPECT_TRUE(follow(ContextId(0)));
  EXPECT_TRUE(at_pick());
  EXPECT_EQ(looked_up(), 1u);
}

TEST_F(LookUps, ABusyCacheCostsThePickAndNothingElse) {
  build();
  bench_.calls.cache.answer = Answer::busy;
  EXPECT_FALSE(at_pick());
  EXPECT_TRUE(follow(ContextId(0)));
  bench_.calls.cache.answer = Answer::hit;
  EXPECT_TRUE(at_pick());
}

TEST_F(LookUps, ALineThatComesTooLateIsIgnored) {
  build();
  bench_.calls.cache.answer = Answer::miss;
  EXPECT_FALSE(at_pick());
  EXPECT_TRUE(goes_to(ContextId(0), 6)) << "another path runs";
  bench_.contexts().changed.clear();
  supply().arrived({bench_.calls.cache.requests[0]});
  EXPECT_FALSE(bench_.contexts().changed.test(0));
  EXPECT_FALSE(at_pick());
  EXPECT_EQ(bench_.calls.cache.requests.back().pc, 6u);
}

TEST_F(LookUps, AnInstructionOfTheContextsPredecessorIsFetchedAgain) {
  build();
  EXPECT_TRUE(at_pick());
  supply().retired(ContextId(0));
  supply().launched(ContextId(0));
  EXPECT_TRUE(at_pick());
  EXPECT_EQ(looked_up(), 2u);
}

TEST_F(LookUps, ALineOfTheContextsPredecessorIsIgnored) {
  build();
  bench_.calls.cache.answer = Answer::miss;
  EXPECT_FALSE(at_pick());
  supply().retired(ContextId(0));
  supply().launched(ContextId(0));
  EXPECT_TRUE(follow(ContextId(0)));
  EXPECT_FALSE(at_pick());
  bench_.contexts().changed.clear();
  supply().arrived({bench_.calls.cache.requests[0]});
  EXPECT_FALSE(bench_.contexts().changed.test(0));
  supply().arrived({bench_.calls.cache.requests[1]});
  EXPECT_TRUE(bench_.contexts().changed.test(0));
}

}  // namespace
}  // namespace heddle::sm
