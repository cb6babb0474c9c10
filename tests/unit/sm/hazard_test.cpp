// SPDX-License-Identifier: Apache-2.0
// When an instruction may use a value, by each tracker.
#include <gtest/gtest.h>

#include "hazard_op.h"
#include "sm/grouping/ganging/joined_hazards.h"
#include "sm/grouping/grouping_traits.h"
#include "sm/hazards/checked_hazards.h"
#include "sm/needs.h"
#include "sm/sm_parameters.h"

namespace heddle::sm {
namespace {

class HazardTest : public ::testing::Test {
 protected:
  void use(const std::string& name) {
    parameters_.hazards.choose(name);
    tracker_ = make(parameters_.hazards, HazardShape{.contexts = 4, .warps = 4});
    ASSERT_NE(tracker_, nullptr);
    kernel_.registers = 80;
    kernel_.predicates = 5;
    tracker_->admit(kernel_);
    for (unsigned c = 0; c < 4; ++c) {
      table_[c].warp = WarpId(c);
      table_[c].threads = ThreadSet::first_n(32);
    }
  }
  /// Issues a packet of all threads of a context; returns its release.
  Release issue(unsigned number, const isa::MicroOp& what, bool variable = false) {
    const ContextId context(number);
    Packet packet;
    packet.op = &what;
    packet.context = context;
    packet.warp = table_[context].warp;
    packet.threads = table_[context].threads;
    const std::uint32_t token = tracker_->issued(table_, packet, variable);
    return {&what, context, packet.warp, token, variable};
  }
  Wait check(unsigned context, const isa::MicroOp& what) { return tracker_->check(table_, ContextId(context), what); }

  SmParameters parameters_;
  isa::Kernel kernel_;
  ContextTable table_;
  std::unique_ptr<HazardTracker> tracker_;
};

TEST_F(HazardTest, AScoreboardHoldsReadersAndWritersOfAPendingRegister) {
  use("scoreboard");
  const auto producer = op({1}, {2}), reader = op({2}, {3}), writer = op({4}, {2}), other = op({1}, {5});
  const Release release = issue(0, producer);
  EXPECT_EQ(check(0, reader), Wait::hazard);
  EXPECT_EQ(check(0, writer), Wait::hazard);
  EXPECT_EQ(check(0, other), Wait::none) << "a register that was read is free to write";
  EXPECT_EQ(check(1, reader), Wait::none) << "another warp's register";
  tracker_->released(release);
  EXPECT_EQ(check(0, reader), Wait::none);
}

TEST_F(HazardTest, AScoreboardTellsMemoryFromArithmetic) {
  use("scoreboard");
  const auto load = op({1}, {2}), add = op({1}, {3}), both = op({2, 3}, {4});
  issue(0, add);
  const Release release = issue(0, load, true);
  EXPECT_EQ(check(0, both), Wait::memory);
  tracker_->released(release);
  EXPECT_EQ(check(0, both), Wait::hazard);
}

TEST_F(HazardTest, AScoreboardKnowsPredicates) {
  use("scoreboard");
  const auto compare = op({1}, {isa::kFirstPredicate + 4u}), branch = op({isa::kFirstPredicate + 4u}, {}),
             other = op({isa::kFirstPredicate + 3u, 70}, {});
  issue(0, compare);
  EXPECT_EQ(check(0, branch), Wait::hazard);
  EXPECT_EQ(check(0, other), Wait::none);
}

TEST_F(HazardTest, AScoreboardAnswersForTheContextsOfAWordAsForEachOfThem) {
  use("scoreboard");
  const auto load = op({1}, {2}), add = op({1}, {70, isa::kFirstPredicate + 4u}), store = op({5, 2}, {}),
             branch = op({isa::kFirstPredicate + 4u}, {}), both = op({70, 2}, {3});
  issue(0, load, true);
  issue(1, add);
  issue(2, load, true);
  issue(2, add);
  for (const isa::MicroOp* next : {&store, &branch, &both, &load}) {
    for (unsigned c = 0; c < 4; ++c) table_[c].next = next;
    table_[3].next = &both;
    const WordWaits waits = tracker_->check_word(table_, 0, 0b1111);
    for (unsigned c = 0; c < 4; ++c) {
      const Wait wait = check(c, *table_[c].next);
      EXPECT_EQ((waits.memory >> c & 1) != 0, wait == Wait::memory) << c;
      EXPECT_EQ((waits.hazard >> c & 1) != 0, wait == Wait::hazard) << c;
    }
    EXPECT_EQ(tracker_->check_word(table_, 0, 0b1000).memory, 0u);
  }
}

TEST_F(HazardTest, AScoreboardTellsContextsApartWhoseWarpsHaveOtherNumbers) {
  use("scoreboard");
  const auto load = op({1}, {2}), store = op({5, 2}, {});
  for (unsigned c = 0; c < 4; ++c) {
    table_[c].warp = WarpId(c == 0 ? 0 : 4 - c);
    table_[c].next = &store;
  }
  issue(1, load, true);
  EXPECT_EQ(tracker_->check_word(table_, 0, 0b1111).memory, 0b0010u);
}

class JoinedHazardsTest : public HazardTest, public ::testing::WithParamInterface<bool> {};

/// Checked, the tracker is told of each warp; a scoreboard marks all at once.
TEST_P(JoinedHazardsTest, APacketOfSeveralWarpsTakesAndReleasesTheRegistersOfEach) {
  use("scoreboard");
  if (GetParam()) {
    tracker_ = std::make_unique<CheckedHazards>(
        std::move(tracker_), HazardTraits{.offers = {Feature::register_waits}, .shared_by_warp = true},
        HazardShape{.contexts = 4, .warps = 4});
    for (unsigned c = 0; c < 4; ++c) table_[c].kernel = &kernel_;
  }
  const auto producer = op({1}, {2, isa::kFirstPredicate + 1u}), later = op({1}, {4}), reader = op({2}, {3});
  JoinedHazards joined(*tracker_);
  Packet several, alone;
  several.op = alone.op = &producer;
  several.context = ContextId(1);
  several.warp = WarpId(1);
  several.company = 0b101;
  alone.context = ContextId(2);
  alone.warp = WarpId(2);
  for (const bool variable : {false, true}) {
    const std::uint32_t token = joined.issued(table_, several, variable);
    const std::uint32_t other = joined.issued(table_, alone, variable);
    several.op = &later;
    const std::uint32_t next = joined.issued(table_, several, variable);
    several.op = &producer;
    const Wait wait = variable ? Wait::memory : Wait::hazard;
    for (const unsigned c : {0u, 1u, 2u, 3u})
      EXPECT_EQ(joined.check(table_, ContextId(c), reader), c == 0 ? Wait::none : wait) << c;
    joined.released({&later, ContextId(1), WarpId(1), next, variable});
    EXPECT_GT(joined.pending(WarpId(3)), 0u);
    joined.released({&producer, ContextId(1), WarpId(1), token, variable});
    EXPECT_EQ(joined.pending(WarpId(1)) + joined.pending(WarpId(3)), 0u);
    EXPECT_GT(joined.pending(WarpId(2)), 0u);
    joined.released({&producer, ContextId(2), WarpId(2), other, variable});
    EXPECT_EQ(joined.pending(WarpId(2)), 0u);
  }
}
INSTANTIATE_TEST_SUITE_P(Trackers, JoinedHazardsTest, ::testing::Bool(),
                         [](const auto& checked) { return checked.param ? "Checked" : "Scoreboard"; });

TEST_F(HazardTest, AScoreboardGrowsForALargerKernelAndKeepsWhatIsPending) {
  use("scoreboard");
  const auto producer = op({1}, {79, isa::kFirstPredicate + 1u});
  issue(2, producer);
  isa::Kernel large;
  large.registers = 250;
  large.predicates = 90;
  tracker_->admit(large);
  EXPECT_EQ(check(2, op({79}, {})), Wait::hazard);
  EXPECT_EQ(check(2, op({isa::kFirstPredicate + 1u}, {})), Wait::hazard);
  EXPECT_EQ(check(2, op({249, isa::kFirstPredicate + 89u}, {})), Wait::none);
}

TEST_F(HazardTest, AScoreboardOfNamesHasABitForEveryNamedPredicate) {
  parameters_.hazards.choose("scoreboard");
  tracker_ = make(parameters_.hazards, HazardShape{.contexts = 4, .warps = 4, .named_registers = true});
  isa::Kernel kernel;
  kernel.registers = kernel.named_registers = 40;
  kernel.predicates = 2;
  kernel.named_predicates = 130;
  tracker_->admit(kernel);
  for (unsigned c = 0; c < 4; ++c) table_[c].warp = WarpId(c);
  for (unsigned p = 0; p < 130; ++p) {
    isa::MicroOp compare;
    compare.named.writes[compare.named.write_count++] = static_cast<isa::RegisterId>(isa::kFirstPredicate + p);
    const Release release = issue(0, compare);
    for (unsigned other = 0; other < 40; ++other) {
      isa::MicroOp reader;
      reader.named.reads[reader.named.read_count++] = static_cast<isa::RegisterId>(other);
      ASSERT_EQ(check(1, reader), Wait::none)
          << "predicate " << p << " of warp 0 is register " << other << " of warp 1";
    }
    ASSERT_EQ(check(0, compare), Wait::hazard) << p;
    ASSERT_EQ(tracker_->pending(WarpId(1)), 0u) << p;
    tracker_->released(release);
    ASSERT_EQ(tracker_->pending(WarpId(0)), 0u) << p;
  }
}

TEST_F(HazardTest, FullMasksLetSplitsOfAWarpPassEachOther) {
  use("full_masks");
  const auto producer = op({1}, {2}), reader = op({2}, {3});
  table_[1].warp = WarpId(0);  // the second split of warp 0
  table_[0].threads = ThreadSet::first_n(16);
  table_[1].threads = ThreadSet::first_n(32) - ThreadSet::first_n(16);
  const Release release = issue(0, producer);
  EXPECT_EQ(check(0, reader), Wait::hazard);
  EXPECT_EQ(check(1, reader), Wait::none) << "no thread in common";
  table_[1].threads.set(3);
  EXPECT_EQ(check(1, reader), Wait::hazard);
  tracker_->released(release);
  EXPECT_EQ(check(1, reader), Wait::none);
}

TEST_F(HazardTest, FullMasksReleaseTheRightOneOfTwoAlikeInFlight) {
  use("full_masks");
  const auto load = op({1}, {2}), reader = op({2}, {3});
  table_[1].warp = WarpId(0);
  table_[0].threads = ThreadSet::first_n(16);
  table_[1].threads = ThreadSet::first_n(32) - ThreadSet::first_n(16);
  issue(0, load, true);
  const Release second = issue(1, load, true);
  tracker_->released(second);
  EXPECT_EQ(check(0, reader), Wait::memory);
  EXPECT_EQ(check(1, reader), Wait::none);
}

TEST_F(HazardTest, InFlightBitsKeepThreadsOutOfPackets) {
  use("in_flight_bits");
  const auto any = op({1}, {2});
  table_[0].threads = ThreadSet::first_n(8);
  const Release release = issue(0, any);
  EXPECT_EQ(check(0, any), Wait::none);
  ASSERT_NE(tracker_->busy_threads(WarpId(0)), nullptr);
  EXPECT_EQ(*tracker_->busy_threads(WarpId(0)), ThreadSet::first_n(8));
  EXPECT_TRUE(tracker_->busy_threads(WarpId(1))->none());
  tracker_->released(release);
  EXPECT_TRUE(tracker_->busy_threads(WarpId(0))->none());
}

TEST(ReadsAfterLoads, NeedsWaitsByRegisterWhereThreadsLeaveTheirContext) {
  const GroupingTraits stay, move{.needs = {Feature::hazards_by_thread}};
  const HazardTraits by_register{.offers = {Feature::register_waits}},
      one_in_flight{.offers = {Feature::hazards_by_thread}};
  EXPECT_TRUE(reads_after_loads(stay, by_register));
  EXPECT_TRUE(reads_after_loads(move, by_register));
  EXPECT_TRUE(reads_after_loads(stay, one_in_flight));
  EXPECT_FALSE(reads_after_loads(move, one_in_flight)) << "the next context of a thread does not know of its load";
}

}  // namespace
}  // namespace heddle::sm
