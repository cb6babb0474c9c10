// SPDX-License-Identifier: Apache-2.0
// The machines of interweaving: their peaks, what issues together, and paths that wait for each other.
// Source: docs/sources/branch-and-warp-interweaving.md, 2, 3 (V8 to V10) and 4; decisions.md, interweaving.
#include <fmt/format.h>

#include "core/error.h"
#include "interweaving_kernels.h"
#include "sm/sm.h"
#include "sm_fixture.h"

namespace heddle {
namespace {

using namespace interweaving_kernels;

class InterweavingMachines : public SmTest {
 protected:
  Cycle run_body(const std::string& body, unsigned threads, unsigned blocks = 1) {
    return run(kernel("",
                      ".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<8>; .reg .f32 %f<32>; .shared .align 4 "
                      ".b32 box[2048]; mov.u32 %r1, %tid.x; mov.u64 %rd1, " +
                          std::to_string((address(words_.data()) + 127) / 128 * 128) +
                          "; mad.wide.u32 %rd2, %r1, 4, %rd1; " + body + " ret;"),
               {blocks}, {threads}, {});
  }
  /// Thread instructions per cycle of a loop, without its start.
  double peak(const std::string& loop) {
    const auto run_of = [&](unsigned turns) {
      const double issued = counted("issue.thread_instructions");
      const Cycle cycles = run_body(fmt::format("{} mov.u32 %r30, {}; L: {} sub.u32 %r30, %r30, 1; setp.ne.u32 %p7, "
                                                "%r30, 0; @%p7 bra L; {}",
                                                begin(), turns, loop, end()),
                                    1024);
      return std::pair(counted("issue.thread_instructions") - issued, static_cast<double>(cycles));
    };
    const auto [few, start] = run_of(4);
    const auto [many, end] = run_of(12);
    return (many - few) / (end - start);
  }
  std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(64 * 1024);
};

TEST_F(InterweavingMachines, TheBaselinePeaksAt64) {
  load("interweaving-baseline");
  const double found = peak(adds(200));
  EXPECT_LE(found, 64);
  EXPECT_GT(found, 62);
}

TEST_F(InterweavingMachines, OneSplitAtATimePeaksAt64) {
  load("interweaving-frontiers");
  const double found = peak(adds(200));
  EXPECT_LE(found, 64);
  EXPECT_GT(found, 62);
}

class InterweavingPeak : public InterweavingMachines, public ::testing::WithParamInterface<const char*> {};

TEST_P(InterweavingPeak, Is104) {
  load(GetParam());
  const double found = peak(mixture());
  EXPECT_LE(found, 104);
  EXPECT_GT(found, 97) << "what both schedulers picked, and latched instructions whose unit is taken, cost the rest";
}
INSTANTIATE_TEST_SUITE_P(Presets, InterweavingPeak,
                         ::testing::Values("interweaving-sm", "interweaving-warps", "interweaving-both"),
                         [](const auto& preset) {
                           std::string name = preset.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_F(InterweavingMachines, ASplitOfTheSameWarpAloneDoesNotExceedTheRow) {
  load("interweaving-sm", {"sm.branch_interweaving.scope=same_warp"});
  EXPECT_LE(peak(mixture()), 64);
}

TEST_F(InterweavingMachines, TwoSplitsOfAWarpShareRows) {
  load("interweaving-sm", {"sm.branch_interweaving.scope=same_warp"});
  run_body(balanced(100), 64);
  EXPECT_GE(counted("coissue.same_row"), 95);
  EXPECT_EQ(counted("coissue.other_warp"), 0);
}

TEST_F(InterweavingMachines, WithoutSegmentedRegistersTheyDoNot) {
  load("interweaving-sm", {"sm.branch_interweaving.segmented_registers=false"});
  run_body(balanced(100), 64);
  EXPECT_EQ(counted("coissue.same_row"), 0);
}

TEST_F(InterweavingMachines, WarpsShareRowsOnlyIfTheirLanesDoNotOverlap) {
  // The even threads of one warp and the odd ones of the other, or the same ones of both.
  const auto rows = [&](const std::string& threads) {
    const double before = counted("coissue.same_row");
    run_body(begin() + "shr.u32 %r2, %r1, 6; " + threads +
                 " and.b32 %r3, %r3, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra DONE; " + adds(100) + end() + " DONE:",
             1024);
    return counted("coissue.same_row") - before;
  };
  load("interweaving-warps", {"sm.warp_interweaving.lane_shuffle=identity"});
  EXPECT_GE(rows("add.u32 %r3, %r1, %r2;"), 300);
  EXPECT_EQ(rows("mov.u32 %r3, %r1;"), 0);
}

TEST_F(InterweavingMachines, AShuffleMakesThemFit) {
  load("interweaving-warps");
  run_body(begin() + "and.b32 %r3, %r1, 63; setp.ge.u32 %p1, %r3, 32; @%p1 bra DONE; " + adds(100) + end() + " DONE:",
           1024);
  EXPECT_GE(counted("coissue.same_row"), 300) << "the first half of every warp works";
}

TEST_F(InterweavingMachines, ALaneWarpIsPickedByBothSchedulersAndIssuesOnce) {
  load("interweaving-warps");
  run_body("add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 2; add.u32 %r4, %r1, 3;", 64);
  EXPECT_GT(counted("coissue.conflicts"), 0);
  EXPECT_EQ(counted("issue.packets"), counted("issue.warp_instructions"));
}

TEST_F(InterweavingMachines, AnAccessOfAWideWarpTakesALineACycle) {
  // V10: 64 threads in a row, in 2 lines; far apart, in 64.
  load("interweaving-frontiers");
  run_body("ld.global.u32 %r2, [%rd2];", 64);
  const double two = counted("memory.transactions");
  EXPECT_EQ(two, 2);
  run_body("mad.wide.u32 %rd3, %r1, 128, %rd1; ld.global.u32 %r2, [%rd3];", 64);
  EXPECT_EQ(counted("memory.transactions") - two, 64);
}

TEST_F(InterweavingMachines, TheLinesOfAnAccessMaySplitTheWarp) {
  load("interweaving-sm", {"sm.branch_interweaving.splits_at_memory=true"});
  run_body("ld.global.u32 %r2, [%rd2]; add.u32 %r3, %r2, 1;", 64);
  EXPECT_EQ(counted("interweaving.memory_splits"), 1);
  EXPECT_EQ(counted("memory.transactions"), 2);
  const double splits = counted("interweaving.memory_splits");
  run_body("mad.wide.u32 %rd3, %r1, 128, %rd1; ld.global.u32 %r2, [%rd3];", 64);
  EXPECT_EQ(counted("interweaving.memory_splits") - splits, 63);
}

TEST_F(InterweavingMachines, ThreadInstructionsOfASplitAccessCountOnce) {
  load("interweaving-sm", {"sm.branch_interweaving.splits_at_memory=true"});
  run_body("mad.wide.u32 %rd3, %r1, 128, %rd1; ld.global.u32 %r2, [%rd3];", 64);
  EXPECT_EQ(counted("issue.thread_instructions"), 64.0 * static_cast<double>(kernels_.back()->ops.size()));
}

/// Transactions of uniform control flow do not depend on the permutation of lanes.
class Shuffles : public InterweavingMachines, public ::testing::WithParamInterface<const char*> {};

TEST_P(Shuffles, LeaveCoalescingAlone) {
  load("interweaving-warps", {fmt::format("sm.warp_interweaving.lane_shuffle={}", GetParam())});
  run_body(
      "ld.global.u32 %r2, [%rd2]; mad.wide.u32 %rd3, %r1, 12, %rd1; ld.global.u32 %r3, [%rd3]; xor.b32 %r4, %r1, 7; "
      "mad.wide.u32 %rd4, %r4, 4, %rd1; ld.global.u32 %r5, [%rd4];",
      1024);
  // Lines of 16 warps: 2, 6 or 7 (64 x 12 bytes), 2.
  EXPECT_EQ(counted("memory.transactions"), 16 * (2 + 6 + 2));
}
INSTANTIATE_TEST_SUITE_P(All, Shuffles,
                         ::testing::Values("identity", "mirror_odd", "mirror_half", "xor", "xor_reversed"),
                         [](const auto& shuffle) { return std::string(shuffle.param); });

// -- paths that wait for each other, on every machine

class InterweavingLiveness : public InterweavingMachines, public ::testing::WithParamInterface<const char*> {
 protected:
  void load_it(const std::vector<std::string>& more = {}) {
    std::string text = GetParam();
    std::vector<std::string> settings = more;
    const std::string machine = text.substr(0, text.find(' '));
    while (text.find(' ') != std::string::npos) {
      text = text.substr(text.find(' ') + 1);
      settings.push_back(text.substr(0, text.find(' ')));
    }
    load(machine, settings);
  }
};

TEST_P(InterweavingLiveness, AThreadHeldAtItsPointIsTheOneThatTheOtherWaitsFor) {
  // Threads 1 to 63 reach the point; thread 0, between divergence and point, waits for thread 1 at a vote.
  load_it();
  run_body(R"(
    mov.u32 %r5, 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra JOIN;
    mov.u32 %r2, 3; vote.sync.ballot.b32 %r5, 1, %r2; add.u32 %r5, %r5, 1;
JOIN:
    setp.ne.u32 %p2, %r1, 1; @%p2 bra END;
    mov.u32 %r2, 3; vote.sync.ballot.b32 %r5, 1, %r2;
END: st.global.u32 [%rd2], %r5;
)",
           64);
  const auto* out = reinterpret_cast<const std::uint32_t*>((address(words_.data()) + 127) / 128 * 128);
  EXPECT_EQ(out[0], 4u);
  EXPECT_EQ(out[1], 3u);
  EXPECT_EQ(out[2], 0u);
}

TEST_P(InterweavingLiveness, ManyPathsArriveAtOneBarrier) {
  // Eight paths of a warp, each with its own number of turns, meet the other warp at the barrier.
  load_it();
  run_body(R"(
    and.b32 %r2, %r1, 7; add.u32 %r2, %r2, 1; mov.u32 %r3, 0;
TURN: add.u32 %r3, %r3, %r2; sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra TURN;
    shl.b32 %r4, %r1, 2; mov.u32 %r6, box; add.u32 %r6, %r6, %r4; st.shared.u32 [%r6], %r3;
    bar.sync 0;
    xor.b32 %r4, %r1, 65; shl.b32 %r4, %r4, 2; mov.u32 %r6, box; add.u32 %r6, %r6, %r4; ld.shared.u32 %r5, [%r6];
    st.global.u32 [%rd2], %r5;
)",
           128);
  const auto* out = reinterpret_cast<const std::uint32_t*>((address(words_.data()) + 127) / 128 * 128);
  for (unsigned t = 0; t < 128; ++t) {
    const unsigned n = ((t ^ 65u) & 7) + 1;
    ASSERT_EQ(out[t], n * (n + 1) / 2) << t;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Machines, InterweavingLiveness,
    ::testing::Values("interweaving-frontiers", "interweaving-sm", "interweaving-warps", "interweaving-both",
                      "interweaving-sm sm.branch_interweaving.constraints=true",
                      "interweaving-sm sm.branch_interweaving.constraints=true sm.branch_interweaving.sync_cost=1",
                      "interweaving-sm sm.branch_interweaving.head_swap=false sm.branch_interweaving.cold_entries=1",
                      "interweaving-sm sm.branch_interweaving.heap=exact",
                      "interweaving-sm sm.branch_interweaving.splits_at_memory=true",
                      "interweaving-both sm.branch_and_warp_interweaving.splits_at_memory=true",
                      "interweaving-both sm.branch_and_warp_interweaving.sets=16",
                      "interweaving-warps sm.warp_interweaving.sets=16 sm.warp_interweaving.set_function=same"),
    [](const auto& machine) { return fmt::format("machine{}", machine.index); });

// -- refusals

TEST_F(InterweavingMachines, RefuseWhatTheyCannotRun) {
  const auto refused = [this](const std::string& machine, const std::vector<std::string>& settings) -> std::string {
    try {
      load(machine, settings);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refused("interweaving-sm", {"sm.hazards=scoreboard"}).find("needs hazards by thread"), std::string::npos);
  EXPECT_NE(refused("interweaving-warps", {"sm.shape=one_in_flight"}).find("latches an instruction"),
            std::string::npos);
  EXPECT_NE(refused("interweaving-warps", {"sm.warp_interweaving.sets=32"}).find("do not divide"), std::string::npos);
  EXPECT_NE(refused("interweaving-warps-24", {"sm.warp_interweaving.sets=3"}).find("even number"), std::string::npos);
  EXPECT_NE(refused("interweaving-sm", {"sm.schedulers=1"}).find("sm.schedulers"), std::string::npos);
  EXPECT_NE(refused("interweaving-sm", {"sm.warp_size=128"}).find("at most 64"), std::string::npos);
  EXPECT_EQ(refused("interweaving-warps-24", {"sm.warp_interweaving.sets=24"}), "");
}

}  // namespace
}  // namespace heddle
