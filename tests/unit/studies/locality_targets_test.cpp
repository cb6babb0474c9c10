// SPDX-License-Identifier: Apache-2.0
// Every target of kind structural or cost in the source of locality scheduling: our code must give exactly the source's
// number, or the one listed as different. Source: docs/sources/cache-conscious-and-divergence-aware.md, 2, 3, 8.
#include "locality_targets.h"

#include <gtest/gtest.h>

namespace heddle::studies {
namespace {

const char* const kStudy = "a property of programs, which the studies measure";
const char* const kTool = "an area by a tool, quoted";
const char* const kNegligible = "the source calls an area negligible";
const char* const kLimit = "on a running machine: tests/module/gpu/order_test.cpp";
const char* const kCoalescer = "of the coalescer: tests/unit/sm/coalescer_test.cpp";
const char* const kNetwork = "a sorter that the model does not have: it sorts in one step";
const char* const kChecked = "on running machines: tests/module/sm/divergence_aware_machines_test.cpp";

const OnlyStated kOnlyStated = {
    {"ccws.cost.vta-area-core", kTool},
    {"ccws.cost.vta-area-chip", kTool},
    {"ccws.cost.area-percent", kTool},
    {"daws.cost.area-detected", kTool},
    {"daws.cost.area-ccws", kTool},
    {"daws.cost.detected-vs-ccws", kNegligible},
    {"daws.cost.profiled-tables", kNegligible},
    {"daws.cost.loop-mark-bits", "the machine knows loops by their first and last instruction"},
    {"ccws.rtl.bitonic-stages", kNetwork},
    {"ccws.rtl.bitonic-comparators", kNetwork},
    {"ccws.base.one-line-access", kCoalescer},
    {"ccws.base.max-accesses", kCoalescer},
    {"ccws.sw1.reach-barrier", kLimit},
    {"ccws.sw1.after-release", kLimit},
    {"ccws.workloads.no-barriers-hcs", kStudy},
    {"daws.sec4.4.1.no-locality-loops-ndl", kStudy},
    {"daws.sec4.4.1.no-locality-loops-backp", kStudy},
    {"daws.sec4.4.1.no-locality-loops-srad", kStudy},
    {"daws.sec4.4.1.no-locality-loops-lud", kStudy},
    {"daws.sec4.4.1.no-locality-loops-hotsp", kStudy},
    {"daws.sec4.4.1.no-midloop-deschedule", kChecked},
    {"daws.workloads.no-overlarge-prediction", kStudy},
    {"daws.workloads.no-mixed-repetition", kStudy},
    {"daws.fig4.2.load-count-bfs", kStudy},
    {"daws.fig4.2.load-count-spmv-scalar", kStudy},
    {"daws.fig4.2.load-count-gc", kStudy},
    {"daws.fig4.2.load-count-kmn", kStudy},
    {"daws.fig4.2.load-count-memc", kStudy},
    {"spmv.fig5.4.warps", kStudy},
    {"spmv.sp1.warps-scalar", kStudy},
    {"spmv.sp1.warps-vector", kStudy},
    {"spmv.sec5.1.vector-one-write-per-row", kStudy},
};

const char* const kPoints = "Scores are whole points.";
const char* const kWholeLines = "The cache has whole lines.";

const Differences kDiffers = {
    {"ccws.cc3.llds-39-32", {99, kPoints}},   {"ccws.cc3.llds-40-32", {102, kPoints}},
    {"daws.da3.eff-0.9", {230, kWholeLines}}, {"daws.da3.eff-0.8", {204, kWholeLines}},
    {"daws.da3.eff-0.7", {179, kWholeLines}}, {"daws.da3.eff-0.6", {153, kWholeLines}},
    {"daws.da3.eff-0.4", {102, kWholeLines}},
};

Evaluations all_targets() {
  Evaluations targets;
  add_score_targets(targets);
  add_footprint_targets(targets);
  add_locality_costs(targets);
  return targets;
}

TEST(LocalityTargets, HaveAnEvaluationEachAndNoOther) {
  const Evaluations all = all_targets();
  expect_one_each("", all, kOnlyStated);
  for (const auto& different : kDiffers) EXPECT_EQ(all.count(different.first), 1u) << different.first;
}

TEST(LocalityTargets, AreWhatOurCodeGives) { expect_as_stated(all_targets(), kDiffers); }

}  // namespace

memory::TagArrayParameters ToyCache::shape(unsigned sets, unsigned ways) {
  memory::TagArrayParameters parameters;
  parameters.sets = sets;
  parameters.ways = ways;
  return parameters;
}

ToyCache::Access ToyCache::load(std::uint64_t line, unsigned warp) {
  const unsigned set = tags_.set_of(line);
  if (const auto place = tags_.find(set, line); place != memory::TagArray::kNone) {
    tags_.touch(place);
    ++hits_;
    return {true, {}};
  }
  ++misses_;
  const auto place = tags_.make_room(set);
  Access access{false, tags_.allocate(place, line, {SmId(0), WarpId(warp)})};
  tags_.fill(place, 1);
  return access;
}

void ToyCache::invalidate(std::uint64_t line) {
  const auto place = tags_.find(tags_.set_of(line), line);
  if (place != memory::TagArray::kNone) tags_.invalidate(place);
}

}  // namespace heddle::studies
