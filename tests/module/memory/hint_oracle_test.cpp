// SPDX-License-Identifier: Apache-2.0
// Row-buffer hints with the requests of an index search: controller and banks compared with an independent event-level
// model. Source: docs/sources/large-warps-and-database-search.md, appendix A and 6.2.
#include "core/config/configuration.h"
#include "memory/dram/memory_controller.h"
#include "studies/database-search/index_warps.h"
#include "tests/module/memory/bench.h"

namespace heddle::memory {
namespace {

struct Case {
  const char* name;
  studies::Setting setting;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class HintOracle : public ::testing::TestWithParam<Case> {};

TEST_P(HintOracle, TheControllerAgreesInThroughputAndRowHitRate) {
  const auto queries = studies::random_queries(12000);
  const studies::Outcome expected = studies::event_level(GetParam().setting, queries);

  MemoryControllerParameters parameters;
  parameters.dram.geometry = {1, 1, 8, 4096, 128};
  Configuration configuration(parameters);
  // The event-level model does not overlap hits.
  for (const char* key : {"standard=hit_conflict", "hit_conflict.hit_interval=100", "scheduler=fr_fcfs_hold"}) {
    configuration.set(key);
  }
  configuration.lock();
  Bench bench;
  MemoryController controller("mc0", bench.clock, parameters, bench.group("mc0"), bench.services);
  studies::IndexWarps warps("warps", bench.clock, GetParam().setting, queries);
  Checked checked;
  checked.connect(warps.out(), controller.in());
  for (Cycle until = 100000; !warps.finished() && until < 10000000; until += 100000) bench.run_to(until);
  ASSERT_TRUE(warps.finished());
  const auto& c = controller.channel().counts();
  const auto hits = static_cast<double>(c.row_hits.value());
  const double rate = hits / (hits + static_cast<double>(c.row_closed.value() + c.row_conflicts.value()));
  const double throughput = static_cast<double>(warps.done()) * 1000 / static_cast<double>(warps.ended());
  EXPECT_NEAR(throughput, expected.queries_per_kilocycle, 0.02 * expected.queries_per_kilocycle);
  EXPECT_NEAR(rate, expected.row_hit_rate, 0.01);
  checked.expect_silence();
}

const Case kCases[] = {{"base", {.hint = false, .compute = 45}},
                       {"traverse", {.hint = false, .compute = 30}},
                       {"hint", {.hint = true, .compute = 45}},
                       {"both", {.hint = true, .compute = 30}}};
INSTANTIATE_TEST_SUITE_P(Index, HintOracle, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(EventLevel, GivesThePublishedFigures) {
  // The appendix gives them for its own keys, with 30,000 queries.
  const auto queries = studies::random_queries(30000);
  const auto base = studies::event_level({.hint = false}, queries);
  const auto hint = studies::event_level({.hint = true}, queries);
  EXPECT_NEAR(base.queries_per_kilocycle, 5.634, 0.02 * 5.634);
  EXPECT_NEAR(base.row_hit_rate, 0.093, 0.01);
  EXPECT_NEAR(hint.queries_per_kilocycle, 7.524, 0.02 * 7.524);
  EXPECT_NEAR(hint.row_hit_rate, 0.507, 0.01);
}

}  // namespace
}  // namespace heddle::memory
