// SPDX-License-Identifier: Apache-2.0
// `heddle run --l1-trace`, `--locality` and `heddle replay-l1` as a user calls them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli_fixture.h"

namespace heddle {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class ReplayL1 : public test::Cli {
 protected:
  /// Runs a workload with one SM, so that few numbers say all.
  void record(const std::string& program, const std::string& options) {
    const auto run = heddle("run -q --machine gtx480 --set gpu.sm_classes.0.count=1 -o out --force " + options +
                            " '" HEDDLE_WORKLOADS "/" + program + "' --size small");
    ASSERT_EQ(run.status, 0) << run.err;
  }
  json result() { return json::parse(std::ifstream(folder / "out" / "run.json")); }
  json replayed(const std::string& options) {
    const auto replay = heddle("replay-l1 --json " + options);
    EXPECT_EQ(replay.status, 0) << replay.err;
    return replay.status == 0 ? json::parse(replay.out) : json();
  }
  /// Sums a member of the loads' counts, or of those of a replay.
  static std::uint64_t sum(const json& locality, const std::string& name, int replay = -1) {
    std::uint64_t sum = 0;
    for (const json& kernel : locality["kernels"]) {
      for (const json& load : kernel["loads"]) {
        const json& counts = replay < 0 ? load["counts"] : load["replays"][replay];
        sum += counts[name].get<std::uint64_t>();
      }
    }
    return sum;
  }
  static std::uint64_t hits(const json& locality, int replay = -1) {
    return sum(locality, "intra_thread", replay) + sum(locality, "inter_thread", replay) +
           sum(locality, "inter_warp", replay);
  }
};

TEST_F(ReplayL1, TheTraceHasWhatTheCacheCounted) {
  record("spmv_scalar", "--l1-trace trace.l1.zst");
  const json locality = replayed("trace.l1.zst");
  const json run = result();
  const json& counted = run["statistics"]["classes"]["sm"];
  EXPECT_GT(hits(locality), 100u);
  EXPECT_EQ(hits(locality), counted["l1d.read_hits"]);
  EXPECT_EQ(sum(locality, "merges"), counted["l1d.read_merges"]);
  EXPECT_EQ(sum(locality, "misses"), counted["l1d.read_misses"]);
  EXPECT_EQ(locality["kernels"][0]["warp_instructions"], run["kernels"][0]["warp_instructions"]);
  EXPECT_EQ(locality["kernels"][0]["thread_instructions"], run["kernels"][0]["thread_instructions"]);
  EXPECT_EQ(locality["kernels"][0]["cycles"], run["kernels"][0]["cycles"]);
}

TEST_F(ReplayL1, ALruReplayMissesWhatTheCacheMissedWhereNothingMerges) {
  // One context issues at a time, one instruction after the other: no line is on its way at another's look-up.
  record("spmv_scalar",
         "--l1-trace trace.l1 --set caches.l1d.sets=4 --set caches.l1d.ways=8 --set caches.l1d.index_hash=none "
         "--set 'sm.vetoes=[\"static_limit\"]' --set sm.static_limit.limit=1 --set sm.shape=one_in_flight");
  const json locality = replayed("trace.l1");
  ASSERT_EQ(sum(locality, "merges"), 0u);
  EXPECT_GT(sum(locality, "misses"), 1000u);
  EXPECT_EQ(sum(locality, "misses", 0), sum(locality, "misses"));
  for (const char* name : {"intra_thread", "inter_thread", "inter_warp", "this_trip", "last_trip", "other_trip"})
    EXPECT_EQ(sum(locality, name, 0), sum(locality, name)) << name;
  EXPECT_LT(sum(locality, "misses", 1), sum(locality, "misses", 0)) << "Belady";
  EXPECT_LT(sum(locality, "misses", 2), sum(locality, "misses", 1)) << "unbounded";
}

TEST_F(ReplayL1, AnUnboundedCacheMissesWhatTheReplaySays) {
  record("spmv_scalar", "--l1-trace trace.l1 --set caches.l1d.kind=unbounded");
  const json locality = replayed("--policy unbounded trace.l1");
  const json run = result();
  const json& counted = run["statistics"]["classes"]["sm"];
  EXPECT_EQ(sum(locality, "misses", 0), counted["l1d.read_misses"]);
  EXPECT_EQ(locality["cache"]["bytes"], 0);
  const auto lru = heddle("replay-l1 --policy lru trace.l1");
  EXPECT_EQ(lru.status, 2);
  EXPECT_THAT(lru.err, HasSubstr("the recorded cache is unlimited"));
}

TEST_F(ReplayL1, RunJsonHasTheLocalityThatTheTraceGives) {
  record("bfs", "--l1-trace trace.l1 --locality");
  json from_trace = replayed("trace.l1"), from_run = result()["locality"];
  EXPECT_EQ(from_trace, from_run);
  const auto text = heddle("replay-l1 trace.l1"), listed = heddle("annotate --locality out");
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_EQ(listed.out, text.out);
  EXPECT_THAT(text.out, HasSubstr("Why loads missed:"));
  EXPECT_THAT(text.out, ContainsRegex("expected hit rate +[0-9]+ %"));
}

TEST_F(ReplayL1, CachesAndLimitsAreLists) {
  record("vector_add", "--l1-trace trace.l1");
  const json locality =
      replayed("--policy lru,fifo,unbounded --size 8KB,16KB --ways 2,4 --line 64,128 --limits 2-3 trace.l1");
  EXPECT_EQ(locality["replays"].size(), 2u * 8 + 2);
  ASSERT_EQ(locality["kernels"][0]["limits"].size(), 3u);
  EXPECT_EQ(locality["kernels"][0]["limits"][1]["warps"], 3);
  EXPECT_EQ(replayed("--limits none trace.l1")["kernels"][0]["limits"].size(), 0u);
  for (const auto& [arguments, why] : {std::pair{"--policy lfu", "there is no 'lfu'"},
                                       std::pair{"--size 10000 --ways 4", "its size must be a multiple of 512 bytes"},
                                       std::pair{"--line 96", "96 is no power of two"},
                                       std::pair{"--ways x", "'x' is no number"}, std::pair{"--limits 0", "--limits"},
                                       std::pair{"--kernel nothing", "no kernel matches 'nothing'; recorded: "}}) {
    const auto refused = heddle(std::string("replay-l1 ") + arguments + " trace.l1");
    EXPECT_EQ(refused.status, 2) << arguments;
    EXPECT_THAT(refused.err, HasSubstr(why));
  }
}

TEST_F(ReplayL1, AMachineWithoutTheCacheIsRefused) {
  const auto run = heddle("run -q --machine small --set caches.l1d.present=false --l1-trace t.l1 '" HEDDLE_WORKLOADS
                          "/vector_add' --size small");
  EXPECT_NE(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("the machine's SMs have no L1 data cache"));
}

}  // namespace
}  // namespace heddle
