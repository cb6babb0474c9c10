// SPDX-License-Identifier: Apache-2.0
// Every target of kind structural or cost in the source of large warps and two-level scheduling: our code must give
// exactly the source's number. Each machine needs its own process, because SystemC elaborates once.
#include "large_warp_targets.h"

#include <gtest/gtest.h>

namespace heddle::studies {
namespace {

/// Areas that the source quotes from earlier work. The model counts bits and blocks of logic; it knows no areas.
const OnlyStated kOnlyStated = {
    {"lw.cost.rf-area-jayasena-rf-low", "area of a register file, quoted"},
    {"lw.cost.rf-area-jayasena-rf-high", "area of a register file, quoted"},
    {"lw.cost.rf-area-jayasena-chip-low", "share of a chip's area, quoted"},
    {"lw.cost.rf-area-jayasena-chip-high", "share of a chip's area, quoted"},
    {"lw.cost.rf-area-fung-rf", "area of a register file, quoted"},
    {"lw.cost.rf-area-fung-gpu", "share of a chip's area, quoted"},
};

void add_logic_targets(Evaluations& targets) {
  add_packer_targets(targets);
  add_schedule_targets(targets);
  add_path_targets(targets);
  add_cost_targets(targets);
}

struct Place {
  const char* name;
  void (*add)(Evaluations&);
};
void PrintTo(const Place& place, std::ostream* out) { *out << place.name; }

const Place kPlaces[] = {
    {"Logic", add_logic_targets},
    {"LargeWarpCore", add_large_warp_core_targets},
    {"BarrelCore", add_barrel_core_targets},
    {"TwoLevelCore", add_two_level_core_targets},
};

TEST(LargeWarpTargets, HaveAnEvaluationEachAndNoOther) {
  Evaluations all;
  for (const Place& place : kPlaces) {
    Evaluations targets;
    place.add(targets);
    for (const auto& target : targets) EXPECT_TRUE(all.insert(target).second) << target.first << " has two";
  }
  expect_one_each("lw.", all, kOnlyStated);
}

class LargeWarpTargetsOn : public ::testing::TestWithParam<Place> {};

TEST_P(LargeWarpTargetsOn, AreWhatOurCodeGives) {
  Evaluations targets;
  GetParam().add(targets);
  expect_as_stated(targets);
}

INSTANTIATE_TEST_SUITE_P(Places, LargeWarpTargetsOn, ::testing::ValuesIn(kPlaces),
                         [](const auto& place) { return place.param.name; });

}  // namespace
}  // namespace heddle::studies
