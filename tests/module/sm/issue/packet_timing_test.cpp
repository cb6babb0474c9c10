// SPDX-License-Identifier: Apache-2.0
// When registers are released and contexts may issue again.
#include "sm/issue/packet_timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stage_bench.h"

namespace heddle::sm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PacketTimingTest : public ::testing::Test {
 protected:
  static constexpr Cycle kIssue = 100;  ///< cycle of the first issue

  void build(PipelineShape shape = PipelineShape::buffered) {
    bench_.parameters.shape = shape;
    bench_.parameters.pipeline_depth = 7;
    for (unsigned i = 0; i < 10; ++i) bench_.add(isa::Opcode::add);
    bench_.build();
    bench_.arrive(64);
    bench_.go_to(kIssue);
    told();
    bench_.grouping.take_told();
  }
  PacketTiming& timing() { return bench_.parts().timing; }
  ContextTable& contexts() { return bench_.contexts(); }
  /// A packet of context 0 issues. latency 0: variable.
  Packet& issue(Cycle latency, const PacketPlan& plan = {}) {
    Packet& packet = bench_.packet(ContextId(0));
    packet.kind = plan.kind;
    packet.first = plan.first;
    packet.last = plan.last;
    bench_.parts().residents.packet_issued(packet);
    timing().issued(packet, latency);
    timing().hold_context(packet, plan);
    return packet;
  }
  void run_to(Cycle after_issue) { bench_.run_to(kIssue + after_issue); }
  std::vector<std::string> told() { return bench_.hazards.take_told(); }
  std::size_t in_flight() { return bench_.sm.packets.in_flight(); }

  StageBench bench_;
};

TEST_F(PacketTimingTest, AFixedLatencyResultIsThereWhenTheLatencyHasPassed) {
  build();
  issue(8);
  EXPECT_THAT(told(), ElementsAre("issued 0: fixed"));
  run_to(7);
  EXPECT_THAT(told(), IsEmpty());
  run_to(8);
  EXPECT_THAT(told(), ElementsAre("released 0: fixed, token 1"));
  EXPECT_EQ(in_flight(), 0u);
}

TEST_F(PacketTimingTest, AVariableOneIsThereWithItsCompletion) {
  build();
  std::vector<Cycle> completed;
  bench_.sm.events.completed.add([&](const Packet&) { completed.push_back(bench_.gate.now()); });
  Packet& packet = issue(0);
  EXPECT_THAT(told(), ElementsAre("issued 0: variable"));
  run_to(300);
  EXPECT_THAT(told(), IsEmpty());
  timing().completed(packet);
  EXPECT_THAT(told(), ElementsAre("released 0: variable, token 1"));
  EXPECT_THAT(completed, ElementsAre(kIssue + 300));
  EXPECT_EQ(in_flight(), 0u);
}

TEST_F(PacketTimingTest, ATrackerThatKeepsTimeSaysWhen) {
  bench_.hazard_traits.keeps_time = true;
  bench_.hazards.late = 5;
  build();
  issue(8);
  Packet& load = issue(0);
  told();
  run_to(12);
  EXPECT_THAT(told(), IsEmpty());
  run_to(13);
  EXPECT_THAT(told(), ElementsAre("released 0: fixed, token 1"));
  run_to(20);
  timing().completed(load);
  run_to(24);
  EXPECT_THAT(told(), IsEmpty());
  run_to(25);
  EXPECT_THAT(told(), ElementsAre("released 0: variable, token 2"));
  EXPECT_EQ(in_flight(), 0u);
}

TEST_F(PacketTimingTest, ATrackerThatCommitsHoldsReleasesBack) {
  bench_.hazard_traits.commits = true;
  bench_.hazards.commits = false;
  build();
  issue(8);
  issue(8);
  run_to(8);
  EXPECT_THAT(told(), ElementsAre("issued 0: fixed", "issued 0: fixed"));
  ASSERT_EQ(bench_.hazards.held_back.size(), 2u);
  bench_.hazards.lets_go = {bench_.hazards.held_back[1]};
  run_to(30);
  EXPECT_THAT(told(), ElementsAre("released 0: fixed, token 2"));
  bench_.hazards.lets_go = {bench_.hazards.held_back[0]};
  run_to(31);
  EXPECT_THAT(told(), ElementsAre("released 0: fixed, token 1"));
}

TEST_F(PacketTimingTest, AGhostHasNoRegisters) {
  build();
  issue(8, {.kind = PacketKind::ghost});
  run_to(7);
  EXPECT_EQ(in_flight(), 1u);
  run_to(8);
  EXPECT_EQ(in_flight(), 0u);
  EXPECT_THAT(told(), IsEmpty());
}

class Wakers : public PacketTimingTest {
 protected:
  /// Contexts that are ready once a result of context 0 is released, on which contexts 0 and 2, of one warp, waited.
  std::vector<std::size_t> woken() {
    build();
    bench_.split(ContextId(0), ContextId(2), ThreadSet::of_word(0xff), 0);
    bench_.parts().waiting.launched(ContextId(2));
    issue(8);
    bench_.hazards.waits[0] = bench_.hazards.waits[1] = Wait::hazard;
    bench_.hazards.waits[2] = Wait::memory;
    contexts().changed |= contexts().valid;
    bench_.fetch_all();
    EXPECT_TRUE(contexts().ready.none());
    bench_.hazards.waits.fill(Wait::none);
    bench_.events.take(kIssue + 8, [&](const IssueEvent& event) { timing().due(event); });
    return members_of(contexts().ready);
  }
};

TEST_F(Wakers, AReleaseWakesItsContext) { EXPECT_THAT(woken(), ElementsAre(0)); }

TEST_F(Wakers, OrAllOfTheWarpWhereTheyShareRegisters) {
  bench_.hazard_traits.shared_by_warp = true;
  EXPECT_THAT(woken(), ElementsAre(0, 2));
}

TEST_F(PacketTimingTest, TheEndOfACopyWakesItsThreadsWhereverTheyAre) {
  isa::MicroOp& copy =
      bench_.add(isa::Opcode::async_copy, {IssueBench::wide_register_at(0), IssueBench::register_at(2)});
  copy.space = isa::Space::global;
  copy.type = isa::DataType::b32;
  bench_.add(isa::Opcode::async_wait);
  build();
  Packet& packet = issue(0);
  bench_.parts().effects.execute(packet);
  bench_.split(ContextId(0), ContextId(2), ThreadSet::of_word(0xff), 1);
  bench_.fetch_all();
  EXPECT_TRUE(contexts().long_latency.test(2));
  EXPECT_THAT(members_of(contexts().ready), ElementsAre(0, 1));
  timing().completed(packet);
  bench_.parts().states.settle();
  EXPECT_THAT(members_of(contexts().ready), ElementsAre(0, 1, 2));
}

TEST_F(PacketTimingTest, InABufferedPipelineAContextIsNotHeld) {
  build();
  issue(8);
  EXPECT_TRUE(contexts().pipeline.none());
  EXPECT_EQ(bench_.events.size(), 1u);
}

class Held : public PacketTimingTest {
 protected:
  bool held() { return contexts().pipeline.test(0); }
  void build_barrel() {
    build(PipelineShape::barrel);
    bench_.parts().states.update_ready(ContextId(0));
  }
};

TEST_F(Held, WithOneInFlightUntilTheResultIsThere) {
  build(PipelineShape::one_in_flight);
  issue(8);
  EXPECT_TRUE(held());
  run_to(7);
  EXPECT_TRUE(held());
  run_to(8);
  EXPECT_FALSE(held());
  EXPECT_TRUE(contexts().ready.test(0));
  EXPECT_THAT(bench_.grouping.take_told(), ElementsAre("retired 0"));
  EXPECT_EQ(in_flight(), 0u);
}

TEST_F(Held, InABarrelToItsEndAndAtLeastForTheLatency) {
  build_barrel();
  issue(4);
  run_to(6);
  EXPECT_THAT(told(), ElementsAre("issued 0: fixed", "released 0: fixed, token 1"));
  EXPECT_TRUE(held());
  run_to(7);
  EXPECT_FALSE(held());
  issue(20);
  run_to(26);
  EXPECT_TRUE(held());
  run_to(27);
  EXPECT_FALSE(held());
}

TEST_F(Held, InABarrelThatFetchesEarlierUntilThen) {
  bench_.parameters.refetch = 5;
  build_barrel();
  Packet& load = issue(0);
  run_to(4);
  EXPECT_TRUE(held());
  run_to(5);
  EXPECT_FALSE(held());
  EXPECT_EQ(in_flight(), 1u) << "the load has yet to complete";
  timing().completed(load);
  EXPECT_EQ(in_flight(), 0u);
}

TEST_F(Held, InABarrelByALoadThatCompletesEarlyToTheEnd) {
  build_barrel();
  Packet& load = issue(0);
  run_to(3);
  timing().completed(load);
  EXPECT_THAT(told(), ElementsAre("issued 0: variable", "released 0: variable, token 1"));
  run_to(6);
  EXPECT_TRUE(held());
  run_to(7);
  EXPECT_FALSE(held());
  EXPECT_EQ(in_flight(), 0u);
}

TEST_F(Held, ByALoadThatTakesLongUntilItCompletes) {
  build_barrel();
  Packet& load = issue(0);
  run_to(80);
  EXPECT_TRUE(held());
  timing().completed(load);
  EXPECT_FALSE(held());
  EXPECT_EQ(in_flight(), 0u);
}

TEST_F(Held, ByEveryPacketOfAnInstruction) {
  build_barrel();
  issue(4, {.last = false});
  run_to(3);
  issue(4, {.first = false});
  run_to(9);
  EXPECT_TRUE(held());
  run_to(10);
  EXPECT_FALSE(held());
  EXPECT_THAT(bench_.grouping.take_told(), ElementsAre("retired 0"));
}

TEST_F(Held, ForTheWholeSequenceWhereAllOfItHolds) {
  build_barrel();
  issue(4, {.last = false, .all_hold = true});
  run_to(20);
  EXPECT_TRUE(held()) << "the first has left, but others may come";
  issue(4, {.first = false, .all_hold = true});
  run_to(26);
  EXPECT_TRUE(held());
  run_to(27);
  EXPECT_FALSE(held());
}

TEST_F(Held, ByThePacketsThatAskForIt) {
  build_barrel();
  issue(4, {.last = false});
  run_to(3);
  issue(30, {.first = false, .holds_context = false});
  run_to(7);
  EXPECT_FALSE(held());
}

TEST_F(Held, ByAMissTheyWaitForMemory) {
  build_barrel();
  std::vector<Cycle> missed;
  bench_.sm.events.missed.add([&](const Packet&) { missed.push_back(bench_.gate.now()); });
  Packet& load = issue(0);
  Packet& second = issue(0, {.first = false});
  run_to(9);
  timing().missed(load);
  timing().missed(second);
  EXPECT_THAT(missed, ElementsAre(kIssue + 9, kIssue + 9));
  EXPECT_EQ(timing().missed_of(ContextId(0)), 2u);
  EXPECT_TRUE(contexts().away.test(0));
  EXPECT_TRUE(contexts().long_latency.test(0));
  timing().completed(load);
  EXPECT_EQ(timing().missed_of(ContextId(0)), 1u);
  EXPECT_TRUE(contexts().away.test(0));
  timing().completed(second);
  EXPECT_FALSE(contexts().away.test(0));
  EXPECT_FALSE(contexts().long_latency.test(0));
  EXPECT_FALSE(held());
}

TEST_F(Held, ByAMissThatReturnsTheyWaitForTheirInstructionOnly) {
  build(PipelineShape::one_in_flight);
  Packet& load = issue(0);
  timing().missed(load);
  contexts().set(ContextId(0), 9, ThreadSet::first_n(32));
  bench_.parts().states.settle();
  EXPECT_TRUE(contexts().long_latency.test(0));
  timing().completed(load);
  EXPECT_FALSE(contexts().buffered.test(0));
  EXPECT_FALSE(contexts().long_latency.test(0));
}

TEST_F(PacketTimingTest, InABufferedPipelineAMissHoldsNobody) {
  build();
  timing().missed(issue(0));
  EXPECT_EQ(timing().missed_of(ContextId(0)), 0u);
  EXPECT_TRUE(contexts().away.none());
}

class LateOperands : public PacketTimingTest {
 protected:
  void report(Packet& packet, OperandReport::What what, Cycle late = 0) { timing().operands({&packet, what, late}); }
  /// Cycles from now until the result is released.
  Cycle released_after() {
    const Cycle from = bench_.gate.now();
    while (in_flight() != 0 && bench_.gate.now() < from + 100) bench_.run_to(bench_.gate.now() + 1);
    return bench_.gate.now() - from;
  }
};

TEST_F(LateOperands, DelayTheResultByAsMuch) {
  build();
  Packet& packet = issue(8);
  run_to(4);
  report(packet, OperandReport::What::gathered, 3);
  EXPECT_EQ(released_after(), 8u + 3 - 4);
}

TEST_F(LateOperands, ThatAreStillMissingHoldTheResultBack) {
  build();
  Packet& packet = issue(8);
  run_to(7);
  report(packet, OperandReport::What::waiting);
  run_to(15);
  EXPECT_EQ(in_flight(), 1u);
  report(packet, OperandReport::What::gathered, 13);
  EXPECT_EQ(released_after(), 8u + 13 - 15);
}

TEST_F(LateOperands, InTimeChangeNothing) {
  build();
  Packet& packet = issue(8);
  run_to(2);
  report(packet, OperandReport::What::gathered, 0);
  EXPECT_EQ(released_after(), 6u);
}

TEST_F(LateOperands, DoNotDelayAResultThatIsDueBeforeTheyCould) {
  build();
  Packet& packet = issue(1);
  report(packet, OperandReport::What::waiting);
  EXPECT_EQ(released_after(), 1u);
}

TEST_F(LateOperands, DelayTheContextThatWaitsForItsInstruction) {
  build(PipelineShape::one_in_flight);
  Packet& packet = issue(8);
  run_to(7);
  report(packet, OperandReport::What::waiting);
  run_to(12);
  EXPECT_TRUE(contexts().pipeline.test(0));
  report(packet, OperandReport::What::gathered, 10);
  run_to(17);
  EXPECT_TRUE(contexts().pipeline.test(0));
  run_to(18);
  EXPECT_FALSE(contexts().pipeline.test(0));
  EXPECT_EQ(in_flight(), 0u);
}

TEST_F(LateOperands, AreToldToATrackerThatFollowsThem) {
  bench_.hazard_traits.follows_operands = true;
  build();
  Packet& packet = issue(8);
  told();
  report(packet, OperandReport::What::waiting);
  EXPECT_THAT(told(), IsEmpty());
  report(packet, OperandReport::What::gathered);
  EXPECT_THAT(told(), ElementsAre("gathered 0"));
}

}  // namespace
}  // namespace heddle::sm
