// SPDX-License-Identifier: Apache-2.0
#include "isa/analysis/uniformity.h"

#include <random>

#include "../front_end_fixture.h"
#include "../warp_interpreter.h"

namespace heddle::isa {
namespace {

constexpr auto kNone = Uniformity::none, kWhole = Uniformity::whole_accesses, kAlways = Uniformity::always;

/// The uniformity of the op whose text begins like this.
Uniformity of(const Kernel& kernel, const std::string& text) {
  for (const MicroOp& op : kernel.ops) {
    if (kernel.text(op).substr(0, text.size()) == text) return op.uniformity;
  }
  ADD_FAILURE() << "no '" << text << "' in\n" << dump(kernel);
  return kNone;
}

/// Of a branch on the value of %r9 that this code computes; %r1 holds %tid.x, %r2 a parameter, %d1 another.
Uniformity of_branch_behind(const std::string& code) {
  const auto kernel = lower_body("mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; ld.param.u64 %d1, [at];\n" + code +
                                     "setp.lt.u32 %p9, %r9, 5; @%p9 bra LAST; st.global.u32 [0], %r9; LAST: ret;",
                                 ".param .u32 n, .param .u64 at");
  return of(*kernel, "@%p9 bra LAST");
}

TEST(Uniformity, OfValuesFollowsFromTheirSources) {
  EXPECT_EQ(of_branch_behind("mov.u32 %r9, 7;"), kAlways);
  EXPECT_EQ(of_branch_behind("add.u32 %r9, %r2, 1;"), kAlways);
  EXPECT_EQ(of_branch_behind("mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.y; mad.lo.u32 %r9, %r3, %r4, %r2;"), kAlways);
  EXPECT_EQ(of_branch_behind("add.u32 %r9, %r2, %r1;"), kNone);
  EXPECT_EQ(of_branch_behind("mov.u32 %r9, %laneid;"), kNone);
  EXPECT_EQ(of_branch_behind("mov.u32 %r9, %warpid;"), kNone);
  EXPECT_EQ(of_branch_behind("mov.u32 %r9, %clock;"), kNone);
  EXPECT_EQ(of_branch_behind("ld.global.u32 %r9, [%d1];"), kNone);
  EXPECT_EQ(of_branch_behind("ld.const.u32 %r9, [16];"), kAlways);
  EXPECT_EQ(of_branch_behind("ld.const.u32 %r9, [%r1];"), kNone);
  EXPECT_EQ(of_branch_behind("atom.global.add.u32 %r9, [%d1], 1;"), kNone);
  EXPECT_EQ(of_branch_behind("shfl.sync.idx.b32 %r9, %r2, 0, 31, -1;"), kNone);
  EXPECT_EQ(of_branch_behind("activemask.b32 %r9;"), kNone);
  EXPECT_EQ(of_branch_behind(""), kNone) << "never written";
}

TEST(Uniformity, OfARegisterIsThatOfItsLatestValue) {
  EXPECT_EQ(of_branch_behind("mov.u32 %r9, %r1; st.global.u32 [%d1], %r9; mov.u32 %r9, 3;"), kAlways);
  EXPECT_EQ(of_branch_behind("mov.u32 %r9, 3; st.global.u32 [%d1], %r9; mov.u32 %r9, %r1;"), kNone);
}

TEST(Uniformity, OfAGuardedWriteNeedsGuardAndOldValue) {
  const std::string by_tid = "setp.lt.u32 %p1, %r1, 9;", by_parameter = "setp.lt.u32 %p1, %r2, 9;";
  EXPECT_EQ(of_branch_behind(by_tid + "mov.u32 %r9, 1; @%p1 mov.u32 %r9, 2;"), kNone);
  EXPECT_EQ(of_branch_behind(by_parameter + "mov.u32 %r9, 1; @%p1 mov.u32 %r9, 2;"), kAlways);
  EXPECT_EQ(of_branch_behind(by_parameter + "mov.u32 %r9, %r1; @%p1 mov.u32 %r9, 2;"), kNone);
  EXPECT_EQ(of_branch_behind(by_parameter + "@%p1 mov.u32 %r9, 2;"), kNone) << "else undefined";
}

TEST(Uniformity, OfAValueChosenByControlFlowIsThatOfTheBranch) {
  const std::string arms =
      "@%p1 bra ELSE; st.global.u32 [%d1], %r1; mov.u32 %r9, 1; bra JOIN; ELSE: mov.u32 %r9, 2; JOIN:";
  EXPECT_EQ(of_branch_behind("setp.lt.u32 %p1, %r1, 9;" + arms), kNone);
  EXPECT_EQ(of_branch_behind("setp.lt.u32 %p1, %r2, 9;" + arms), kAlways);
  // A value that both ways leave alone is the same on both.
  EXPECT_EQ(
      of_branch_behind("add.u32 %r9, %r2, 4; setp.lt.u32 %p1, %r1, 9; @%p1 bra JOIN; st.global.u32 [%d1], %r1; JOIN:"),
      kAlways);
}

TEST(Uniformity, WithinOneWayOfADivergentBranchThreadsAreAlike) {
  const auto kernel = lower_body(R"(
mov.u32 %r1, %tid.x;
ld.param.u32 %r2, [n];
setp.ge.u32 %p1, %r1, %r2;
@%p1 bra END;
mov.u32 %r3, 0;
L: add.u32 %r3, %r3, 1;
setp.lt.u32 %p2, %r3, %r2;
@%p2 bra L;
END: ret;)",
                                 ".param .u32 n");
  EXPECT_EQ(of(*kernel, "@%p1 bra END"), kNone);
  EXPECT_EQ(of(*kernel, "@%p2 bra L"), kAlways) << "all that enter the loop do so after the same branch";
}

/// A loop with a counter from 0 to a parameter that runs `inside` in each iteration, behind `before`.
Uniformity of_loop(const std::string& before, const std::string& inside) {
  const auto kernel = lower_body(
      "mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mul.wide.u32 %d2, %r1, 4; mov.u64 %d3, 0;\n" + before +
          "mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1;\n" + inside + "setp.lt.u32 %p2, %r3, %r2;\n@%p2 bra L;\nret;",
      ".param .u32 n");
  return of(*kernel, "@%p2 bra L");
}
const std::string kDiamond =
    "setp.lt.u32 %p1, %r1, 7; @%p1 bra X; st.global.u32 [16], %r2; bra Y; X: st.global.u32 [16], %r3; Y: ";

TEST(Uniformity, OfACounterIsLostWhereThreadsMayBeInDifferentIterations) {
  EXPECT_EQ(of_loop("", ""), kAlways);
  EXPECT_EQ(of_loop("", kDiamond), kNone) << "one arm may be through with the next iteration before the other is done";
  EXPECT_EQ(of_loop(kDiamond, ""), kNone) << "threads of one arm may enter the loop before the others";
}

TEST(Uniformity, OfACounterIsKeptByABarrier) {
  EXPECT_EQ(of_loop("", kDiamond + "bar.sync 0;"), kAlways);
  EXPECT_EQ(of_loop("", "bar.sync 0;" + kDiamond), kAlways);
  EXPECT_EQ(of_loop(kDiamond + "bar.sync 0;", ""), kAlways);
  EXPECT_EQ(of_loop(kDiamond, "bar.sync 0;"), kAlways);
  EXPECT_EQ(of_loop("", kDiamond + "bar.sync 0, 64;"), kNone) << "not all threads need wait";
  EXPECT_EQ(of_loop("", kDiamond + "bar.arrive 0, 64;"), kNone);
  EXPECT_EQ(of_loop("", kDiamond + "setp.lt.u32 %p3, %r2, 5; @%p3 bra Z; bar.sync 0; Z:"), kNone)
      << "some iterations have no barrier";
  EXPECT_EQ(of_loop("setp.lt.u32 %p1, %r1, 7; @%p1 bra W; bar.sync 0; W: ", kDiamond + "bar.sync 0;"), kNone)
      << "some threads wait at the first barrier while others pass that of the loop";
  // Barriers on both ways of a branch: each thread meets the others' barrier at another place.
  EXPECT_EQ(of_loop("setp.lt.u32 %p1, %r1, 7; @%p1 bra X; bar.sync 0; bra Y; X: bar.sync 0; Y: ", ""), kNone);
}

TEST(Uniformity, OfACounterDependsOnAccessesThatSplitAWarp) {
  EXPECT_EQ(of_loop("", "ld.global.u32 %r4, [%d2];"), kWhole);
  EXPECT_EQ(of_loop("", "ld.global.u32 %r4, [%d2]; bar.sync 0;"), kAlways);
  EXPECT_EQ(of_loop("", "bar.sync 0; ld.global.u32 %r4, [%d2];"), kAlways);
  EXPECT_EQ(of_loop("", "ld.global.u32 %r4, [%d3];"), kAlways) << "one transaction";
  EXPECT_EQ(of_loop("", "red.global.add.u32 [%d3], %r2;"), kWhole) << "one address, but perhaps one thread at a time";
  EXPECT_EQ(of_loop("ld.global.u32 %r4, [%d2];", ""), kWhole);
}

TEST(Uniformity, AfterALoopThatThreadsLeaveAtDifferentTimesIsLost) {
  EXPECT_EQ(of_branch_behind("mov.u32 %r9, 0; L: add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r1; @%p1 bra L;"), kNone);
  EXPECT_EQ(of_branch_behind("mov.u32 %r9, 0; L: add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, %r2; @%p1 bra L;"),
            kAlways);
}

TEST(Uniformity, OfACounterOfALoopWithTwoEntries) {
  const auto loop = [](const std::string& before) {
    const auto kernel = lower_body("mov.u32 %r1, %tid.x; ld.param.u32 %r2, [n]; mov.u32 %r3, 0;" + before + R"(
setp.eq.u32 %p3, %r2, 1;
@%p3 bra SECOND;
FIRST: add.u32 %r3, %r3, 2;
SECOND: add.u32 %r3, %r3, 1;
setp.lt.u32 %p2, %r3, %r2;
@%p2 bra FIRST;
ret;)",
                                   ".param .u32 n");
    EXPECT_TRUE(kernel->irreducible);
    return of(*kernel, "@%p2 bra FIRST");
  };
  EXPECT_EQ(loop(""), kAlways);
  EXPECT_EQ(loop(kDiamond), kNone);
}

TEST(Uniformity, OfAccessesIsThatOfTheirAddress) {
  const auto kernel = lower_body(R"(
.local .align 4 .b8 mine[16];
mov.u32 %r1, %tid.x;
ld.param.u64 %d1, [at];
cvt.u64.u32 %d2, %r1;
add.u64 %d3, %d1, %d2;
setp.lt.u32 %p1, %r1, 9;
ld.global.u32 %r2, [%d1+4];
ld.global.u32 %r3, [%d3];
@%p1 st.global.u32 [%d1], %r2;
st.shared.u32 [%r1], %r2;
st.shared.u32 [4], %r2;
atom.global.add.u32 %r4, [%d1], %r2;
mov.u64 %d4, mine;
st.local.u32 [%d4], %r3;
cvta.local.u64 %d5, %d4;
st.u32 [%d5], %r3;
ret;)",
                                 ".param .u64 at");
  EXPECT_EQ(of(*kernel, "ld.param.u64 %d1"), kAlways);
  EXPECT_EQ(of(*kernel, "ld.global.u32 %r2"), kAlways);
  EXPECT_EQ(of(*kernel, "ld.global.u32 %r3"), kNone);
  EXPECT_EQ(of(*kernel, "@%p1 st.global.u32 [%d1]"), kAlways) << "those that take part share the address";
  EXPECT_EQ(of(*kernel, "st.shared.u32 [%r1]"), kNone);
  EXPECT_EQ(of(*kernel, "st.shared.u32 [4]"), kAlways);
  EXPECT_EQ(of(*kernel, "atom.global"), kAlways);
  EXPECT_EQ(of(*kernel, "st.local"), kNone) << "each thread has its own local memory";
  EXPECT_EQ(of(*kernel, "st.u32 [%d5]"), kNone);
  EXPECT_EQ(of(*kernel, "mov.u32 %r1"), kNone) << "only branches and memory operations are marked";
}

TEST(Uniformity, OfSwitchesAndUnconditionalJumps) {
  const auto kernel = lower_body(R"(
T: .branchtargets A, B;
ld.param.u32 %r2, [n];
mov.u32 %r1, %tid.x;
and.b32 %r3, %r2, 1;
brx.idx %r3, T;
A: mov.u32 %r4, 1; bra END;
B: mov.u32 %r4, 2;
END: and.b32 %r1, %r1, 1;
U: .branchtargets C, D;
brx.idx %r1, U;
C: mov.u32 %r4, 3; bra LAST;
D: mov.u32 %r4, 4;
LAST: st.global.u32 [0], %r4; ret;)",
                                 ".param .u32 n");
  EXPECT_EQ(of(*kernel, "brx.idx %r3"), kAlways);
  EXPECT_EQ(of(*kernel, "brx.idx %r1"), kNone);
  EXPECT_EQ(of(*kernel, "bra END"), kAlways);
}

// -- whatever the order in which threads run

/// Random code of nested conditions, loops, barriers and accesses on a few registers.
class KernelGenerator {
 public:
  explicit KernelGenerator(unsigned seed) : random_(seed) {}

  std::string kernel() {
    // Registers 0 to 2 begin uniform, 3 to 5 do not.
    std::string text = "mov.u32 %r10, %tid.x; ld.param.u64 %d0, [at]; ld.param.u32 %r11, [n];\n";
    for (unsigned i = 0; i < kRegisters; ++i) {
      text += fmt::format("mad.lo.u32 %r{}, %r{}, {}, {};\n", i, i < 3 ? 11 : 10, below(9), below(9));
    }
    // Some threads leave early.
    if (below(3) == 0) text += fmt::format("setp.gt.u32 %p0, %r{}, 60; @%p0 exit;\n", below(kRegisters));
    if (below(3) == 0) text += fmt::format("setp.gt.u32 %p0, %r{}, 50; @%p0 bra END;\n", below(kRegisters));
    return text + body(3) + body(3) + "END: ret;";
  }

 private:
  static constexpr unsigned kRegisters = 6;
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  /// Uniform ones more often.
  unsigned any() { return below(2) != 0 ? below(3) : below(kRegisters); }

  std::string body(unsigned depth) {
    std::string text;
    for (unsigned i = 1 + below(3); i-- > 0;) text += statement(depth);
    return text;
  }

  std::string statement(unsigned depth) {
    const unsigned label = ++labels_;
    switch (below(depth == 0 ? 5 : 10)) {
      case 0:
        return fmt::format("add.u32 %r{}, %r{}, {};\n", any(), any(), below(5));
      case 1:
        return fmt::format("mul.lo.u32 %r{}, %r{}, %r{};\n", any(), any(), any());
      case 2:
        return fmt::format("and.b32 %r12, %r{}, 63; mul.wide.u32 %d1, %r12, 4; add.u64 %d1, %d1, %d0; ", any()) +
               (below(2) != 0 ? fmt::format("st.global.u32 [%d1], %r{};\n", any())
                              : fmt::format("ld.global.u32 %r{}, [%d1];\n", 3 + below(3)));
      case 3:
        return "bar.sync 0;\n";
      case 4:
        return fmt::format("setp.lt.u32 %p1, %r{}, {}; @%p1 mov.u32 %r{}, %r{};\n", any(), below(40), any(), any());
      case 5:
      case 6:
        return fmt::format(
            "and.b32 %r12, %r{}, 3; setp.lt.u32 %p1, %r12, {}; @%p1 bra E{};\n{}bra J{};\nE{}:\n{}J{}:\n", any(),
            1 + below(3), label, body(depth - 1), label, label, below(3) != 0 ? body(depth - 1) : "", label);
      default: {
        // A loop of a few iterations, whose counter nothing else writes, with a way out in the middle.
        const unsigned counter = 20 + loops_++ % 15;
        std::string text = fmt::format("and.b32 %r{}, %r{}, 3;\nL{}:\n{}", counter, any(), label, body(depth - 1));
        if (below(3) == 0) {
          text +=
              fmt::format("and.b32 %r12, %r{}, 7; setp.eq.u32 %p1, %r12, {}; @%p1 bra O{};\n", any(), below(3), label);
          text += body(depth - 1);
        }
        if (below(3) == 0) text += fmt::format("mov.u32 %r{}, %r{};\n", any(), counter);
        return text + fmt::format("add.u32 %r{}, %r{}, 1; setp.lt.u32 %p1, %r{}, {}; @%p1 bra L{};\nO{}:\n", counter,
                                  counter, counter, 3 + below(3), label, label);
      }
    }
  }

  std::mt19937 random_;
  unsigned labels_ = 0, loops_ = 0;
};

TEST(Uniformity, HoldsInRandomProgramsInAnyOrderOfTheirThreads) {
  unsigned conditional = 0, accesses = 0, only_whole = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    const std::string body = KernelGenerator(seed).kernel();
    const auto kernel = lower_body(body, ".param .u64 at, .param .u32 n");
    for (const MicroOp& op : kernel->ops) {
      only_whole += op.uniformity == kWhole ? 1 : 0;
      if (op.uniformity == kNone) continue;
      conditional += op.opcode == Opcode::bra && op.guard.present() ? 1 : 0;
      accesses += op.unit == Unit::memory && op.space == Space::global ? 1 : 0;
    }
    for (unsigned run = 0; run < 6; ++run) {
      std::mt19937 random(seed * 10 + run);
      std::vector<std::uint32_t> data(64);
      for (std::uint32_t& word : data) word = static_cast<std::uint32_t>(random()) % 64;
      WarpInterpreter warp(*kernel, parameters_of({reinterpret_cast<std::uint64_t>(data.data()), 1 + run}));
      const bool split = run % 2 != 0;
      const MicroOp* wrong = nullptr;
      warp.run_in_any_order(
          random, split,
          [&](const MicroOp& op, std::uint32_t, bool alike) {
            if (!alike && (op.uniformity == kAlways || (op.uniformity == kWhole && !split))) wrong = &op;
          },
          200'000);
      ASSERT_EQ(wrong, nullptr) << "seed " << seed << ": " << kernel->text(*wrong) << "\n" << body << dump(*kernel);
    }
  }
  EXPECT_GT(conditional, 400u) << "the programs have nothing uniform";
  EXPECT_GT(accesses, 200u);
  EXPECT_GT(only_whole, 50u);
}

}  // namespace
}  // namespace heddle::isa
