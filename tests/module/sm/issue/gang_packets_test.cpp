// SPDX-License-Identifier: Apache-2.0
// The instruction of a gang as one packet: for which operations, and that it does for each warp what its own packet
// would have done.
#include "sm/grouping/ganging/gang_packets.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "stage_bench.h"

namespace heddle::sm {
namespace {

using isa::Opcode;
using testing::ElementsAre;
using testing::IsEmpty;

/// Notes where warps go on, and moves them.
class Movers final : public LockStepWarps, public Told {
 public:
  explicit Movers(ContextTable& contexts) : contexts_(contexts) {}
  void go_on_together(ContextId first, std::uint8_t company, std::uint32_t pc) override {
    tell(fmt::format("{}+{:b} at {}", first, company, pc));
    for_each_of(first, company, [&](ContextId c) { contexts_.set(c, pc, contexts_[c].threads); });
  }

 private:
  ContextTable& contexts_;
};

/// Four warps of eight threads, each with a slot of its own.
class GangPacketsTest : public ::testing::Test {
 protected:
  GangPacketsTest() : bench_({.contexts = 4, .span = 8, .own_warps = true}) {
    SmParameters& p = bench_.parameters;
    p.warp_size = 8;
    p.schedulers = 4;
    p.order.choose("oldest");
    p.branch_latency = 4;
    p.latency.fill({.latency = 6, .interval = 1});
    p.operands = {.banks = 0, .latency = 2, .memory_collectors = 0};
    // Enough for what issues in the three cycles before the first packet has left.
    p.alu.collectors = 3 * bench_.sm.issue_width;
    bench_.hazard_traits.shared_by_warp = true;
  }
  isa::MicroOp& add_addition() {
    isa::MicroOp& add = bench_.add(Opcode::add);
    add.lane_function = [](const isa::MicroOp&, std::byte* const*, std::uint32_t) {};
    return add;
  }
  /// A branch to PC 3 by the threads for which predicate 0 holds.
  void add_branch() {
    isa::MicroOp& op = bench_.add(Opcode::bra);
    op.target = 3;
    op.guard = IssueBench::predicate_at(0);
  }
  /// Behind the instructions added so far come four additions.
  void build() {
    for (unsigned i = 0; i < 4; ++i) add_addition();
    bench_.build();
    packets_.emplace(kit(), movers_, true);
    bench_.grouping.branches = [this](ContextId c) { return packets_->branched(c); };
    bench_.grouping.has_branched = [this](ContextId c) { packets_->resolve_others(c); };
    bench_.grouping.shows = [this](Packet& packet) { return packets_->shown_as(packet); };
    bench_.arrive(32);
    bench_.hazards.take_told();
    bench_.grouping.take_told();
    kit().begin();
  }
  void add_access(Opcode opcode, isa::Space space) {
    const isa::Operand address = IssueBench::wide_register_at(0), value = IssueBench::register_at(2);
    isa::MicroOp& op =
        opcode == Opcode::st ? bench_.add(opcode, {address, value}) : bench_.add(opcode, {address}, {value});
    op.unit = isa::Unit::memory;
    op.space = space;
    op.type = isa::DataType::u32;
  }
  void add_load() { add_access(Opcode::ld, isa::Space::global); }
  /// Of the access of a thread, its lower half.
  std::uint32_t& address(unsigned lane) { return bench_.value(bench_.warp(), 0, 2 * lane); }
  /// Of warps 0, 1 and 3, for what they are at.
  PacketPlan plan() {
    std::uint64_t threads = 0;
    for (const unsigned c : {0u, 1u, 3u}) threads |= contexts()[c].threads.word(0) << (8 * c);
    LaneMask lanes;
    lanes.set_word(0, 0xff00ffff);
    return {.context = ContextId(0),
            .slot = IssueSlot(0),
            .op = contexts()[0].next,
            .threads = ThreadSet::of_word(threads),
            .lanes = {lanes, 1},
            .company = 0b1011};
  }
  void issue() {
    PacketPlan plan = this->plan();
    ASSERT_TRUE(packets_->may_join(*plan.op));
    ASSERT_TRUE(packets_->may_join(plan));
    ASSERT_TRUE(kit().place(plan));
    packets_->issue(plan, bench_.parts().account.issued(), 24, kit().now());
  }
  IssueKit& kit() { return bench_.kit(); }
  ContextTable& contexts() { return bench_.contexts(); }
  /// What the grouping hears when the branch resolves, in the cycle in which it is due.
  std::vector<std::string> resolved() {
    EXPECT_THAT(members_of(contexts().branch), ElementsAre(0, 1, 3));
    const Cycle due = bench_.events.next(bench_.gate.now());
    EXPECT_EQ(due, bench_.gate.now() + 4);
    bench_.go_to(due);
    bench_.events.take(due, [&](const IssueEvent& event) {
      EXPECT_EQ(event.kind, IssueEvent::Kind::resolve);
      bench_.parts().branches.resolve(event.context);
    });
    EXPECT_TRUE(contexts().branch.none());
    return bench_.grouping.take_told();
  }
  std::vector<PacketHandle> sent(LinkIn<PacketHandle>& link) {
    bench_.go_to(bench_.gate.now() + 1);
    return StageBench::received(link);
  }
  /// Of the packets to the memory stage, first context, company and threads.
  std::vector<std::string> sent_to_memory() {
    std::vector<std::string> texts;
    for (const PacketHandle& packet : sent(bench_.in.memory))
      texts.push_back(fmt::format("{}+{:b}: {}", packet->context, packet->company, text_of(packet->threads)));
    return texts;
  }

  StageBench bench_;
  Movers movers_{bench_.contexts()};
  std::optional<GangPackets> packets_;
};

TEST_F(GangPacketsTest, OnePacketGoesToTheUnitAndCountsAsOneOfEachWarp) {
  build();
  issue();
  EXPECT_THAT(movers_.take_told(), ElementsAre("0+1011 at 1"));
  EXPECT_THAT(bench_.hazards.take_told(), ElementsAre("issued 0: fixed", "issued 0: fixed", "issued 0: fixed"));
  const auto packets = sent(bench_.in.alu);
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(packets[0]->company, 0b1011);
  EXPECT_EQ(packets[0]->active, 24u);
  for (const char* name : {"warp_instructions", "packets"}) EXPECT_EQ(bench_.counted(name), 3) << name;
  for (const char* name : {"thread_instructions", "active_lanes", "offered_lanes"})
    EXPECT_EQ(bench_.counted(name), 24) << name;
  bench_.run_to(bench_.gate.now() + 8);
  EXPECT_THAT(bench_.hazards.take_told(),
              ElementsAre("released 0: fixed, token 1", "released 0: fixed, token 2", "released 0: fixed, token 3"));
}

TEST_F(GangPacketsTest, ALoadIsOnePacketThatTakesTheRegistersOfEachWarp) {
  add_load();
  build();
  issue();
  EXPECT_THAT(bench_.hazards.take_told(),
              ElementsAre("issued 0: variable", "issued 0: variable", "issued 0: variable"));
  const auto packets = sent(bench_.in.memory);
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(packets[0]->company, 0b1011);
  EXPECT_EQ(packets[0]->words[0].own, 0xff00ffffu) << "the threads of its warps";
  EXPECT_EQ(bench_.counted("packets"), 3);
  ++packets[0]->holders;
  bench_.parts().timing.completed(*packets[0]);
  EXPECT_THAT(bench_.hazards.take_told(), ElementsAre("released 0: variable, token 1", "released 0: variable, token 2",
                                                      "released 0: variable, token 3"));
}

TEST_F(GangPacketsTest, ListenersAreToldOfAPacketForEachWarp) {
  std::vector<std::string> told;
  bench_.sm.events.issued.add([&](const Packet& packet) {
    told.push_back(fmt::format("{} in slot {}: {} of {:#x}, lanes {:#x}", packet.context, packet.slot,
                               text_of(packet.threads), packet.words[0].own, packet.lanes.word(0)));
  });
  add_load();
  build();
  issue();
  EXPECT_THAT(told, ElementsAre("0 in slot 0: 0-7 of 0xff, lanes 0xff", "1 in slot 1: 0-7 of 0xff00, lanes 0xff",
                                "3 in slot 3: 0-7 of 0xff000000, lanes 0xff"));
  const auto packets = sent(bench_.in.memory);
  ASSERT_EQ(packets.size(), 1u) << "it stays one";
  const std::span<Packet> shown = packets[0]->shown();
  ASSERT_EQ(shown.size(), 3u);
  EXPECT_NE(shown[0].issue_id, shown[1].issue_id);
  EXPECT_EQ(shown[1].words[0].mask, 0xff00u);
}

TEST_F(GangPacketsTest, AnAccessTakesThePlaceOfOneByEachOfItsWarps) {
  add_load();
  build();
  EXPECT_TRUE(packets_->has_room(isa::Unit::memory, 4));
  // Of eight, which is twice the number of slots.
  for (unsigned i = 0; i < 2; ++i) {
    issue();
    bench_.go_to(bench_.gate.now() + 1);
  }
  EXPECT_TRUE(packets_->has_room(isa::Unit::memory, 2));
  EXPECT_FALSE(packets_->has_room(isa::Unit::memory, 3));
  kit().begin();
  packets_->await_room(isa::Unit::memory, 3);
  EXPECT_FALSE(kit().worked()) << "the first access wakes the stage when it leaves";
  const auto packets = sent(bench_.in.memory);
  ASSERT_EQ(packets.size(), 2u) << "on the link it has one place";
  EXPECT_TRUE(packets[0]->awaited);
  EXPECT_FALSE(packets[1]->awaited);
}

TEST_F(GangPacketsTest, WarpsThatWaitForOneLineDoSoInOnePacket) {
  add_load();
  build();
  for (unsigned lane = 0; lane < 32; ++lane) address(lane) = 0x1000 + 4 * lane;
  issue();
  EXPECT_THAT(sent_to_memory(), ElementsAre("0+1011: 0-15,24-31"));
  EXPECT_THAT(movers_.take_told(), ElementsAre("0+1011 at 1"));
}

TEST_F(GangPacketsTest, WarpsInARowThatWaitForOneLineShareAPacket) {
  add_load();
  build();
  for (unsigned lane = 0; lane < 32; ++lane) address(lane) = lane < 16 ? 0x1000 : 0x1080;
  issue();
  EXPECT_THAT(bench_.hazards.take_told(),
              ElementsAre("issued 0: variable", "issued 0: variable", "issued 0: variable"));
  EXPECT_THAT(sent_to_memory(), ElementsAre("0+11: 0-15", "3+1: 0-7"));
  EXPECT_EQ(bench_.counted("packets"), 3);
  EXPECT_EQ(bench_.counted("active_lanes"), 24);
  EXPECT_EQ(bench_.counted("offered_lanes"), 24);
  EXPECT_THAT(movers_.take_told(), ElementsAre("0+1011 at 1"));
}

TEST_F(GangPacketsTest, AWarpThatWaitsForSeveralLinesHasAPacketOfItsOwn) {
  add_load();
  build();
  // Warp 1 loads two lines, between warps that load one: packets are in the order of warps.
  for (unsigned lane = 0; lane < 32; ++lane) address(lane) = lane / 8 != 1 ? 0x1000 : 0x1000 + 0x80 * (lane % 2);
  issue();
  EXPECT_THAT(sent_to_memory(), ElementsAre("0+1: 0-7", "1+1: 0-7", "3+1: 0-7"));
}

TEST_F(GangPacketsTest, ALoadAcrossTheEndOfALineWaitsForTwo) {
  add_load();
  build();
  for (unsigned lane = 0; lane < 32; ++lane) address(lane) = lane == 0 ? 0x107e : 0x1080;
  issue();
  EXPECT_THAT(sent_to_memory(), ElementsAre("0+1: 0-7", "1+101: 0-7,16-23"));
}

TEST_F(GangPacketsTest, AStoreIsSortedByLineToo) {
  add_access(Opcode::st, isa::Space::global);
  build();
  for (unsigned lane = 0; lane < 32; ++lane) address(lane) = lane < 16 ? 0x1000 : 0x1080;
  issue();
  EXPECT_THAT(sent_to_memory(), ElementsAre("0+11: 0-15", "3+1: 0-7"));
}

TEST_F(GangPacketsTest, AWarpOfALoadThatLoadsNothingCompletesBeforeTheOthers) {
  add_load();
  build();
  PacketPlan plan = this->plan();
  EXPECT_TRUE(packets_->may_join(plan));
  plan.threads -= ThreadSet::of_word(0xff00);
  EXPECT_FALSE(packets_->may_join(plan));
}

TEST_F(GangPacketsTest, ABranchThatAllThreadsTakeResolvesOnce) {
  add_branch();
  build();
  // The threads of warp 2 do not count.
  bench_.predicate(bench_.warp(), 0) = 0xff00ffff;
  issue();
  EXPECT_THAT(movers_.take_told(), IsEmpty());
  EXPECT_THAT(resolved(), IsEmpty());
  EXPECT_THAT(movers_.take_told(), ElementsAre("0+1011 at 3"));
  EXPECT_EQ(bench_.counted("branches"), 3);
  EXPECT_EQ(bench_.counted("divergent_branches"), 0);
}

TEST_F(GangPacketsTest, ABranchThatNoThreadTakesResolvesOnceToo) {
  add_branch();
  build();
  bench_.predicate(bench_.warp(), 0) = 0x00ff0000;
  issue();
  EXPECT_THAT(resolved(), IsEmpty());
  EXPECT_THAT(movers_.take_told(), ElementsAre("0+1011 at 1"));
}

TEST_F(GangPacketsTest, WhereThreadsDisagreeEachWarpBranches) {
  add_branch();
  build();
  bench_.predicate(bench_.warp(), 0) = 0x00000fff;
  issue();
  EXPECT_THAT(resolved(), ElementsAre("branched 0: 0-7 to 3", "branched 1: 0-3 to 3 4-7 to 1", "branched 3: 0-7 to 1"));
  EXPECT_THAT(movers_.take_told(), IsEmpty());
  EXPECT_EQ(bench_.counted("branches"), 3);
  EXPECT_EQ(bench_.counted("divergent_branches"), 1);
}

TEST_F(GangPacketsTest, AccessesOfOneMemoryMayJoin) {
  for (const auto& [opcode, space] : {std::pair{Opcode::ld, isa::Space::global},
                                      {Opcode::st, isa::Space::shared},
                                      {Opcode::ld, isa::Space::generic},
                                      {Opcode::atom, isa::Space::global}}) {
    isa::MicroOp& op = bench_.add(opcode);
    op.unit = isa::Unit::memory;
    op.space = space;
  }
  build();
  EXPECT_TRUE(packets_->may_join(bench_.kernel.ops[0]));
  EXPECT_TRUE(packets_->may_join(bench_.kernel.ops[1]));
  EXPECT_FALSE(packets_->may_join(bench_.kernel.ops[2])) << "its threads may go to different memories";
  EXPECT_FALSE(packets_->may_join(bench_.kernel.ops[3])) << "its packets are told apart";
}

TEST_F(GangPacketsTest, ABranchMeetsNobodyOnItsWay) {
  bench_.parameters.operands.banks = 16;
  add_branch();
  build();
  EXPECT_TRUE(packets_->may_join(bench_.kernel.ops[0]));
}

TEST_F(GangPacketsTest, ButAContextThatWaitsForItDoesSoAlone) {
  bench_.parameters.shape = PipelineShape::one_in_flight;
  add_branch();
  build();
  EXPECT_FALSE(packets_->may_join(bench_.kernel.ops[0]));
}

/// A machine on which packets of an addition or load may have company, with one thing changed.
struct Joining {
  const char* name;
  void (*change)(StageBench& bench);
  bool may_join, load_may_join = may_join;
};
void PrintTo(const Joining& joining, std::ostream* out) { *out << joining.name; }

class Joinings : public GangPacketsTest, public ::testing::WithParamInterface<Joining> {};

TEST_P(Joinings, AreWherePacketsAreNotToldApart) {
  GetParam().change(bench_);
  add_addition();
  bench_.add(Opcode::exit_);
  add_load();
  build();
  EXPECT_EQ(packets_->may_join(bench_.kernel.ops[0]), GetParam().may_join);
  EXPECT_FALSE(packets_->may_join(bench_.kernel.ops[1])) << "an exit is of the threads of a packet";
  EXPECT_EQ(packets_->may_join(bench_.kernel.ops[2]), GetParam().load_may_join);
}

struct NoProbeListener final : ProbeListener {
  void sample(const ProbeCycle&) override {}
};

INSTANTIATE_TEST_SUITE_P(
    Machines, Joinings,
    ::testing::Values(
        Joining{"NothingDelays", [](StageBench&) {}, true},
        Joining{"BanksConflict", [](StageBench& b) { b.parameters.operands.banks = 16; }, false},
        Joining{"ACollectorTooFew", [](StageBench& b) { --b.parameters.alu.collectors; }, false, true},
        Joining{"ACycleMoreInACollector", [](StageBench& b) { b.parameters.operands.latency = 3; }, false, true},
        Joining{"CollectorsOfAnotherUnit", [](StageBench& b) { b.parameters.sfu.collectors = 1; }, true},
        Joining{"OneInFlight", [](StageBench& b) { b.parameters.shape = PipelineShape::one_in_flight; }, false},
        Joining{"ATrackerOfThreads", [](StageBench& b) { b.hazard_traits.offers = {Feature::hazards_by_thread}; },
                false},
        Joining{"ATrackerFollowsThreads", [](StageBench& b) { b.hazard_traits.follows_threads = true; }, false},
        Joining{"ATrackerKeepsTime", [](StageBench& b) { b.hazard_traits.keeps_time = true; }, false},
        Joining{"ATrackerCommits", [](StageBench& b) { b.hazard_traits.commits = true; }, false},
        Joining{"ATrackerFollowsOperands", [](StageBench& b) { b.hazard_traits.follows_operands = true; }, false},
        Joining{"HalfWarpsCoalesce", [](StageBench& b) { b.parameters.coalescer.rule = CoalescingRule::segments_1x; },
                true, false},
        Joining{"AMechanismListensToMisses", [](StageBench& b) { b.sm.events.missed.add([](const Packet&) {}); }, true,
                false},
        Joining{"AMechanismHearsOfIssues", [](StageBench& b) { b.sm.events.issued.add([](const Packet&) {}); }, true},
        Joining{"AWaveformIsRecorded",
                [](StageBench& b) {
                  static NoProbeListener listener;
                  b.services.probes.attach(&listener);
                },
                true}),
    [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace heddle::sm
