// SPDX-License-Identifier: Apache-2.0
// The machines of dynamic warp resizing: when partners issue, in what company, what their accesses coalesce to, and
// sub-warps that wait for each other.
// Source: docs/sources/dynamic-warp-resizing.md, 2 and 3; decisions.md, dynamic warp resizing.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "cached_side.h"
#include "core/error.h"
#include "gpu/gpu.h"
#include "refusal.h"
#include "sm/sm.h"
#include "sm_fixture.h"

namespace heddle {
namespace {

using testing::ElementsAre;

/// When and where packets issued.
class Issues final : public sm::SmListenerBase {
 public:
  struct Issue {
    std::uint32_t context;
    Cycle cycle;
    bool operator==(const Issue&) const = default;
  };
  void issued(const sm::Packet& packet, const sm::ContextSituation&, unsigned, Cycle now) override {
    all_[packet.op->pc].push_back({static_cast<std::uint32_t>(packet.context.number()), now});
  }
  /// In order of issue.
  const std::vector<Issue>& of(std::uint32_t pc) { return all_[pc]; }
  Cycle of(std::uint32_t pc, std::uint32_t context) {
    for (const Issue& issue : all_[pc]) {
      if (issue.context == context) return issue.cycle;
    }
    ADD_FAILURE() << "context " << context << " did not issue " << pc;
    return 0;
  }

 private:
  std::map<std::uint32_t, std::vector<Issue>> all_;
};
void PrintTo(const Issues::Issue& issue, std::ostream* out) { *out << 'c' << issue.context << '@' << issue.cycle; }

class ResizingMachines : public SmTest {
 protected:
  /// r1: thread of the block, r2: its sub-warp; rd1: words_ from a line on, rd2: the thread's word of it.
  Cycle run_body(const std::string& body, unsigned threads, unsigned blocks = 1) {
    gpu_->sms().front()->listen(issues_);
    return run(kernel("",
                      ".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<8>; .shared .align 4 .b32 box[1024]; "
                      "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, " +
                          std::to_string(std::countr_zero(sm().warp_size)) + "; mov.u64 %rd1, " +
                          std::to_string(address(words())) + "; mad.wide.u32 %rd2, %r1, 4, %rd1; " + body + " ret;"),
               {blocks}, {threads}, {});
  }
  std::uint32_t* words() { return reinterpret_cast<std::uint32_t*>((address(words_.data()) + 127) / 128 * 128); }
  /// Loads and stores issued by so many partners together, from one on.
  std::vector<double> sizes() {
    std::vector<double> all;
    for (unsigned size = 1; size <= partners_; ++size)
      all.push_back(counted(fmt::format("partner_issue.warps_of_{}", size)));
    return all;
  }
  void load_partners(unsigned partners, std::vector<std::string> settings = {}, const std::string& machine = "dwr-64") {
    partners_ = partners;
    settings.push_back(fmt::format("sm.dynamic_warp_resizing.partners={}", partners));
    settings.push_back(kOneSm);
    load(machine, settings);
  }
  /// PC of the first instruction of a kind.
  std::uint32_t pc_of(isa::Opcode opcode, unsigned nth = 0) const {
    for (const isa::MicroOp& op : kernels_.back()->ops) {
      if (op.opcode == opcode && nth-- == 0) return op.pc;
    }
    ADD_FAILURE() << "no such instruction";
    return 0;
  }
  static std::string adds(unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) text += "add.u32 %r3, %r3, %r1; ";
    return text;
  }

  static constexpr const char* kOneSm = "gpu.sm_classes.0.count=1";
  Issues issues_;
  unsigned partners_ = 8;
  std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(64 * 1024);
};

using Issue = Issues::Issue;

// -- 3.5, vector 7: the time of the barrier

/// Two partners; the second one has `extra` instructions before its load.
class BarrierTime : public ResizingMachines {
 protected:
  static constexpr unsigned kDepth = 9;
  void run_two(unsigned extra, const std::vector<std::string>& settings = {}) {
    std::vector<std::string> all = settings;
    all.push_back(fmt::format("sm.pipeline_depth={}", kDepth));
    all.push_back(fmt::format("sm.latency.int_add.latency={}", kDepth));
    load_partners(2, all);
    run_body("setp.eq.u32 %p1, %r2, 0; @%p1 bra LOAD; " + adds(extra) + "LOAD: ld.global.u32 %r5, [%rd2];", 16);
    load_pc_ = pc_of(isa::Opcode::ld);
    branched_ = issues_.of(pc_of(isa::Opcode::bra), 0);
  }
  std::uint32_t load_pc_ = 0;
  Cycle branched_ = 0;  ///< issue of the first sub-warp's branch
};

TEST_F(BarrierTime, Vector7_TheLoadIssues24CyclesAfterTheSecondOneIsPicked) {
  run_two(1);
  const Cycle picked = branched_ + kDepth;
  // The second one branches a cycle later and issues one instruction more.
  const Cycle other_picked = issues_.of(pc_of(isa::Opcode::add), 1) + kDepth;
  EXPECT_EQ(other_picked, picked + 10);
  EXPECT_THAT(issues_.of(load_pc_), ElementsAre(Issue{0, picked + 34}, Issue{1, picked + 35}));
  EXPECT_EQ(counted("sub_warp_synchroniser.wait_cycles"), 34 + 24);
  EXPECT_EQ(counted("sub_warp_synchroniser.locked_warp_cycles"), 10) << "from 24 to 34";
}

TEST_F(BarrierTime, TheEffectIsAsLateAsConfigured) {
  run_two(1, {"sm.dynamic_warp_resizing.barrier_latency=5"});
  const Cycle picked = branched_ + kDepth;
  EXPECT_THAT(issues_.of(load_pc_), ElementsAre(Issue{0, picked + 15}, Issue{1, picked + 16}));
}

TEST_F(BarrierTime, TheBarrierTakesNoSlotAndIsNoInstruction) {
  run_two(1);
  // Two sub-warps, one of which issues an addition more.
  EXPECT_EQ(counted("issue.warp_instructions"), 2.0 * static_cast<double>(kernels_.back()->ops.size()) - 1);
}

TEST_F(BarrierTime, AsAnInstructionItTakesASlotAndTheLoadIsTheNextOne) {
  load_partners(2, {"sm.dynamic_warp_resizing.barrier=real_isa"});
  run_body("bar.synch_partner 0; ld.global.u32 %r5, [%rd2];", 16);
  const Cycle first = issues_.of(pc_of(isa::Opcode::bar_partner), 0),
              second = issues_.of(pc_of(isa::Opcode::bar_partner), 1);
  EXPECT_EQ(second, first + 1);
  EXPECT_THAT(issues_.of(pc_of(isa::Opcode::ld)), ElementsAre(Issue{0, second + 24}, Issue{1, second + 25}));
  EXPECT_EQ(counted("issue.warp_instructions"), 2.0 * static_cast<double>(kernels_.back()->ops.size() - 1));
  EXPECT_EQ(counted("partner_issue.barriers"), 2);
}

TEST_F(ResizingMachines, ALargeWarpWaitsForAMemberThatLacksItsAddress) {
  // The first sub-warp loads the address; the barrier does not depend on it.
  load_partners(2, {"sm.dynamic_warp_resizing.barrier=real_isa"}, "dwr-fermi");
  const std::uint64_t where = address(words());
  std::copy_n(reinterpret_cast<const std::uint32_t*>(&where), 2, words() + 1024);
  run_body(
      "mov.u64 %rd3, %rd2; setp.ne.u32 %p1, %r2, 0; @%p1 bra GO; ld.volatile.global.u64 %rd3, [%rd1+4096]; "
      "GO: bar.synch_partner 0; ld.global.u32 %r5, [%rd3]; st.shared.u32 [box], %r5;",
      32);
  const std::uint32_t first = pc_of(isa::Opcode::ld), second = pc_of(isa::Opcode::ld, 1);
  const Cycle loaded = issues_.of(first, 0);
  EXPECT_GT(issues_.of(second, 0), loaded + 100);
  EXPECT_EQ(issues_.of(second, 1), issues_.of(second, 0) + 1);
  EXPECT_THAT(sizes(), ElementsAre(1, 1));
}

// -- 3.5, vectors 1 to 5 on the machine; the final `ret` of all is no load or store

TEST_F(ResizingMachines, Vector1_ThreadsOfFourSubWarpsLoadTogether) {
  load_partners(4);
  // Threads 0-7, 8-11, 20-23, 24.
  run_body(R"(
    and.b32 %r3, %r1, 7; setp.eq.u32 %p1, %r2, 0; @%p1 bra LOAD;
    setp.eq.u32 %p2, %r2, 1; @%p2 bra ONE; setp.eq.u32 %p3, %r2, 2; @%p3 bra TWO;
    setp.eq.u32 %p4, %r3, 0; @%p4 bra LOAD; ret;
ONE: setp.lt.u32 %p4, %r3, 4; @%p4 bra LOAD; ret;
TWO: setp.ge.u32 %p4, %r3, 4; @%p4 bra LOAD; ret;
LOAD: ld.global.u32 %r5, [%rd2];
)",
           32);
  EXPECT_THAT(sizes(), ElementsAre(0, 0, 0, 1));
  const std::vector<Issue>& loads = issues_.of(pc_of(isa::Opcode::ld));
  ASSERT_EQ(loads.size(), 4u);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(loads[i], (Issue{i, loads[0].cycle + i}));
  EXPECT_EQ(counted("memory.transactions"), 2) << "threads 0 to 15 and 16 to 31";
  EXPECT_EQ(counted("memory.accesses"), 1);
}

TEST_F(ResizingMachines, Vector2_SubWarpsOfTwoWindowsDoNotLoadTogether) {
  load_partners(4);
  run_body("ld.global.u32 %r5, [%rd2];", 64);
  EXPECT_THAT(sizes(), ElementsAre(0, 0, 0, 2));
  EXPECT_EQ(counted("memory.accesses"), 2);
}

TEST_F(ResizingMachines, Vector3_APartnerThatLeavesReleasesTheOther) {
  load_partners(2);
  run_body("setp.eq.u32 %p1, %r2, 0; @%p1 bra LOAD; ret; LOAD: ld.global.u32 %r5, [%rd2];", 16);
  EXPECT_THAT(sizes(), ElementsAre(1, 0));
  EXPECT_EQ(counted("sub_warp_synchroniser.releases_exit"), 1);
  EXPECT_EQ(counted("ignore_list.inserted"), 0);
}

TEST_F(ResizingMachines, Vector3_AlsoWhenItLeavesLater) {
  load_partners(2);
  run_body("setp.eq.u32 %p1, %r2, 0; @%p1 bra LOAD; " + adds(20) + "ret; LOAD: ld.global.u32 %r5, [%rd2];", 16);
  EXPECT_THAT(sizes(), ElementsAre(1, 0));
  EXPECT_GT(issues_.of(pc_of(isa::Opcode::ld), 0), issues_.of(pc_of(isa::Opcode::add), 1) + 19 * 24);
}

TEST_F(ResizingMachines, Vector4_ABlockSmallerThanItsGroupCombinesWhatItHas) {
  load_partners(8);
  run_body("ld.global.u32 %r5, [%rd2];", 16, 3);
  EXPECT_THAT(sizes(), ElementsAre(0, 3, 0, 0, 0, 0, 0, 0));
}

TEST_F(ResizingMachines, Vector4_ABlockOf96ThreadsHasGroupsOfEightAndFour) {
  load_partners(8);
  run_body("ld.global.u32 %r5, [%rd2];", 96);
  EXPECT_THAT(sizes(), ElementsAre(0, 0, 0, 1, 0, 0, 0, 1));
}

TEST_F(ResizingMachines, Vector5_ThreeWays) {
  // Sub-warps 0 and 3 load at X, 1 and 2 at Y; then 2 loads at Z, while the others leave.
  load_partners(4);
  run_body(
      "setp.eq.u32 %p1, %r2, 0; @%p1 bra X; setp.eq.u32 %p2, %r2, 3; @%p2 bra LATE; setp.eq.u32 %p3, %r2, 2; "
      "@!%p3 bra Y; " +
          adds(3) + "Y: ld.global.u32 %r5, [%rd2]; setp.ne.u32 %p1, %r2, 2; @%p1 bra END; " + adds(10) +
          "ld.global.u32 %r6, [%rd2+256]; bra.uni END; LATE: " + adds(5) + "X: ld.global.u32 %r7, [%rd2+512]; END: ",
      32);
  EXPECT_THAT(sizes(), ElementsAre(3, 1, 0, 0)) << "1 and 2 alone at Y, 2 at Z; 0 and 3 together at X";
  EXPECT_EQ(counted("ignore_list.inserted"), 2) << "Y and Z";
  EXPECT_EQ(counted("ignore_list.hits"), 1) << "sub-warp 2 at Y";
  EXPECT_EQ(counted("sub_warp_synchroniser.releases_different_pc"), 1);
}

TEST_F(ResizingMachines, Listing2a_DivergedPartnersReleaseEachOtherAndLaterOneIsIgnored) {
  // The second time the first one waits until the other leaves.
  load_partners(2);
  run_body(
      "mov.u32 %r4, 2; setp.eq.u32 %p1, %r2, 0; AGAIN: @%p1 bra A; add.u32 %r3, %r3, 1; "
      "ld.global.u32 %r6, [%rd2+256]; bra.uni JOIN; A: ld.global.u32 %r5, [%rd2]; "
      "JOIN: sub.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0; @%p2 bra AGAIN;",
      16);
  EXPECT_THAT(sizes(), ElementsAre(4, 0));
  EXPECT_EQ(counted("ignore_list.hits"), 1);
  EXPECT_EQ(counted("sub_warp_synchroniser.releases_different_pc"), 1);
  EXPECT_EQ(counted("sub_warp_synchroniser.releases_exit"), 1);
}

TEST_F(ResizingMachines, Listing2b_APartnerAtABlockBarrierReleasesTheOther) {
  load_partners(2, {"sm.dynamic_warp_resizing.ilt_insert_on_barrier=true"});
  run_body("setp.eq.u32 %p1, %r2, 0; @%p1 bra A; bar.sync 0; bra.uni END; A: ld.global.u32 %r5, [%rd2]; END: ", 16);
  EXPECT_THAT(sizes(), ElementsAre(1, 0));
  EXPECT_EQ(counted("sub_warp_synchroniser.releases_waiting"), 1);
  EXPECT_EQ(counted("ignore_list.inserted"), 1);
}

TEST_F(ResizingMachines, Listing2b_ToTheLetterIgnoresNothing) {
  load_partners(2);
  run_body("setp.eq.u32 %p1, %r2, 0; @%p1 bra A; bar.sync 0; bra.uni END; A: ld.global.u32 %r5, [%rd2]; END: ", 16);
  EXPECT_EQ(counted("ignore_list.inserted"), 0);
}

TEST_F(ResizingMachines, Listing3_TwoBlockBarriersOfDivergedSubWarpsOpen) {
  load_partners(8);
  run_body(
      "setp.lt.u32 %p1, %r1, 32; @%p1 bra A; bar.sync 0; bra.uni END; A: bar.sync 0; END: st.global.u32 [%rd2], %r1;",
      64);
  for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(words()[t], t);
}

TEST_F(ResizingMachines, AGuardThatIsFalseForAllOfASubWarpDoesNotKeepItFromTheBarrier) {
  load_partners(4);
  run_body("setp.lt.u32 %p1, %r2, 2; @%p1 ld.global.u32 %r5, [%rd2];", 32);
  EXPECT_THAT(sizes(), ElementsAre(0, 0, 0, 1));
  EXPECT_EQ(counted("memory.transactions"), 1);
}

TEST_F(ResizingMachines, ALoadThatNoThreadExecutesSendsNothing) {
  load_partners(4);
  run_body("setp.lt.u32 %p1, %r2, 0; @%p1 ld.global.u32 %r5, [%rd2];", 32);
  EXPECT_EQ(counted("memory.transactions"), 0);
}

TEST_F(ResizingMachines, OtherInstructionsIssueBySubWarp) {
  load_partners(8);
  run_body(adds(10) + "st.shared.u32 [box], %r1; atom.global.add.u32 %r5, [%rd2], 1;", 64);
  EXPECT_THAT(sizes(), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(counted("sub_warp_synchroniser.barriers"), 0);
}

TEST_F(ResizingMachines, ParametersAreLargeWarpIntensiveOnlyIfTheMaskSaysSo) {
  load_partners(2, {"sm.dynamic_warp_resizing.lat_param=true", "sm.dynamic_warp_resizing.lat_global=false"});
  gpu_->sms().front()->listen(issues_);
  run(kernel(".param .u64 p",
             ".reg .b64 %rd<4>; .reg .b32 %r<4>; ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ret;"),
      {1}, {16}, {address(words())});
  EXPECT_EQ(counted("sub_warp_synchroniser.barriers"), 2);
  EXPECT_THAT(sizes(), ElementsAre(0, 1));
}

// -- 3.5, vectors 8 to 11: requests of 64 threads

struct Requests {
  const char* machine;
  unsigned bytes;     ///< of an element
  unsigned requests;  ///< of 64 threads
};
void PrintTo(const Requests& requests, std::ostream* out) { *out << requests.machine << ' ' << requests.bytes; }

class RequestsOf64Threads : public ResizingMachines, public ::testing::WithParamInterface<Requests> {};

TEST_P(RequestsOf64Threads, AreThoseOfTheLargestWarp) {
  memory_latency_ = 1000;
  parameters_ = parameters_of(GetParam().machine);
  parameters_.sm_classes.resize(1);
  parameters_.sm_classes.front().count = 1;
  build_on(cached_side(1000, parameters_.sm_classes.front().caches.l1d.cache, services_));
  run_body(fmt::format("mad.wide.u32 %rd3, %r1, {}, %rd1; ld.global.u{} %r5, [%rd3];", GetParam().bytes,
                       8 * std::min(4u, GetParam().bytes)),
           128);
  EXPECT_EQ(counted("memory.transactions"), 2 * GetParam().requests);
  EXPECT_EQ(counted("l1d.read_misses"), 2 * GetParam().requests);
}
INSTANTIATE_TEST_SUITE_P(
    Vectors8To10, RequestsOf64Threads,
    ::testing::Values(Requests{"dwr-ws8", 4, 8}, Requests{"dwr-ws16", 4, 4}, Requests{"dwr-ws32", 4, 4},
                      Requests{"dwr-ws64", 4, 4}, Requests{"dwr-16", 4, 4}, Requests{"dwr-32", 4, 4},
                      Requests{"dwr-64", 4, 4}, Requests{"dwr-ws8", 1, 8}, Requests{"dwr-ws16", 1, 4},
                      Requests{"dwr-ws32", 1, 2}, Requests{"dwr-ws64", 1, 1}, Requests{"dwr-16", 1, 4},
                      Requests{"dwr-32", 1, 2}, Requests{"dwr-64", 1, 1}, Requests{"dwr-ws8", 8, 8},
                      Requests{"dwr-ws16", 8, 8}, Requests{"dwr-ws32", 8, 8}, Requests{"dwr-ws64", 8, 8},
                      Requests{"dwr-16", 8, 8}, Requests{"dwr-32", 8, 8}, Requests{"dwr-64", 8, 8}),
    [](const auto& of) { return test_name(fmt::format("{}_{}", of.param.machine, of.param.bytes)); });

TEST_F(ResizingMachines, Vector11_AnIgnoredLoadMakesTheRequestsOfSubWarps) {
  // The first time sub-warp 0 loads elsewhere, so the load of the others is ignored from then on.
  load_partners(8);
  run_body("mov.u32 %r4, 2; setp.eq.u32 %p1, %r2, 0; AGAIN: @%p1 bra A; " + adds(1) + "B: ld.global.u32 %r5, [%rd2]; " +
               "bra.uni JOIN; A: ld.global.u32 %r6, [%rd2+1024]; mov.u32 %r7, 1; setp.eq.u32 %p1, %r7, 0; " +
               "JOIN: sub.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0; @%p2 bra AGAIN;",
           64);
  // First A by one, B by seven; then B by each of eight alone.
  EXPECT_THAT(sizes(), ElementsAre(9, 0, 0, 0, 0, 0, 1, 0));
  EXPECT_EQ(counted("ignore_list.hits"), 8);
  EXPECT_EQ(counted("memory.transactions"), 1 + 4 + 8);
}

// -- fixed warps

TEST_F(ResizingMachines, WavesOfAnInstructionOfAnyKindPassOneAfterTheOther) {
  load("dwr-ws64", {kOneSm});
  run_body("add.u32 %r3, %r1, 1; ld.global.u32 %r5, [%rd2]; bar.sync 0;", 128);
  for (const isa::Opcode opcode : {isa::Opcode::add, isa::Opcode::ld, isa::Opcode::bar}) {
    const std::uint32_t pc = pc_of(opcode);
    EXPECT_EQ(issues_.of(pc, 1), issues_.of(pc, 0) + 8) << pc;
  }
  // Nothing is counted once the last thread has left.
  EXPECT_LE(counted("issue.slots.waves"), 7 * counted("issue.slots.issued"));
  EXPECT_GT(counted("issue.slots.waves"), 7 * (counted("issue.slots.issued") - 1));
  gpu_->sms().front()->issue().slot_account().check();
}

TEST_F(ResizingMachines, SubWarpsPassInOneWave) {
  load("dwr-ws8", {kOneSm});
  run_body(adds(10), 1024);
  EXPECT_EQ(counted("issue.slots.waves"), 0);
}

// -- options

class LatRelease : public ResizingMachines, public ::testing::WithParamInterface<const char*> {};

TEST_P(LatRelease, DecidesWhetherAHitWaitsForThePartnersMiss) {
  parameters_ = parameters_of("dwr-16", {fmt::format("sm.dynamic_warp_resizing.lat_release={}", GetParam())});
  parameters_.sm_classes.resize(1);
  parameters_.sm_classes.front().count = 1;
  build_on(cached_side(500, parameters_.sm_classes.front().caches.l1d.cache, services_));
  // All read line 0; then the first sub-warp reads another one.
  run_body(
      "ld.global.u32 %r5, [%rd1]; setp.eq.u32 %p1, %r2, 0; selp.u32 %r6, 4096, 0, %p1; cvt.u64.u32 %rd4, %r6; "
      "add.u64 %rd3, %rd1, %rd4; ld.global.u32 %r7, [%rd3]; mov.u32 %r8, 1;",
      16);
  const std::uint32_t next = pc_of(isa::Opcode::ld, 1) + 1;
  const Cycle miss = issues_.of(next, 0), hit = issues_.of(next, 1);
  EXPECT_GT(miss, issues_.of(next - 1, 0) + 500);
  if (std::string(GetParam()) == "per_subwarp") {
    EXPECT_LT(hit, issues_.of(next - 1, 1) + 100);
  } else {
    EXPECT_EQ(hit, miss + 1);
  }
}
INSTANTIATE_TEST_SUITE_P(Options, LatRelease, ::testing::Values("per_subwarp", "per_largewarp"));

TEST_F(ResizingMachines, WithoutACompilerTheSmLearnsWhereToMeet) {
  load_partners(8, {"sm.dynamic_warp_resizing.sync_mode=dynamic"});
  run_body(
      "mov.u32 %r4, 3; AGAIN: ld.global.u32 %r5, [%rd2]; sub.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0; "
      "@%p2 bra AGAIN;",
      64);
  // The first sub-warp's instruction is known from the next cycle on; its partners then wait for it.
  EXPECT_EQ(counted("sub_warp_synchroniser.unlearned"), 1);
  EXPECT_EQ(counted("learned_list.inserted"), 1);
  EXPECT_EQ(sizes().back(), 2) << "the others wait once for the first, whose second load is theirs";
}

TEST_F(ResizingMachines, AHitInTheIgnoreListMayCostTime) {
  load_partners(2, {"sm.dynamic_warp_resizing.ilt_hit_latency=24"});
  run_body("mov.u32 %r4, 2; setp.eq.u32 %p1, %r2, 0; AGAIN: @%p1 bra A; " + adds(1) + "ld.global.u32 %r5, [%rd2]; " +
               "bra.uni JOIN; A: ld.global.u32 %r6, [%rd2+1024]; JOIN: sub.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0; "
               "@%p2 bra AGAIN;",
           16);
  const bool first = issues_.of(pc_of(isa::Opcode::ld)).front().context == 1;
  const std::vector<Issue>& ignored = issues_.of(pc_of(isa::Opcode::ld, first ? 0 : 1));
  const std::vector<Issue>& before = issues_.of(pc_of(isa::Opcode::add));
  ASSERT_THAT(ignored, ElementsAre(Issue{1, ignored[0].cycle}, Issue{1, before[1].cycle + 48}));
}

TEST_F(ResizingMachines, TheIgnoreListMayBeEmptiedByALaunch) {
  load_partners(2, {"sm.dynamic_warp_resizing.ilt_flush_on_launch=true"});
  const std::string body =
      "setp.eq.u32 %p1, %r2, 0; @%p1 bra A; ld.global.u32 %r5, [%rd2]; bra.uni END; A: ld.global.u32 %r6, [%rd2]; "
      "END: ";
  run_body(body, 16);
  EXPECT_EQ(counted("ignore_list.inserted"), 1);
  run_body(body, 16);
  EXPECT_EQ(counted("ignore_list.inserted"), 2);
  EXPECT_EQ(counted("ignore_list.hits"), 0);
}

TEST_F(ResizingMachines, WithSeveralSchedulersAGroupBelongsToOne) {
  load_partners(4, {}, "dwr-fermi");
  run_body("ld.global.u32 %r5, [%rd2]; add.u32 %r6, %r5, 1; st.global.u32 [%rd2], %r1;", 256);
  EXPECT_THAT(sizes(), ElementsAre(0, 0, 0, 8));
  EXPECT_GT(counted("issue.slots.combined"), 0);
  for (unsigned t = 0; t < 256; ++t) EXPECT_EQ(words()[t], t);
}

TEST_F(ResizingMachines, SlotsAreChargedForWaitingPartners) {
  load_partners(2);
  run_body(
      "setp.eq.u32 %p1, %r2, 0; @%p1 bra LOAD; mov.u32 %r4, 40; SPIN: sub.u32 %r4, %r4, 1; "
      "setp.ne.u32 %p2, %r4, 0; @%p2 bra SPIN; LOAD: ld.global.u32 %r5, [%rd2];",
      16);
  EXPECT_GT(counted("issue.slots.partner_wait"), 20) << "while both pass the barrier";
  gpu_->sms().front()->issue().slot_account().check();
}

// -- sub-warps that wait for each other

class ResizingLiveness : public ResizingMachines, public ::testing::WithParamInterface<const char*> {
 protected:
  void load_it() {
    const std::string text = GetParam();
    const std::size_t space = text.find(' ');
    std::vector<std::string> settings{kOneSm};
    if (space != std::string::npos) settings.push_back("sm.dynamic_warp_resizing." + text.substr(space + 1));
    load(text.substr(0, space), settings);
  }
};

TEST_P(ResizingLiveness, ALockedSubWarpIsTheOneThatItsPartnerWaitsFor) {
  // The first sub-warp locks at a load, while its partner waits for one of its threads at a vote.
  load_it();
  run_body(fmt::format(R"(
    mov.u32 %r5, 0; mov.u32 %r4, {0}; setp.eq.u32 %p1, %r2, 0; @!%p1 bra B;
    ld.global.u32 %r6, [%rd2]; setp.ne.u32 %p2, %r1, 0; @%p2 bra END;
    vote.sync.ballot.b32 %r5, 1, %r4; bra.uni END;
B:  setp.ne.u32 %p2, %r1, {1}; @%p2 bra END;
    vote.sync.ballot.b32 %r5, 1, %r4;
END: st.global.u32 [%rd2], %r5;
)",
                       1 | 1u << sm().warp_size % 32, sm().warp_size),
           64);
  EXPECT_EQ(words()[0], 1 | 1u << sm().warp_size);
  EXPECT_EQ(words()[sm().warp_size], 1 | 1u << sm().warp_size);
  EXPECT_EQ(words()[1], 0u);
}

TEST_P(ResizingLiveness, APathThatIsLockedIsTheOneThatAnotherSubWarpWaitsFor) {
  // In the first sub-warp some threads load, one votes; others of the ISA warp wait for both.
  load_it();
  run_body(R"(
    mov.u32 %r5, 0; mov.u32 %r4, -1; setp.ge.u32 %p1, %r1, 2; @%p1 bra JOIN;
    setp.eq.u32 %p2, %r1, 0; @%p2 bra JOIN;
    ld.global.u32 %r6, [%rd2];
JOIN: vote.sync.ballot.b32 %r5, 1, %r4; st.global.u32 [%rd2], %r5;
)",
           32);
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(words()[t], 0xffffffffu);
}

TEST_P(ResizingLiveness, NamedBarriersOfProducersAndConsumers) {
  load_it();
  run_body(R"(
    mov.u32 %r6, box; and.b32 %r4, %r1, 32; setp.ne.u32 %p1, %r4, 0; @%p1 bra CONSUMER;
    ld.global.u32 %r7, [%rd2];
    st.shared.u32 [%r6], 7; bar.arrive 1, 64; bar.sync 2, 64; ld.shared.u32 %r5, [%r6]; bra.uni END;
CONSUMER:
    bar.sync 1, 64; ld.shared.u32 %r5, [%r6]; add.u32 %r5, %r5, 1; st.shared.u32 [%r6], %r5; bar.arrive 2, 64;
END: st.global.u32 [%rd2], %r5;
)",
           64);
  EXPECT_EQ(words()[0], 8u);
  EXPECT_EQ(words()[63], 8u);
}

TEST_P(ResizingLiveness, DivergedPartnersLoadStoreWaitAndLeaveInAnyOrder) {
  load_it();
  run_body(R"(
    mul.lo.u32 %r7, %r2, 0x9E3779B1; mov.u32 %r8, 12; mov.u32 %r5, 0;
TURN: shr.u32 %r9, %r7, 13; and.b32 %r9, %r9, 3; mad.lo.u32 %r7, %r7, 1664525, 1013904223;
    setp.eq.u32 %p1, %r9, 0; @%p1 bra A; setp.eq.u32 %p2, %r9, 1; @%p2 bra B; setp.eq.u32 %p3, %r9, 2; @%p3 bra C;
    add.u32 %r5, %r5, 1; bra.uni NEXT;
A:  ld.global.u32 %r6, [%rd2]; add.u32 %r5, %r5, %r6; bra.uni NEXT;
B:  ld.global.u32 %r6, [%rd2+4096]; add.u32 %r5, %r5, %r6; bra.uni NEXT;
C:  st.global.u32 [%rd2+8192], %r5;
NEXT: sub.u32 %r8, %r8, 1; setp.eq.u32 %p4, %r8, 6; @!%p4 bra ON; bar.sync 0;
ON: setp.ne.u32 %p4, %r8, 0; @%p4 bra TURN;
    add.u32 %r5, %r1, 3; st.global.u32 [%rd2+16384], %r5;
)",
           256, 2);
  for (unsigned t = 0; t < 256; ++t) EXPECT_EQ(words()[4096 + t], t + 3);
}

INSTANTIATE_TEST_SUITE_P(Machines, ResizingLiveness,
                         ::testing::Values("dwr-16", "dwr-32", "dwr-64", "dwr-fermi", "dwr-64 ilt_ways=0",
                                           "dwr-64 ilt_unlimited=true", "dwr-32 ilt_insert_on_barrier=true",
                                           "dwr-64 lat_release=per_largewarp", "dwr-64 sync_mode=dynamic",
                                           "dwr-64 ilt_hit_latency=24", "dwr-64 lat_param=true"),
                         [](const auto& machine) { return test_name(machine.param); });

// -- what makes no sense

class ResizingRefusals : public ResizingMachines, public ::testing::WithParamInterface<Refusal> {};

TEST_P(ResizingRefusals, SayWhy) {
  expect_refused(GetParam(), [this](const std::vector<std::string>& settings) { load("dwr-64", settings); });
}
INSTANTIATE_TEST_SUITE_P(
    All, ResizingRefusals,
    ::testing::Values(
        Refusal{"WideWarps", {"sm.warp_size=32"}, "as wide as the datapath"},
        Refusal{"FourLanes", {"sm.warp_size=4", "sm.simd_width=4"}, "8 to 32 lanes"},
        Refusal{"PartOfAGroup", {"sm.residency.threads=1000"}, "groups of 8 sub-warps"},
        Refusal{"MoreSchedulersThanGroups",
                {"sm.schedulers=16", "sm.residency.threads=64", "sm.shape=one_in_flight", "sm.single_pipeline=false"},
                "a group belongs to one scheduler"},
        Refusal{"OnePipelineOfTwoSchedulers", {"sm.schedulers=2"}, "several pipelines"},
        Refusal{"Vetoes", {R"(sm.vetoes=["static_limit"])"}, "sm.vetoes"},
        Refusal{"WholeWarpsThatOverlap",
                {"sm.shape=buffered", "sm.hazards=scoreboard", "sm.dynamic_warp_resizing.lat_release=per_largewarp"},
                "sm.shape"},
        Refusal{"LearnedAndCompiled",
                {"sm.dynamic_warp_resizing.sync_mode=dynamic", "sm.dynamic_warp_resizing.barrier=real_isa"},
                "sync_mode=static"},
        Refusal{"HitsOfInstructions",
                {"sm.dynamic_warp_resizing.ilt_hit_latency=24", "sm.dynamic_warp_resizing.barrier=real_isa"},
                "has its own latency"}),
    [](const auto& refusal) { return std::string(refusal.param.name); });

}  // namespace
}  // namespace heddle
