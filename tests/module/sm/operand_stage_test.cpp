// SPDX-License-Identifier: Apache-2.0
// Late operands: every cycle of delay is accounted for, wherever the packet waited.
#include <ostream>

#include "sm_fixture.h"

namespace heddle {
namespace {

class OperandStageTest : public SmTest {
 protected:
  /// Cycles of a block of this many warps, each of which issues one instruction and exits.
  Cycle cycles_of(unsigned warps, const std::string& instruction = "mad.lo.s32 %r4, %r1, %r2, %r3;") {
    return run(kernel("", ".reg .b32 %r<6>;" + instruction + "ret;"), {1}, {32 * warps}, {});
  }
};

class Collectors : public OperandStageTest, public ::testing::WithParamInterface<unsigned> {};

// One read a cycle: packets leave three cycles apart, and the block ends when the result of the last one is there.
TEST_P(Collectors, EveryCycleThatAPacketWaitsForItsOperandsDelaysItsResult) {
  sm().operands.banks = 1;
  sm().alu.collectors = GetParam();
  sm().residency.threads = 1536;
  build();
  cycles_of(1);
  EXPECT_EQ(cycles_of(24) - cycles_of(8), 3 * 16u);
}

INSTANTIATE_TEST_SUITE_P(OfAUnit, Collectors, ::testing::Values(1u, 2u, 6u, 32u, 64u));

TEST_F(OperandStageTest, ReadsOfOneBankDelayAResultByTheCyclesAfterTheFirst) {
  sm().operands.banks = 1;
  build();
  cycles_of(1, "");
  const Cycle three = cycles_of(1), none = cycles_of(1, "mad.lo.s32 %r4, 1, 2, 3;");
  EXPECT_EQ(three - none, 2u);
  EXPECT_EQ(services_.statistics.total().value("sm0.operands.late_cycles"), 2);
}

class HeldCollectors : public OperandStageTest, public ::testing::WithParamInterface<unsigned> {};

// A packet without conflicts is in its collector for latency + 1 cycles: n collectors let n packets pass in that time.
TEST_P(HeldCollectors, LetOnePacketPassInTheTimeTheyAreHeld) {
  sm().operands.latency = 5;
  sm().alu.collectors = GetParam();
  sm().residency.threads = 1536;
  build();
  cycles_of(1);
  EXPECT_EQ(cycles_of(36) - cycles_of(12), 24 / GetParam() * 6u);
}

INSTANTIATE_TEST_SUITE_P(OfAUnit, HeldCollectors, ::testing::Values(1u, 2u, 3u));

TEST_F(OperandStageTest, LoopDistancesIncludeTheTimeInACollector) {
  sm().operands.latency = 3;
  build();
  cycles_of(1);
  std::string chain;
  for (unsigned i = 0; i < 16; ++i) chain += "mad.lo.s32 %r1, %r1, %r2, %r3; mad.lo.s32 %r1, %r1, %r2, %r3;";
  const unsigned distance = sm().latency[static_cast<std::size_t>(isa::TimingClass::int_mad)].latency;
  EXPECT_EQ(cycles_of(1, chain + chain) - cycles_of(1, chain), 32 * distance);
  EXPECT_EQ(services_.statistics.total().value("sm0.operands.late_cycles"), 0);
}

/// Whether a context may issue when its result is there, or when its instruction has left a pipeline that is `depth`
/// long.
struct Way {
  const char* name;
  sm::PipelineShape shape;
  unsigned latency, depth;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class Ways : public OperandStageTest, public ::testing::WithParamInterface<Way> {};

TEST_P(Ways, TheNextInstructionOfTheWarpWaitsForTheDelay) {
  const Way way = GetParam();
  sm().operands.banks = 1;
  sm().shape = way.shape;
  sm().pipeline_depth = way.depth;
  for (auto& timing : sm().latency) timing.latency = way.latency;
  build();
  // In shapes where contexts wait for their instruction to leave, it also delays independent instructions.
  const bool waits = way.shape != sm::PipelineShape::buffered;
  std::string chain;
  for (unsigned i = 0; i < 16; ++i) {
    chain += waits ? "mad.lo.s32 %r4, %r1, %r2, %r3; mad.lo.s32 %r5, %r1, %r2, %r3;"
                   : "mad.lo.s32 %r1, %r1, %r2, %r3; mad.lo.s32 %r1, %r1, %r2, %r3;";
  }
  cycles_of(1);
  const Cycle shorter = cycles_of(1, chain), longer = cycles_of(1, chain + chain);
  EXPECT_EQ(longer - shorter, 32 * (std::max(way.latency, way.depth) + 2));
}

using sm::PipelineShape;
INSTANTIATE_TEST_SUITE_P(Shapes, Ways,
                         ::testing::Values(Way{"Buffered", PipelineShape::buffered, 8, 1},
                                           Way{"KnownInTheCycleItIsDue", PipelineShape::buffered, 3, 1},
                                           Way{"KnownAfterItIsDue", PipelineShape::buffered, 2, 1},
                                           Way{"OneInFlight", PipelineShape::one_in_flight, 8, 1},
                                           Way{"OneInFlightKnownAfterItIsDue", PipelineShape::one_in_flight, 2, 1},
                                           Way{"Barrel", PipelineShape::barrel, 2, 8},
                                           Way{"BarrelAsLongAsALatency", PipelineShape::barrel, 8, 8}),
                         [](const auto& suite) { return suite.param.name; });

}  // namespace
}  // namespace heddle
