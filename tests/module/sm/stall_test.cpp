// SPDX-License-Identifier: Apache-2.0
// Which context counts as waiting for memory, and from which cycle: cache reports as seen by the account of issue slots
// and a rotating head. Source: docs/sources/large-warps-and-database-search.md 2.1 (rule 5), 2.5.5 and decision 10.
#include "cached_side.h"
#include "sm_fixture.h"

namespace heddle {
namespace {

class Stall : public SmTest {
 protected:
  void load(const std::string& machine, const std::vector<std::string>& settings = {}) {
    parameters_ = parameters_of(machine, settings);
  }
  void build_cached() {
    build_on(cached_side(memory_latency_, parameters_.sm_classes.front().caches.l1d.cache, services_));
  }
  /// Runs `body` with %rd1 the address of words_ and %rd2 that of the thread's own line of it; one block of threads.
  void run_body(const std::string& body, unsigned threads = 32, unsigned blocks = 1) {
    run(kernel("", R"(
  .shared .align 4 .b32 own[1024];
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  mov.u32 %r1, %tid.x;
  mov.u64 %rd1, )" + std::to_string(line_of(0)) +
                       R"(;
  mad.wide.u32 %rd2, %r1, 128, %rd1;
)" + body + "ret;"),
        {blocks}, {threads}, {});
  }
  std::uint64_t line_of(unsigned thread) const { return (address(words_.data()) + 127) / 128 * 128 + 128 * thread; }
  double slots(const std::string& cause) { return services_.statistics.total().value("sm0.issue.slots." + cause); }

  std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(32 * 66);
};

TEST_F(Stall, AnAccessToManyLinesThatAllHitIsNone) {
  load("barrel-core");
  build_cached();
  run_body("ld.global.u32 %r2, [%rd2];");
  const double memory = slots("memory"), pipeline = slots("pipeline");
  EXPECT_GT(memory, 100);
  run_body("ld.global.u32 %r2, [%rd2];");
  EXPECT_EQ(slots("memory"), memory) << "the lines are there";
  EXPECT_GT(slots("pipeline"), pipeline + 32) << "one line a cycle, all the same";
}

TEST_F(Stall, BeginsTwoCyclesAfterTheLookUpThatMissed) {
  // Issue in cycle 0, operands 1, memory stage 2, look-up 3; the memory stage knows in 4, the issue stage in 5.
  load("barrel-core");
  build_cached();
  run_body("");  // from the second launch on, the pipeline is warm
  const double first = slots("pipeline");
  run_body("add.u32 %r2, %r1, 1;");
  const double second = slots("pipeline");
  EXPECT_EQ(slots("memory"), 0);
  run_body("ld.global.u32 %r2, [%rd1];");
  EXPECT_EQ(slots("pipeline") - second, second - first - 6 + 4) << "cycles 1 to 4 instead of 1 to 6";
  EXPECT_GT(slots("memory"), 100);
}

TEST_F(Stall, ALineThatIsOnItsWayIsAStallToo) {
  load("barrel-core");
  build_cached();
  run_body("ld.global.u32 %r2, [%rd1];", 32);
  const double one = slots("memory");
  // Two warps request one line: the second merges into the miss and waits as long.
  run_body("ld.global.u32 %r2, [%rd1+4096];", 64);
  EXPECT_GT(slots("memory") - one, 95);
}

TEST_F(Stall, BanksOfSharedMemoryInConflictAreNone) {
  load("barrel-core");
  build_cached();
  run_body("mov.u32 %r3, own; mad.lo.u32 %r3, %r1, 128, %r3; ld.shared.u32 %r2, [%r3];");
  EXPECT_EQ(slots("memory"), 0);
}

TEST_F(Stall, WithoutACacheEveryLoadIsOne) {
  load("barrel-core");
  build();
  run_body("ld.global.u32 %r2, [%rd1];");
  const double memory = slots("memory");
  EXPECT_GT(memory, 90);
  run_body("ld.global.u32 %r2, [%rd1];");
  EXPECT_EQ(slots("memory"), 2 * memory);
}

/// Two large warps of two rows, each a fetch group. Row 0 of the first loads from shared memory, row 1 from a flat
/// memory 100 cycles away; the other large warp has arithmetic to do.
class PackerStall : public Stall {
 protected:
  /// Cycles from the issue of row 1 of the instruction behind the load to that of row 0 of the next one.
  std::uint32_t next_row_after(const std::string& order) {
    load(order == "lrr" ? "large-warp-core" : "large-warp-two-level-core", {"sm.warp_size=64"});
    build();
    std::string arithmetic;
    for (unsigned i = 0; i < 100; ++i) arithmetic += "add.u32 %r2, %r2, 1;\n";
    run_body(R"(
  mov.u32 %r2, %ctaid.x;
  setp.lt.u32 %p1, %r1, 32;
  setp.ne.u32 %p2, %r2, 0;
  mov.u64 %rd3, own;
  cvta.shared.u64 %rd4, %rd3;
  selp.b64 %rd5, %rd4, %rd1, %p1;
  @%p2 bra OTHER;
  ld.u32 %r3, [%rd5];
  mov.u32 %r4, %clock;
  mov.u32 %r5, %clock;
  st.global.u32 [%rd2], %r4;
  st.global.u32 [%rd2+4], %r5;
  ret;
OTHER:
)" + arithmetic,
             64, 2);
    const auto at = [&](unsigned thread, unsigned word) {
      return reinterpret_cast<const std::uint32_t*>(line_of(thread))[word];
    };
    EXPECT_GT(at(32, 0), at(0, 0) + 80) << "row 1 waits for its line";
    EXPECT_EQ(at(63, 0), at(32, 0));
    return at(0, 1) - at(32, 0);
  }
};

TEST_F(PackerStall, ALargeWarpThatHoldsThePackerWithThreadsThatAllWaitLosesTheHead) {
  // The other large warp is the head by then: both its rows go first.
  EXPECT_EQ(next_row_after("two_level_rotating"), 3u);
}

TEST_F(PackerStall, RoundRobinGivesTheOtherItsTurnAnyway) { EXPECT_EQ(next_row_after("lrr"), 3u); }

}  // namespace
}  // namespace heddle
