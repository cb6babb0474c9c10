// SPDX-License-Identifier: Apache-2.0
// One large warp alone on the core: distance between its instructions by number of full rows. Source:
// docs/sources/large-warps-and-database-search.md 2.5.4, the table of single-warp timing. With K rows packed into K
// sub-warps and the fetch in cycle 0, sub-warp k is formed in cycle 1 + k and completes in cycle 6 + k. The next fetch
// is in cycle 7; after a conditional branch it is in cycle 6 + K, one cycle after the last sub-warp completed.
#include "sm_fixture.h"

namespace heddle {
namespace {

class LargeWarpTiming : public SmTest, public ::testing::WithParamInterface<unsigned> {
 protected:
  void SetUp() override {
    parameters_ = parameters_of("large-warp-core");
    build();
  }
  Cycle cycles_of(const std::string& instruction, unsigned length) {
    // %p1: all threads; %p2: those of the last row; %rd1: a word of the thread.
    std::string body = ".reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p<3>; mov.u32 %r1, %tid.x;\n";
    body += "setp.lt.u32 %p1, %r1, 5000; setp.ge.u32 %p2, %r1, " + std::to_string(32 * (rows() - 1)) + ";\n";
    body += "mov.u64 %rd2, " + std::to_string((address(words_.data()) + 127) / 128 * 128) +
            "; mad.wide.u32 %rd1, %r1, 4, %rd2;\n";
    for (unsigned i = 0; i < length; ++i) {
      std::string text = instruction;
      for (std::size_t place = 0; (place = text.find('#')) != std::string::npos;)
        text.replace(place, 1, "L" + std::to_string(i));
      body += text + "\n";
    }
    return run(kernel("", body + "ret;"), {1}, {32 * GetParam()}, {});
  }
  /// Cycles added by one more instruction.
  double period(const std::string& instruction) {
    cycles_of(instruction, 1);  // the first launch of a machine has an empty pipeline before it
    const Cycle shorter = cycles_of(instruction, 16), longer = cycles_of(instruction, 48);
    return static_cast<double>(longer - shorter) / 32;
  }
  unsigned rows() const { return GetParam(); }
  std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(512 + 32);
};

TEST_P(LargeWarpTiming, ArithmeticFollowsWithoutBubblesOnceTheRowsFillThePipeline) {
  // Refetch when the first sub-warp leaves, in cycle 7; the packer is free for it K + 1 cycles after the fetch.
  EXPECT_EQ(period("add.s32 %r1, %r1, %r1;"), std::max(7u, rows()));
}

TEST_P(LargeWarpTiming, IndependentArithmeticIsNoFaster) {
  EXPECT_EQ(period("add.s32 %r2, %r1, %r1;"), std::max(7u, rows()));
}

TEST_P(LargeWarpTiming, AConditionalBranchWaitsForItsLastSubWarp) {
  // Taken by all threads, skipping an instruction.
  EXPECT_EQ(period("@%p1 bra #; add.s32 %r1, %r1, 1; #:"), 6u + rows());
}

TEST_P(LargeWarpTiming, AJumpIsOneToken) {
  // All threads take the first of two paths, which ends in a jump over the second.
  const unsigned branch = 6u + rows(), add = std::max(7u, rows()), jump = 7;
  EXPECT_EQ(period("@!%p1 bra #e; add.s32 %r1, %r1, 1; bra #; #e: sub.s32 %r1, %r1, 3; #:"), branch + add + jump);
}

TEST_P(LargeWarpTiming, AThreadIsFreeSixCyclesAfterItsSubWarpWasFormed) {
  // Only the last row takes part in the second instruction: its threads, formed in cycle K, are free in 6 + K, and the
  // large warp is fetched again 7 cycles after that sub-warp was formed. With one row the fetch decides.
  const unsigned guarded = rows() == 1 ? 7 : rows() + 5;
  EXPECT_EQ(period("add.s32 %r1, %r1, %r1; @%p2 add.s32 %r2, %r1, %r1;"), guarded + 7);
}

TEST_P(LargeWarpTiming, SoItIsBehindAStoreThatIsAcceptedEarlier) {
  const unsigned guarded = rows() == 1 ? 7 : rows() + 5;
  EXPECT_EQ(period("st.global.u32 [%rd1], %r1; @%p2 add.s32 %r2, %r1, %r1;"), guarded + 7);
}

TEST_P(LargeWarpTiming, ThePackerCountsTheSubWarpsThatIssue) {
  // A division occupies the unit for eight cycles, during which calls of the packer would be useless.
  cycles_of(
      "div.u32 %r2, %r1, 3; @%p2 add.s32 %r2, %r1, 1; @!%p1 add.s32 %r2, %r1, 1; @!%p1 bra #e; "
      "add.s32 %r2, %r1, 1; bra #; #e: sub.s32 %r2, %r1, 1; #: bar.sync 0;",
      4);
  const auto total = services_.statistics.total();
  EXPECT_EQ(total.value("sm0.packer.tokens"), 4);
  EXPECT_EQ(total.value("sm0.packer.null_subwarps"), 4);
  EXPECT_EQ(total.value("sm0.packer.subwarps") + 4 + 4 + total.value("sm0.issue.barriers"),
            total.value("sm0.issue.packets"));
  EXPECT_EQ(total.value("sm0.packer.threads") + 4.0 * 32 * rows(),
            total.value("sm0.issue.active_lanes") - 4.0 * 32 * rows());
}

INSTANTIATE_TEST_SUITE_P(Rows, LargeWarpTiming, ::testing::Values(1u, 2u, 4u, 7u, 8u),
                         [](const auto& rows) { return "Rows" + std::to_string(rows.param); });

}  // namespace
}  // namespace heddle
