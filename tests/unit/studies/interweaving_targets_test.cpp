// SPDX-License-Identifier: Apache-2.0
// Every target of kind structural or cost in the source of branch and warp interweaving: our code must give exactly the
// source's number, or the one listed as different. Each machine needs its own process, because SystemC elaborates once.
#include "interweaving_targets.h"

#include <gtest/gtest.h>

namespace heddle::studies {
namespace {

const char* const kSynthesized = "synthesised by the source, with tools and a library that it does not name";
const char* const kOtherBits = "the source's area of bits of which the model has another number";

/// What the model cannot know: areas, and what the source says of things that are not in the model.
const OnlyStated kOnlyStated = {
    {"bwi.sec5.1.code-order", "order of code of a compiler that we do not have"},
    {"bwi.sec5.2.datapath-width", "length on a chip, quoted"},
    {"bwi.sec5.2.rf-90nm", "area of a register file, quoted"},
    {"bwi.tab3.stack-block", "stacks of the model have no blocks"},
    {"bwi.tab3.stack-blocks", "stacks of the model have no blocks"},
    {"bwi.tab4.sm-area", "area on a photograph of a chip"},
    {"bwi.tab4.scoreboard-baseline", kSynthesized},
    {"bwi.tab4.scoreboard-sbi", kSynthesized},
    {"bwi.tab4.scoreboard-swi", kSynthesized},
    {"bwi.tab4.scoreboard-both", kSynthesized},
    {"bwi.tab4.scheduler-swi", kSynthesized},
    {"bwi.tab4.scheduler-both", kSynthesized},
    {"bwi.tab4.hct-baseline", kSynthesized},
    {"bwi.tab4.hct-sbi", kSynthesized},
    {"bwi.tab4.hct-swi", kSynthesized},
    {"bwi.tab4.hct-both", kSynthesized},
    {"bwi.tab4.cct-baseline", kSynthesized},
    {"bwi.tab4.cct-sbi", kSynthesized},
    {"bwi.tab4.cct-swi", kSynthesized},
    {"bwi.tab4.cct-both", kSynthesized},
    {"bwi.tab4.ib-baseline", kSynthesized},
    {"bwi.tab4.ib-sbi", kSynthesized},
    {"bwi.tab4.ib-swi", kSynthesized},
    {"bwi.tab4.ib-both", kSynthesized},
    {"bwi.tab4.density-scoreboard-baseline", kOtherBits},
    {"bwi.tab4.density-scoreboard-swi", kOtherBits},
    {"bwi.tab4.density-hct-baseline", kOtherBits},
    {"bwi.tab4.density-cct-baseline", kOtherBits},
    {"bwi.tab4.density-cct-ratio", kOtherBits},
};

const char* const kEntryBits = "An entry has nine bits for a register and a valid bit; the source has eight bits.";
const char* const kOneScoreboard =
    "There is one scoreboard with entries of ten bits; the source's table has two with entries of eight bits.";
const char* const kMasksInStack = "The masks are in the stack, not in the warp pool.";
const char* const kStack =
    "A stack has an entry of three fields for each thread of a warp; the source has twelve entries of two.";
const char* const kBaselineBits = "The baseline has other numbers of bits, above all in its stacks.";

const Differences kDiffers = {
    {"bwi.bits.scoreboard-baseline", {60, kEntryBits}},
    {"bwi.bits.stack-entries", {32, kStack}},
    {"bwi.tab2.dependent-issue-swi",
     {10, "In a warp alone, the second scheduler issues in the cycle in which the first one would latch."}},
    {"bwi.tab3.scoreboard-warp-baseline", {60, kEntryBits}},
    {"bwi.tab3.pool-warp-baseline", {32, kMasksInStack}},
    {"bwi.tab3.bits-scoreboard-baseline", {2880, kEntryBits}},
    {"bwi.tab3.bits-scoreboard-swi", {1440, kOneScoreboard}},
    {"bwi.tab3.bits-hct-baseline", {1536, kMasksInStack}},
    {"bwi.tab3.bits-cct-baseline", {147456, kStack}},
    {"bwi.tab3.bits-total-baseline", {154944, kBaselineBits}},
    {"bwi.tab3.bits-total-swi", {18784, kOneScoreboard}},
    {"bwi.tab4.total-baseline", {2533.3, kBaselineBits}},
    {"bwi.tab4.total-swi", {1210.2, kOneScoreboard}},
    {"bwi.tab4.overhead-sbi", {-1275.3, kBaselineBits}},
    {"bwi.tab4.overhead-swi", {-1323.2, kBaselineBits}},
    {"bwi.tab4.overhead-both", {-1167.7, kBaselineBits}},
    {"bwi.tab4.sm-share-sbi", {-8.2, kBaselineBits}},
    {"bwi.tab4.sm-share-swi", {-8.5, kBaselineBits}},
    {"bwi.tab4.sm-share-both", {-7.5, kBaselineBits}},
    {"bwi.tab4.without-rf-sbi", {-1845.3, kBaselineBits}},
    {"bwi.tab4.without-rf-swi", {-1893.2, kBaselineBits}},
    {"bwi.tab4.without-rf-both", {-1737.7, kBaselineBits}},
};

void add_logic_targets(Evaluations& targets) {
  add_split_targets(targets);
  add_block_targets(targets);
  add_shuffle_targets(targets);
  add_parameter_targets(targets);
}

struct Place {
  const char* name;
  void (*add)(Evaluations&);
};
void PrintTo(const Place& place, std::ostream* out) { *out << place.name; }

const Place kPlaces[] = {
    {"Logic", add_logic_targets},
    {"Components", add_component_targets},
    {"Baseline", add_interweaving_baseline_targets},
    {"Frontiers", add_interweaving_frontiers_targets},
    {"BranchInterweaving", add_branch_interweaving_targets},
    {"WarpInterweaving", add_warp_interweaving_targets},
};

TEST(InterweavingTargets, HaveAnEvaluationEachAndNoOther) {
  Evaluations all;
  for (const Place& place : kPlaces) {
    Evaluations targets;
    place.add(targets);
    for (const auto& target : targets) EXPECT_TRUE(all.insert(target).second) << target.first << " has two";
  }
  expect_one_each("bwi.", all, kOnlyStated);
  for (const auto& different : kDiffers) EXPECT_EQ(all.count(different.first), 1u) << different.first;
}

class InterweavingTargetsOn : public ::testing::TestWithParam<Place> {};

TEST_P(InterweavingTargetsOn, AreWhatOurCodeGives) {
  Evaluations targets;
  GetParam().add(targets);
  expect_as_stated(targets, kDiffers);
}

INSTANTIATE_TEST_SUITE_P(Places, InterweavingTargetsOn, ::testing::ValuesIn(kPlaces),
                         [](const auto& place) { return place.param.name; });

}  // namespace
}  // namespace heddle::studies
