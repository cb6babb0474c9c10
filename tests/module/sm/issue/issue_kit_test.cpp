// SPDX-License-Identifier: Apache-2.0
// The issue of a planned packet with all its consequences.
#include "sm/issue/issue_kit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "isa/operands.h"
#include "stage_bench.h"

namespace heddle::sm {
namespace {

using isa::Opcode;
using testing::ElementsAre;
using testing::IsEmpty;

class IssueKitTest : public ::testing::Test {
 protected:
  static constexpr unsigned kLatency = 6;

  IssueKitTest() {
    bench_.parameters.schedulers = 1;
    bench_.parameters.order.choose("oldest");
    bench_.parameters.latency.fill({.latency = kLatency, .interval = 1});
  }
  /// Behind the instructions added so far come two additions.
  void build(unsigned threads = 32) {
    for (unsigned i = 0; i < 2; ++i) bench_.add(Opcode::add);
    bench_.build();
    bench_.arrive(threads);
    begin();
  }
  void begin() {
    told();
    bench_.grouping.take_told();
    kit().begin();
  }
  IssueKit& kit() { return bench_.kit(); }
  ContextTable& contexts() { return bench_.contexts(); }
  PacketPlan whole(ContextId context = ContextId(0)) {
    PacketPlan plan = kit().whole(IssueSlot(0), context);
    EXPECT_TRUE(kit().place(plan));
    return plan;
  }
  std::vector<std::string> told() { return bench_.hazards.take_told(); }
  /// Packets on their way to a unit; the next cycle begins.
  std::vector<PacketHandle> sent(LinkIn<PacketHandle>& link) {
    bench_.go_to(bench_.gate.now() + 1);
    return StageBench::received(link);
  }
  /// Cycles from now to the next scheduled event.
  Cycle until_event() { return bench_.events.next(bench_.gate.now()) - bench_.gate.now(); }
  /// Cause charged to the only slot in this cycle.
  std::string charged() {
    bench_.parts().account.close(bench_.gate.now());
    const IssueAccount& account = bench_.parts().account;
    return account.account().names()[static_cast<std::size_t>(account.shown(IssueSlot(0), bench_.gate.now()))];
  }

  StageBench bench_;
};

TEST_F(IssueKitTest, AnInstructionGoesToItsUnitAndTheContextToTheNext) {
  build();
  std::vector<std::uint32_t> issued;
  bench_.sm.events.issued.add([&](const Packet& packet) { issued.push_back(packet.op->pc); });
  EXPECT_TRUE(kit().issue_whole(whole()));
  EXPECT_THAT(told(), ElementsAre("issued 0: fixed"));
  EXPECT_THAT(bench_.grouping.take_told(), ElementsAre("advanced 0"));
  EXPECT_THAT(issued, ElementsAre(0));
  EXPECT_EQ(until_event(), kLatency);
  EXPECT_FALSE(kit().candidates(ContextSet::first_n(8)).any()) << "its next instruction is not known yet";
  const Cycle now = bench_.gate.now();
  const auto packets = sent(bench_.in.alu);
  ASSERT_EQ(packets.size(), 1u);
  const Packet& packet = *packets[0];
  EXPECT_EQ(packet.op, &bench_.kernel.ops[0]);
  EXPECT_EQ(packet.issued, now);
  EXPECT_EQ(text_of(packet.threads), "0-31");
  EXPECT_EQ(packet.active, 32u);
  EXPECT_EQ(packet.waves, 1u);
  EXPECT_EQ(packet.words[0].warp, &bench_.warp());
  for (const char* name : {"warp_instructions", "packets"}) EXPECT_EQ(bench_.counted(name), 1) << name;
  for (const char* name : {"thread_instructions", "active_lanes", "filled_lanes", "offered_lanes"})
    EXPECT_EQ(bench_.counted(name), 32) << name;
}

TEST_F(IssueKitTest, ThreadsWithAFalseGuardDoNotExecute) {
  bench_.add(Opcode::add).guard = IssueBench::predicate_at(0);
  build(20);
  bench_.predicate(bench_.warp(), 0) = 0xff000003;
  kit().issue_whole(whole());
  EXPECT_EQ(text_of(sent(bench_.in.alu)[0]->threads), "0-1");
  EXPECT_EQ(bench_.counted("thread_instructions"), 20);
  EXPECT_EQ(bench_.counted("active_lanes"), 2);
  EXPECT_EQ(bench_.counted("offered_lanes"), 32);
}

TEST_F(IssueKitTest, AMemoryInstructionTakesAsLongAsItTakes) {
  isa::MicroOp& load = bench_.add(Opcode::ld, {IssueBench::wide_register_at(0)}, {IssueBench::register_at(2)});
  load.space = isa::Space::global;
  load.type = isa::DataType::u32;
  build();
  kit().issue_whole(whole());
  EXPECT_THAT(told(), ElementsAre("issued 0: variable"));
  EXPECT_TRUE(bench_.events.empty());
  const auto packets = sent(bench_.in.memory);
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(packets[0]->access_group, packets[0]->issue_id);
  EXPECT_EQ(packets[0]->memory->addresses[0].mask, ~0u);
}

TEST_F(IssueKitTest, AControlInstructionNeedsNoUnit) {
  bench_.add(Opcode::fence);
  build();
  kit().issue_whole(whole());
  EXPECT_EQ(until_event(), kLatency);
  EXPECT_THAT(sent(bench_.in.alu), IsEmpty());
  bench_.run_to(bench_.gate.now() + kLatency);
  EXPECT_EQ(bench_.sm.packets.in_flight(), 0u);
}

TEST_F(IssueKitTest, WavesFollowTheWidthOfTheUnitAndAddWhatItFallsBehind) {
  bench_.parameters.simd_width = 16;
  bench_.parameters.alu = {.count = 1, .lanes = 8};
  bench_.grouping.plan = [](const ThreadSet&) { return LanePlan{LaneMask::first_n(16), 2}; };
  build();
  kit().issue_whole(whole());
  // Four waves; a dependent packet follows in two.
  EXPECT_EQ(until_event(), kLatency + 3u - 1);
  EXPECT_EQ(bench_.counted("offered_lanes"), 32);
  for (unsigned busy = 1; busy < 4; ++busy) {
    bench_.go_to(bench_.gate.now() + 1);
    EXPECT_FALSE(kit().takes(isa::Unit::alu));
  }
  bench_.go_to(bench_.gate.now() + 1);
  EXPECT_TRUE(kit().takes(isa::Unit::alu));
}

TEST_F(IssueKitTest, AnIntervalHoldsTheUnit) {
  bench_.parameters.alu.count = 1;
  build(64);
  PacketPlan plan = whole();
  plan.interval = 3;
  kit().issue_whole(plan);
  PacketPlan next = kit().whole(IssueSlot(0), ContextId(1));
  EXPECT_FALSE(kit().place(next));
  bench_.go_to(bench_.gate.now() + 2);
  EXPECT_FALSE(kit().place(next));
  bench_.go_to(bench_.gate.now() + 1);
  EXPECT_TRUE(kit().place(next));
}

TEST_F(IssueKitTest, APlanMaySayItsLatency) {
  build();
  PacketPlan plan = whole();
  plan.latency = 17;
  kit().issue_whole(plan);
  EXPECT_EQ(until_event(), 17u);
}

TEST_F(IssueKitTest, AResultThatIsKnownSkipsItsUnit) {
  build();
  PacketPlan plan = whole();
  plan.skips_execute = true;
  kit().issue_whole(plan);
  EXPECT_EQ(until_event(), 1u);
  EXPECT_THAT(bench_.grouping.take_told(), ElementsAre("advanced 0"));
  EXPECT_THAT(sent(bench_.in.alu), IsEmpty());
}

TEST_F(IssueKitTest, AGhostTakesLanesAndLeavesNothing) {
  bench_.parameters.alu.count = 1;
  build();
  PacketPlan plan = whole();
  plan.kind = PacketKind::ghost;
  kit().issue(plan);
  EXPECT_FALSE(kit().place(plan)) << "the lanes are taken";
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_THAT(bench_.grouping.take_told(), IsEmpty());
  EXPECT_EQ(until_event(), kLatency);
  EXPECT_EQ(bench_.counted("active_lanes"), 0);
  EXPECT_THAT(sent(bench_.in.alu), IsEmpty());
}

TEST_F(IssueKitTest, ACopyTakesTheTimeOfAnInstructionAndTheContextStays) {
  build();
  PacketPlan plan = whole();
  plan.kind = PacketKind::copy;
  kit().issue(plan);
  EXPECT_THAT(told(), ElementsAre("issued 0: fixed"));
  EXPECT_THAT(bench_.grouping.take_told(), IsEmpty());
  EXPECT_EQ(contexts()[0].pc, 0u);
  EXPECT_EQ(sent(bench_.in.alu).size(), 1u);
}

TEST_F(IssueKitTest, AReplayAccessesWhatTheFirstDid) {
  isa::MicroOp& store = bench_.add(Opcode::st, {IssueBench::register_at(0), IssueBench::register_at(1)});
  store.space = isa::Space::shared;
  store.type = isa::DataType::u32;
  bench_.launch.shared_bytes = 128;
  build();
  bench_.value(bench_.warp(), 0, 5) = 8;
  bench_.value(bench_.warp(), 1, 5) = 77;
  PacketPlan plan = whole();
  kit().issue_whole(plan);
  const PacketHandle first = sent(bench_.in.memory)[0];
  std::memset(bench_.blocks[BlockSlot(0)].state.shared, 0, 128);
  plan.kind = PacketKind::replay;
  plan.replayed = &*first;
  plan.threads = ThreadSet::of_word(0x20);
  EXPECT_TRUE(kit().place(plan));
  kit().issue(plan);
  const PacketHandle replay = sent(bench_.in.memory)[0];
  EXPECT_EQ(replay->memory->addresses[0].value[5], 8u);
  EXPECT_EQ(replay->memory->addresses[0].mask, 0x20u);
  EXPECT_EQ(bench_.blocks[BlockSlot(0)].state.shared[8], std::byte{0});
}

TEST_F(IssueKitTest, APacketThatFillsLanesOffersNone) {
  build();
  PacketPlan plan = whole();
  plan.shares_lanes = true;
  kit().issue_whole(plan);
  EXPECT_EQ(bench_.counted("offered_lanes"), 0);
  EXPECT_EQ(bench_.counted("filled_lanes"), 32);
}

TEST_F(IssueKitTest, AnInstructionOfSeveralPacketsIsCountedOnce) {
  build();
  PacketPlan first = whole(), second = first;
  kit().begin_instruction(ContextId(0), true);
  EXPECT_FALSE(contexts().ready.test(0));
  first.threads = ThreadSet::of_word(0xffff);
  first.last = false;
  kit().issue(first);
  EXPECT_EQ(contexts()[0].pc, 1u) << "it advances with its first packet";
  kit().end_sequence(ContextId(0));
  second.threads = ThreadSet::of_word(0xffff0000);
  second.first = false;
  EXPECT_TRUE(kit().place(second));
  kit().issue(second);
  const auto packets = sent(bench_.in.alu);
  ASSERT_EQ(packets.size(), 2u);
  EXPECT_EQ(packets[0]->issue_id, packets[1]->issue_id);
  EXPECT_EQ(bench_.counted("warp_instructions"), 1);
  EXPECT_EQ(bench_.counted("packets"), 2);
  EXPECT_THAT(bench_.grouping.take_told(), ElementsAre("advanced 0"));
  bench_.fetch_all();
  EXPECT_TRUE(contexts().ready.test(0));
}

TEST_F(IssueKitTest, ABranchHoldsItsContext) {
  bench_.add(Opcode::bra).target = 1;
  bench_.parameters.branch_latency = 4;
  build();
  kit().issue_whole(whole());
  EXPECT_TRUE(contexts().branch.test(0));
  EXPECT_FALSE(contexts().ready.test(0));
  EXPECT_THAT(bench_.grouping.take_told(), IsEmpty());
  bench_.run_to(bench_.gate.now() + 4);
  EXPECT_THAT(bench_.grouping.take_told(), ElementsAre("branched 0: 0-31 to 1"));
}

TEST_F(IssueKitTest, ABranchOfSeveralPacketsWaitsForTheOneThatResolvesItAndForTheLast) {
  bench_.add(Opcode::bra).target = 1;
  bench_.parameters.branch_latency = 4;
  build();
  PacketPlan plan = whole();
  kit().begin_instruction(ContextId(0), true);
  plan.threads = ThreadSet::of_word(0xffff);
  plan.last = false;
  kit().issue(plan);
  bench_.go_to(bench_.gate.now() + 10);
  EXPECT_THAT(bench_.grouping.take_told(), IsEmpty());
  kit().end_sequence(ContextId(0));
  plan.threads = ThreadSet::of_word(0xffff0000);
  plan.first = false;
  plan.last = true;
  plan.resolves = false;
  kit().issue(plan);
  EXPECT_THAT(bench_.grouping.take_told(), ElementsAre("branched 0: 0-31 to 1"));
}

TEST_F(IssueKitTest, AnExitTakesItsThreadsAway) {
  bench_.add(Opcode::exit_);
  build(64);
  kit().issue_whole(whole());
  EXPECT_THAT(bench_.grouping.take_told(), ElementsAre("exited 0: 0-31"));
  EXPECT_EQ(bench_.warp().live, 0u);
  EXPECT_FALSE(contexts().valid.test(0));
}

TEST_F(IssueKitTest, ABarrierIsPassedWhenItOpens) {
  bench_.add(Opcode::bar, {bench_.constant(0)}).bar_mode = isa::BarMode::sync;
  build(64);
  kit().issue_whole(whole(ContextId(0)));
  kit().issue_whole(whole(ContextId(1)));
  EXPECT_EQ(contexts()[0].pc, 1u);
  bench_.fetch_all();
  EXPECT_TRUE(contexts().ready.none());
  bench_.run_to(bench_.gate.now() + 10);
  EXPECT_THAT(members_of(contexts().ready), ElementsAre(0, 1));
}

TEST_F(IssueKitTest, ASleeperHoldsItsContextAsLongAsItSleeps) {
  bench_.add(Opcode::nanosleep, {bench_.constant(90)});
  build();
  const Cycle now = bench_.gate.now();
  kit().issue_whole(whole());
  EXPECT_TRUE(contexts().asleep.test(0));
  bench_.run_to(now + 89);
  EXPECT_EQ(bench_.sm.packets.in_flight(), 1u);
  bench_.run_to(now + 90);
  EXPECT_FALSE(contexts().asleep.test(0));
  EXPECT_EQ(bench_.sm.packets.in_flight(), 0u);
}

TEST_F(IssueKitTest, AnArrivalThatWaitsUsesTheSlotAndIssuesNothing) {
  bench_.add(Opcode::bar_warp, {bench_.constant(~0u)}).sync_form = true;
  build();
  bench_.split(ContextId(0), ContextId(1), ThreadSet::of_word(0xff), 0);
  bench_.parts().waiting.launched(ContextId(1));
  bench_.fetch_all();
  begin();
  EXPECT_TRUE(kit().issue_whole(whole()));
  EXPECT_EQ(charged(), "arrival");
  EXPECT_EQ(bench_.counted("warp_instructions"), 0);
  EXPECT_THAT(told(), IsEmpty());
  bench_.fetch_all();
  EXPECT_THAT(members_of(contexts().ready), ElementsAre(1));
  EXPECT_TRUE(kit().issue_whole(whole(ContextId(1))));
  bench_.fetch_all();
  begin();
  EXPECT_TRUE(kit().issue_whole(whole(ContextId(0))));
  EXPECT_TRUE(kit().issue_whole(whole(ContextId(1))));
  EXPECT_EQ(bench_.counted("warp_instructions"), 2);
}

TEST_F(IssueKitTest, InABarrelABranchIsCompleteWhenItsTargetIsKnown) {
  bench_.parameters.shape = PipelineShape::barrel;
  bench_.parameters.pipeline_depth = 20;
  bench_.add(Opcode::bra).target = 1;
  build();
  const Cycle now = bench_.gate.now();
  kit().issue_whole(whole());
  bench_.run_to(now + 19);
  EXPECT_EQ(bench_.sm.packets.in_flight(), 1u);
  EXPECT_TRUE(contexts().pipeline.test(0));
  bench_.run_to(now + 20);
  EXPECT_EQ(bench_.sm.packets.in_flight(), 0u);
  EXPECT_FALSE(contexts().pipeline.test(0));
}

TEST_F(IssueKitTest, TheLongestWaitOfAReadyContextIsKept) {
  build();
  bench_.go_to(bench_.gate.now() + 30);
  const Cycle waited = bench_.gate.now() - bench_.parts().states.ready_since(ContextId(0));
  EXPECT_GE(waited, 30u);
  kit().issue_whole(whole());
  EXPECT_EQ(bench_.counted("longest_ready_wait"), static_cast<double>(waited));
}

}  // namespace
}  // namespace heddle::sm
