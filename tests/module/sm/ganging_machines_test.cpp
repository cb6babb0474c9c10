// SPDX-License-Identifier: Apache-2.0
// The machines of variable warp size: fetches, splits and merges of gangs, what issues and accesses memory together,
// and warps that wait for each other.
// Source: docs/sources/variable-warp-size.md, 2 and 3.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cached_side.h"
#include "core/error.h"
#include "ganging_machines.h"
#include "gpu/gpu.h"
#include "refusal.h"
#include "sm/sm.h"

namespace heddle {
namespace {

// -- fetches: 32 original gangs

struct Fetches {
  const char* machine;
  unsigned warps;  ///< that fetch for themselves
};
void PrintTo(const Fetches& fetches, std::ostream* out) { *out << fetches.machine; }

class ConvergentFetches : public GangingMachines, public ::testing::WithParamInterface<Fetches> {};

TEST_P(ConvergentFetches, AreOneAWarpOrGang) {
  load(GetParam().machine);
  run_body(adds(40) + "st.global.u32 [%rd2], %r3;", 1024);
  EXPECT_EQ(counted("issue.fetch_requests"), GetParam().warps * instructions());
  EXPECT_EQ(counted("decode.decoded"), GetParam().warps * instructions());
}
INSTANTIATE_TEST_SUITE_P(Machines, ConvergentFetches,
                         ::testing::Values(Fetches{"vws-ws64", 16}, Fetches{"vws-ws32", 32}, Fetches{"vws-ws16", 64},
                                           Fetches{"vws-ws8", 128}, Fetches{"vws-ws4", 256}, Fetches{"vws-i", 32},
                                           Fetches{"vws-e", 32}, Fetches{"vws-wide", 32}, Fetches{"vws-proposed", 32}),
                         [](const auto& of) { return test_name(of.param.machine); });

TEST_F(GangingMachines, HalvesOfAGangFetchForThemselves) {
  // Every gang splits into 4 + 4 warps behind a branch and never forms again.
  load("vws-i");
  run_body(
      "and.b32 %r4, %r1, 16; setp.eq.u32 %p1, %r4, 0; mov.u32 %r3, 0; @%p1 bra B; " + adds(30) + "ret; B: " + adds(30),
      1024);
  const double behind = 31, before = instructions() - 2 * behind;
  EXPECT_EQ(counted("issue.fetch_requests"), 32 * before + 64 * behind);
  EXPECT_EQ(counted("ganging.control_splits"), 32);
  expect_sizes({4, 8});
}

class ConvergentCode : public GangingMachines, public ::testing::WithParamInterface<const char*> {};

TEST_P(ConvergentCode, FillsAllLanesInGangs) {
  // V8, V9: the same bound holds for full warps.
  load(GetParam());
  // Independent instructions: the last warps do not wait for their own results.
  std::string body;
  for (unsigned i = 0; i < 208; ++i) body += fmt::format("add.u32 %r{}, %r{}, %r1; ", 8 + i % 8, 8 + i % 8);
  for (unsigned i = 0; i < 8; ++i) body += fmt::format("st.global.u32 [%rd2], %r{}; ", 8 + i);
  const Cycle cycles = run_body(body, 1024);
  const double peak = counted("issue.thread_instructions") / static_cast<double>(cycles);
  EXPECT_LE(peak, 32);
  EXPECT_GT(peak, 29.5);
  EXPECT_EQ(counted("ganging.control_splits"), 0);
}
INSTANTIATE_TEST_SUITE_P(Machines, ConvergentCode,
                         ::testing::Values("vws-ws32", "vws-i", "vws-e-impatient", "vws-wide"),
                         [](const auto& machine) { return test_name(machine.param); });

TEST_F(GangingMachines, ConvergentWarpsStayInTheirGang) {
  // V7.
  load("vws-i");
  run_body(adds(20) + "ld.global.u32 %r5, [%rd2]; add.u32 %r3, %r3, %r5; st.global.u32 [%rd2], %r3;", 1024);
  expect_sizes({8});
}

// -- control flow

TEST_F(GangingMachines, AMixedWarpRunsThePathBehindTheBranchFirst) {
  // if (tid < 10) A else B: slices 0 and 1 take A, slice 2 both, slices 3 to 7 B. The path behind the branch is B.
  load("vws-i");
  run_body("mov.u32 %r3, 0; setp.lt.u32 %p1, %r1, 10; @%p1 bra A; " + adds(10) + "bra.uni JOIN; A: " + adds(30) +
               "JOIN: " + adds(60) + " st.global.u32 [%rd2], %r3;",
           32);
  // {0, 1} and {2 .. 7}; where the paths meet slice 2 goes back to A, and {3 .. 7} go on.
  expect_sizes({1, 2, 5, 6, 8});
  EXPECT_EQ(counted("ganging.control_splits"), 2);
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(words()[t], (t < 10 ? 90 : 70) * t);
}

TEST_F(GangingMachines, ThePathOrderDecidesWithWhomAMixedWarpStays) {
  load("vws-i", {"sm.variable_warps.path_order=taken_first"});
  run_body("mov.u32 %r3, 0; setp.lt.u32 %p1, %r1, 10; @%p1 bra A; " + adds(10) + "bra.uni JOIN; A: " + adds(30) +
               "JOIN: " + adds(60) + " st.global.u32 [%rd2], %r3;",
           32);
  expect_sizes({1, 2, 3, 5, 8});
}

TEST_F(GangingMachines, DivergenceThatAllWarpsShareDoesNotSplitAGang) {
  load("vws-i");
  run_body("mov.u32 %r3, 0; and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra B; " + adds(10) +
               "bra.uni JOIN; B: " + adds(20) + "JOIN: st.global.u32 [%rd2], %r3;",
           64);
  EXPECT_EQ(counted("ganging.control_splits"), 0);
  expect_sizes({8});
  for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(words()[t], (t % 2 == 0 ? 20 : 10) * t);
}

TEST_F(GangingMachines, HalfOfAGangExitsAndTheOtherHalfStaysInLockStep) {
  // V6.
  load("vws-i");
  run_body("and.b32 %r4, %r1, 16; setp.eq.u32 %p1, %r4, 0; mov.u32 %r3, 0; @%p1 bra END; " + adds(50) + "END:", 1024);
  expect_sizes({4, 8});
}

TEST_F(GangingMachines, AWarpThatLeavesALoopEarlyIsAlone) {
  // Slice s turns s + 1 times.
  load("vws-i");
  run_body("mov.u32 %r3, 0; add.u32 %r4, %r2, 1; TURN: " + adds(5) +
               "sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra TURN; st.global.u32 [%rd2], %r3;",
           32);
  expect_sizes({1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(counted("ganging.control_splits"), 7);
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(words()[t], 5 * (t / 4 + 1) * t);
}

TEST_F(GangingMachines, ABlockThatStartsInTheSameSlotIsAGangAgain) {
  load("vws-i", {"sm.residency.blocks=1"});
  const std::string body = "mov.u32 %r3, 0; setp.lt.u32 %p1, %r1, 4; @%p1 bra A; " + adds(10) + "A: " + adds(10);
  run_body(body, 32, 1);
  const double one = counted("ganging.warps_in_8");
  run_body(body, 32, 4);
  EXPECT_GT(counted("ganging.warps_in_8"), 4 * one);
}

// -- merges

const std::string kDiamond =
    "mov.u32 %r3, 0; and.b32 %r4, %r1, 16; setp.eq.u32 %p1, %r4, 0; @%p1 bra B; " +
    std::string("add.u32 %r3, %r3, 1; bra.uni JOIN; B: add.u32 %r3, %r3, 2; add.u32 %r3, %r3, 3; JOIN: ");

TEST_F(GangingMachines, HalvesThatMeetFormAGangAgain) {
  // 32 cycles pass between two comparisons of an original gang, in which both halves wait for memory.
  load("vws-e");
  run_body(kDiamond + "ld.global.u32 %r5, [%rd2]; add.u32 %r3, %r3, %r5; " + adds(60), 32);
  EXPECT_EQ(counted("ganging.merges"), 1);
  expect_sizes({4, 8});
  EXPECT_GT(counted("ganging.warps_in_8"), 2 * counted("ganging.warps_in_4"));
}

TEST_F(GangingMachines, WithoutReformingTheyDoNot) {
  load("vws-i");
  run_body(kDiamond + "ld.global.u32 %r5, [%rd2]; add.u32 %r3, %r3, %r5; " + adds(60), 32);
  EXPECT_EQ(counted("ganging.merges"), 0);
  EXPECT_LT(counted("ganging.warps_in_8"), counted("ganging.warps_in_4"));
}

TEST_F(GangingMachines, WarpsWaitForEachOtherWherePathsMeet) {
  load("vws-e", {"sm.variable_warps.sync_wait=100"});
  run_body(kDiamond + adds(60), 32);
  EXPECT_EQ(counted("ganging.holds"), 8) << "each warp of both halves";
  EXPECT_EQ(counted("ganging.hold_timeouts"), 0);
  EXPECT_GT(counted("issue.slots.parked"), 0);
}

TEST_F(GangingMachines, AndGoOnWhenTheTimeIsOver) {
  load("vws-e", {"sm.variable_warps.sync_wait=5"});
  run_body("mov.u32 %r3, 0; and.b32 %r4, %r1, 16; setp.eq.u32 %p1, %r4, 0; @%p1 bra B; add.u32 %r3, %r3, 1; " +
               std::string("bra.uni JOIN; B: ") + adds(40) + "JOIN: " + adds(10),
           32);
  EXPECT_GE(counted("ganging.hold_timeouts"), 4) << "the first half";
}

// -- memory

struct Sliding {
  const char* machine;
  double transactions;
};
void PrintTo(const Sliding& sliding, std::ostream* out) { *out << sliding.machine; }
class Slip : public GangingMachines, public ::testing::WithParamInterface<Sliding> {};

// Both halves of a gang read the same line, from different paths of one length.
const std::string kHalvesRead =
    "and.b32 %r4, %r1, 16; setp.eq.u32 %p1, %r4, 0; @%p1 bra B; add.u32 %r3, %r1, 1; ld.global.u32 %r5, [%rd2]; ret; "
    "B: add.u32 %r3, %r1, 2; ld.global.u32 %r5, [%rd2];";

TEST_F(GangingMachines, LoadsOfTwoGangsInOneCycleAreOneAccess) {
  load("vws-i");
  run_body(kHalvesRead, 32);
  EXPECT_EQ(counted("memory.transactions"), 1);
}

TEST_F(GangingMachines, LoadsOfTwoGangsInTwoCyclesAreTwo) {
  load("vws-i", {"sm.variable_warps.gangs_per_cycle=1"});
  run_body(kHalvesRead, 32);
  EXPECT_EQ(counted("memory.transactions"), 2);
}

const std::string kSlip =
    "mov.u32 %r3, 0; add.u32 %r4, %r2, 1; TURN: sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra TURN; "
    "ld.global.u32 %r5, [%rd2]; st.shared.u32 [box], %r5;";

TEST_P(Slip, ReadsALineManyTimes) {
  load(GetParam().machine);
  run_body(kSlip, 32);
  EXPECT_EQ(counted("memory.transactions"), GetParam().transactions);
}
INSTANTIATE_TEST_SUITE_P(Machines, Slip,
                         ::testing::Values(Sliding{"vws-ws32", 1}, Sliding{"vws-ws16", 2}, Sliding{"vws-ws8", 4},
                                           Sliding{"vws-ws4", 8}),
                         [](const auto& of) { return test_name(of.param.machine); });

TEST_F(GangingMachines, TheFirstOfThemMissesAndTheOthersMergeWithIt) {
  parameters_ = parameters_of("vws-ws4", {});
  memory::CacheParameters l1d;
  build_on(cached_side(200, l1d, services_));
  run_body(kSlip, 32);
  EXPECT_EQ(counted("l1d.read_misses"), 1);
  EXPECT_EQ(counted("l1d.read_merges") + counted("l1d.read_hits"), 7);
}

/// Every warp reads a line of its own; their lines come one after the other.
const std::string kLineAWarp =
    "shr.u32 %r4, %r1, 2; mad.wide.u32 %rd3, %r4, 128, %rd1; ld.global.u32 %r5, [%rd3]; "
    "add.u32 %r3, %r5, 1; ";

TEST_F(GangingMachines, AGangWaitsForTheLastOfItsLines) {
  load("vws-i");
  run_body(kLineAWarp, 32);
  EXPECT_EQ(counted("ganging.memory_splits"), 0);
  EXPECT_GT(counted("issue.slots.gang_wait"), 0);
  expect_sizes({8});
}

TEST_F(GangingMachines, AnImpatientGangDissolvesWhenTheFirstComes) {
  load("vws-i", {"sm.variable_warps.memory_split=impatient"});
  run_body(kLineAWarp, 32);
  EXPECT_EQ(counted("ganging.memory_splits"), 1);
  expect_sizes({1, 8});
}

TEST_F(GangingMachines, WithGroupSplitsEachLineTakesItsWarpsOut) {
  load("vws-i", {"sm.variable_warps.memory_split=group"});
  run_body(kLineAWarp, 32);
  EXPECT_EQ(counted("ganging.memory_splits"), 7);
  expect_sizes({1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_F(GangingMachines, AnSmWhoseAccessesWaitForCreditsSleeps) {
  parameters_ = parameters_of("vws-i", {});
  memory::CacheParameters l1d;
  build_on(cached_side(1000, l1d, services_));
  Cycle awake = 0;
  gpu_->core_clock().on_every_cycle([&](Cycle) { ++awake; });
  // Every thread reads a line of its own.
  const Cycle cycles = run_body(
      "mad.wide.u32 %rd3, %r1, 128, %rd1; ld.global.u32 %r8, [%rd3]; ld.global.u32 %r9, [%rd3+4]; add.u32 %r3, %r8, "
      "%r9;",
      1024);
  EXPECT_GT(counted("issue.slots.unit_busy"), 4 * cycles) << "accesses of most slices wait for room";
  EXPECT_LT(awake, cycles / 2);
}

TEST_F(GangingMachines, WarpsWhoseDataComeInOneCycleStayTogether) {
  // Two lines, of four warps each.
  load("vws-i", {"sm.variable_warps.memory_split=group"});
  run_body("shr.u32 %r4, %r1, 4; mad.wide.u32 %rd3, %r4, 128, %rd1; ld.global.u32 %r5, [%rd3]; add.u32 %r3, %r5, 1;",
           32);
  EXPECT_EQ(counted("ganging.memory_splits"), 1);
  expect_sizes({4, 8});
}

class MemorySplits : public GangingMachines, public ::testing::WithParamInterface<const char*> {};

TEST_P(MemorySplits, DoNotHappenWithinALine) {
  load("vws-i", {fmt::format("sm.variable_warps.memory_split={}", GetParam())});
  run_body("ld.global.u32 %r5, [%rd2]; add.u32 %r3, %r5, 1;", 32);
  EXPECT_EQ(counted("ganging.memory_splits"), 0);
  expect_sizes({8});
}

TEST_P(MemorySplits, DoNotHappenAtABarrier) {
  load("vws-i", {fmt::format("sm.variable_warps.memory_split={}", GetParam())});
  run_body(
      "mov.u32 %r6, box; mad.lo.u32 %r6, %r1, 4, %r6; st.shared.u32 [%r6], %r1; bar.sync 0; "
      "ld.shared.u32 %r5, [box]; bar.sync 0; add.u32 %r3, %r5, 1;",
      1024);
  expect_sizes({8});
}
INSTANTIATE_TEST_SUITE_P(Policies, MemorySplits, ::testing::Values("none", "group", "impatient"));

class ReadyAndWaitingParts : public GangingMachines, public ::testing::WithParamInterface<const char*> {};

TEST_P(ReadyAndWaitingParts, MergeAgain) {
  load("vws-e-impatient", {fmt::format("sm.variable_warps.merges_equal_ready={}", GetParam())});
  run_body(kLineAWarp + adds(40), 1024);
  EXPECT_GT(counted("ganging.merges"), 0);
  EXPECT_GT(counted("ganging.memory_splits"), 0);
}
INSTANTIATE_TEST_SUITE_P(Equal, ReadyAndWaitingParts, ::testing::Values("true", "false"));

class SharedAccesses : public GangingMachines, public ::testing::WithParamInterface<const char*> {};

TEST_P(SharedAccesses, OfAllSlicesAreOne) {
  load(GetParam());
  const Cycle cycles = run_body(
      "mov.u32 %r6, box; mad.lo.u32 %r6, %r1, 4, %r6; st.shared.u32 [%r6], %r1; ld.shared.u32 %r5, [%r6]; "
      "ld.shared.u32 %r7, [%r6+4]; ld.shared.u32 %r8, [%r6+8]; add.u32 %r3, %r5, 1; st.global.u32 [%rd2], %r5;",
      32);
  EXPECT_EQ(counted("shared_memory.accesses"), 4);
  EXPECT_EQ(counted("shared_memory.conflict_cycles"), 0);
  EXPECT_LT(cycles, 210u);
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(words()[t], t);
}
INSTANTIATE_TEST_SUITE_P(Machines, SharedAccesses, ::testing::Values("vws-ws32", "vws-ws4", "vws-i"),
                         [](const auto& machine) { return test_name(machine.param); });

TEST_F(GangingMachines, ACycleAccessesOneKindOfMemory) {
  // Half of the slices read shared memory, the others global memory.
  load("vws-ws4");
  std::string from_global, from_shared;
  for (unsigned i = 0; i < 8; ++i) {
    from_global += fmt::format("ld.global.u32 %r{}, [%rd2]; ", 10 + i);
    from_shared += fmt::format("ld.shared.u32 %r{}, [%r6]; ", 10 + i);
  }
  run_body("mov.u32 %r6, box; and.b32 %r4, %r1, 16; setp.eq.u32 %p1, %r4, 0; @%p1 bra B; " + adds(1) + from_global +
               "st.global.u32 [%rd2], %r3; ret; B: " + from_shared,
           1024);
  EXPECT_GT(counted("issue.slots.memory_kind"), 0);
}

// -- warps that wait for each other

TEST_F(GangingMachines, AGangMeetsAtACollectiveInOneCycle) {
  load("vws-i");
  std::string body = "mov.u32 %r3, %r1; ";
  for (unsigned i = 0; i < 20; ++i) body += "shfl.sync.bfly.b32 %r3, %r3, 5, 31, -1; add.u32 %r3, %r3, 1; ";
  run_body(body + "st.global.u32 [%rd2], %r3;", 32);
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(words()[t], t + 20);
  EXPECT_EQ(counted("issue.slots.arrival"), 0) << "the gang issues in the cycle in which its last warp arrives";
  expect_sizes({8});
}

class GangingLiveness : public GangingMachines, public ::testing::WithParamInterface<const char*> {
 protected:
  void load_it() {
    const std::string text = GetParam();
    const std::size_t space = text.find(' ');
    std::vector<std::string> settings;
    if (space != std::string::npos) settings.push_back("sm.variable_warps." + text.substr(space + 1));
    load(text.substr(0, space), settings);
  }
};

TEST_P(GangingLiveness, AWarpThatIsHeldIsTheOneThatAnotherWaitsFor) {
  // Warps 1 to 7 reach the place where paths meet; warp 0, on its way there, waits for thread 4 at a vote.
  load_it();
  run_body(R"(
    mov.u32 %r5, 0; setp.ge.u32 %p1, %r1, 4; @%p1 bra JOIN;
    setp.ne.u32 %p2, %r1, 0; @%p2 bra JOIN;
    mov.u32 %r4, 17; vote.sync.ballot.b32 %r5, 1, %r4; add.u32 %r5, %r5, 1;
JOIN:
    setp.ne.u32 %p2, %r1, 4; @%p2 bra END;
    mov.u32 %r4, 17; vote.sync.ballot.b32 %r5, 1, %r4;
END: st.global.u32 [%rd2], %r5;
)",
           64);
  EXPECT_EQ(words()[0], 18u);
  EXPECT_EQ(words()[4], 17u);
  EXPECT_EQ(words()[5], 0u);
}

TEST_P(GangingLiveness, PartOfAGangWaitsForAThreadThatWaitsForTheRest) {
  // At one vote, warps 0 and 1 name themselves, and the others thread 0 too, which comes to them only afterwards.
  load_it();
  run_body(R"(
    mov.u32 %r5, 0; mov.u32 %r4, 0xffffff00; setp.ge.u32 %p1, %r1, 8; @!%p1 mov.u32 %r4, 0xff; @%p1 or.b32 %r4, %r4, 1;
    vote.sync.ballot.b32 %r5, 1, %r4;
    setp.ne.u32 %p2, %r1, 0; @%p2 bra END;
    mov.u32 %r4, 0xffffff01; vote.sync.ballot.b32 %r6, 1, %r4; add.u32 %r5, %r5, %r6;
END: st.global.u32 [%rd2], %r5;
)",
           32);
  EXPECT_EQ(words()[0], 0xffu + 0xffffff01u);
  EXPECT_EQ(words()[1], 0xffu);
  EXPECT_EQ(words()[31], 0xffffff01u);
}

TEST_P(GangingLiveness, NamedBarriersOfProducersAndConsumers) {
  // The halves of a gang wait at barriers of their own, one after the other.
  load_it();
  run_body(R"(
    mov.u32 %r6, box; and.b32 %r4, %r1, 32; setp.ne.u32 %p1, %r4, 0; @%p1 bra CONSUMER;
    st.shared.u32 [%r6], 7; bar.arrive 1, 64; bar.sync 2, 64; ld.shared.u32 %r5, [%r6]; bra.uni END;
CONSUMER:
    bar.sync 1, 64; ld.shared.u32 %r5, [%r6]; add.u32 %r5, %r5, 1; st.shared.u32 [%r6], %r5; bar.arrive 2, 64;
END: st.global.u32 [%rd2], %r5;
)",
           64);
  EXPECT_EQ(words()[0], 8u);
  EXPECT_EQ(words()[63], 8u);
}

TEST_P(GangingLiveness, AGangThatSpinsDoesNotStarveTheWarpItWaitsFor) {
  load_it();
  words()[100] = 0;
  run_body(R"(
    setp.lt.u32 %p1, %r1, 8; @%p1 bra PRODUCER;
SPIN: ld.volatile.global.u32 %r5, [%rd1+400]; setp.eq.u32 %p2, %r5, 0; @%p2 bra SPIN;
    bra.uni END;
PRODUCER:
    mov.u32 %r3, 0; mov.u32 %r4, 50; WORK: add.u32 %r3, %r3, 3; sub.u32 %r4, %r4, 1; setp.ne.u32 %p3, %r4, 0; @%p3 bra WORK;
    st.volatile.global.u32 [%rd1+400], 1;
END: st.global.u32 [%rd2], 5;
)",
           1024);
  EXPECT_EQ(words()[0], 5u);
  EXPECT_EQ(words()[1023], 5u);
}

INSTANTIATE_TEST_SUITE_P(Machines, GangingLiveness,
                         ::testing::Values("vws-ws4", "vws-i", "vws-e", "vws-e-impatient", "vws-proposed", "vws-wide",
                                           "vws-i memory_split=group", "vws-i gangs_per_cycle=1", "vws-i aging=10",
                                           "vws-e sync_wait=100", "vws-e merge_items=8"),
                         [](const auto& machine) { return test_name(machine.param); });

// -- fetch

TEST_F(GangingMachines, SlicesFetchFromTheirOwnStores) {
  // All warps part ways and go through the same loop, which fits into a store.
  load("vws-proposed");
  run_body("mov.u32 %r3, 0; mad.lo.u32 %r4, %r2, 3, 40; TURN: " + adds(8) +
               "sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra TURN; mov.u32 %r4, 40; AGAIN: " + adds(8) +
               "sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra AGAIN;",
           32);
  EXPECT_GT(counted("gang_fetch.from_l0"), 0.5 * counted("gang_fetch.slices"));
  EXPECT_EQ(counted("gang_fetch.from_l0") + counted("gang_fetch.from_cache"),
            counted("gang_fetch.slices") + counted("gang_fetch.gangs"));
  EXPECT_EQ(counted("issue.fetch_requests"), counted("gang_fetch.slices") + counted("gang_fetch.gangs"));
}

TEST_F(GangingMachines, SlicesWithoutAWarpOfTheirOwnCouldBeOff) {
  load("vws-i");
  run_body(adds(50), 32);
  for (unsigned s = 0; s < 8; ++s) EXPECT_EQ(counted(fmt::format("slice{}.active_cycles", s)), 0);
}

TEST_F(GangingMachines, ASliceWithAWarpOfItsOwnIsOn) {
  load("vws-i");
  run_body("mov.u32 %r3, 0; setp.lt.u32 %p1, %r1, 4; @%p1 bra A; " + adds(50) + "A: " + adds(50), 32);
  EXPECT_GT(counted("slice0.active_cycles"), 0);
  EXPECT_EQ(counted("slice1.active_cycles"), 0);
}

TEST_F(GangingMachines, FrontEndsShareThePortsThatThereAre) {
  // Every warp goes its own way; two of eight front ends fetch in a cycle.
  load("vws-i", {"sm.variable_warps.fetch_ports=2"});
  run_body("mov.u32 %r3, 0; add.u32 %r4, %r2, 1; TURN: " + adds(20) +
               "sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra TURN;",
           1024);
  EXPECT_GT(counted("gang_fetch.refused"), 0);
  EXPECT_LE(counted("gang_fetch.from_cache"), 2 * counted("issue.slots.cycles"));
}

// -- priority

/// Warp 0 is alone, while the gangs of the other 31 sets always have something to issue.
class Denials : public GangingMachines {
 protected:
  double longest(unsigned aging) {
    load("vws-i", {fmt::format("sm.variable_warps.aging={}", aging)});
    std::string work;
    for (unsigned i = 0; i < 200; ++i) work += fmt::format("add.u32 %r{}, %r{}, %r1; ", 8 + i % 8, 8 + i % 8);
    for (unsigned i = 0; i < 8; ++i) work += fmt::format("st.global.u32 [%rd2], %r{}; ", 8 + i);
    run_body("setp.lt.u32 %p1, %r1, 4; @%p1 bra A; " + work + "ret; A: " + work, 1024);
    return counted("gang_issue.longest_denial");
  }
};

TEST_F(Denials, GangsGoFirstHoweverLong) { EXPECT_GT(longest(0), 500); }

TEST_F(Denials, AnAgedWarpGetsItsSlice) {
  const double cycles = longest(20);
  EXPECT_GT(cycles, 0);
  EXPECT_LE(cycles, 20);
}

// -- what makes no sense

class GangingRefusals : public GangingMachines, public ::testing::WithParamInterface<Refusal> {};

TEST_P(GangingRefusals, SayWhy) {
  expect_refused(GetParam(), [this](const std::vector<std::string>& settings) { load("vws-i", settings); });
}
INSTANTIATE_TEST_SUITE_P(
    All, GangingRefusals,
    ::testing::Values(
        Refusal{"WaitWithoutReform", {"sm.variable_warps.sync_wait=10"}, "reform=opportunistic"},
        Refusal{"SplitsOfSlices",
                {"sm.variable_warps.mode=slice_only", "sm.variable_warps.memory_split=group"},
                "no gangs"},
        Refusal{"AheadOfAnEmptyBuffer", {"sm.variable_warps.gang_buffer=2", "sm.fetch.ahead=false"}, "sm.fetch.ahead"},
        Refusal{"NarrowGangOnly", {"sm.variable_warps.mode=gang_only"}, "sm.warp_size=32"},
        Refusal{"FourOfEightSlices", {"sm.schedulers=4"}, "slices"},
        Refusal{"NarrowFetch", {"sm.fetch.width=1"}, "sm.fetch.width"},
        Refusal{"Vetoes", {R"(sm.vetoes=["static_limit"])"}, "sm.vetoes"},
        Refusal{"Barrel", {"sm.shape=barrel", "sm.hazards=one_in_flight"}, "sm.shape"}),
    [](const auto& refusal) { return std::string(refusal.param.name); });

}  // namespace
}  // namespace heddle
