// SPDX-License-Identifier: Apache-2.0
// `heddle memtrace` as a user calls it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli_fixture.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Memtrace : public test::Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    // A miss, a hit in its line, the same line from another SM, a store, an atomic.
    write("trace.csv",
          "cycle,kind,address,bytes,port,source,hint\n"
          "100,read,0x100000,128,0,1,1\n"
          "2000,read,0x100040,4,0,2,\n"
          "4000,read,1048576,128,1,,\n"
          "6000,write,0x200000,128,2,,\n"
          "8000,atomic,0x100000,4,3,,\n");
  }
  std::string read(const std::string& name) {
    std::ifstream in(folder / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(Memtrace, ATraceGoesThroughTheCachesAndItsResultsAreThoseOfARun) {
  const auto run = heddle("memtrace --machine gtx480 -o results --accesses times.csv trace.csv");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("machine gtx480, entry l1: 5 accesses of 5, 392 bytes\n"));
  EXPECT_THAT(run.out, HasSubstr("cycles of 700 MHz"));
  const auto result = nlohmann::json::parse(read("results/run.json"));
  EXPECT_TRUE(result["complete"]);
  EXPECT_EQ(result["identity"]["program"], "trace.csv");
  EXPECT_EQ(result["configuration"]["name"], "gtx480");
  const auto& classes = result["statistics"]["classes"];
  EXPECT_EQ(classes["trace"]["accesses.reads"], 3);
  EXPECT_EQ(classes["sm"]["l1d.read_hits"], 1);
  EXPECT_EQ(classes["sm"]["l1d.read_misses"], 2);
  EXPECT_EQ(classes["l2"]["cache.read_hits"], 1) << "the line that another SM brought";
  EXPECT_EQ(classes["l2"]["cache.atomics"], 1);
  EXPECT_EQ(result["statistics"]["instances"]["sm1"]["l1d.read_misses"], 1);
  EXPECT_THAT(read("results/run.csv"), HasSubstr("run,trace,accesses.mean_read,"));
  // The hit has the latency of its cache: look-up 34, data 1.
  EXPECT_THAT(read("times.csv"), HasSubstr("\n1,2000,2035\n"));
}

TEST_F(Memtrace, ItMayEnterAtTheL2OrTheController) {
  const auto l2 = heddle("memtrace --enter l2 -o l2 trace.csv");
  ASSERT_EQ(l2.status, 0) << l2.err;
  const auto at_l2 = nlohmann::json::parse(read("l2/run.json"))["statistics"]["classes"];
  EXPECT_FALSE(at_l2.contains("sm"));
  EXPECT_FALSE(at_l2.contains("crossbar"));
  EXPECT_EQ(at_l2["l2"]["cache.requests"], 5);
  EXPECT_EQ(at_l2["l2"]["cache.read_hits"], 2);
  const auto controller = heddle("memtrace --enter controller -o mc trace.csv");
  ASSERT_EQ(controller.status, 0) << controller.err;
  EXPECT_THAT(controller.out, HasSubstr("cycles of 924 MHz"));
  const auto at_memory = nlohmann::json::parse(read("mc/run.json"))["statistics"]["classes"];
  EXPECT_FALSE(at_memory.contains("l2"));
  EXPECT_EQ(at_memory["mc"]["controller.requests"], 5);
}

TEST_F(Memtrace, OverridesSeriesAndWaveformsAreThoseOfRun) {
  const auto run = heddle(
      "memtrace --machine small --set caches.l1d.present=false --vcd wave.vcd --signals 'mc*' --series "
      "'l2_*.cache.requests' "
      "--series-every 100 -o results -q trace.csv");
  ASSERT_EQ(run.status, 100) << "the machine has fewer SMs than the trace";
  EXPECT_THAT(run.err, HasSubstr("trace.csv:5: column 5 (port) is 2; legal: 0 to 1"));
  const auto set = heddle(
      "memtrace --set caches.l1d.present=false --vcd wave.vcd --signals 'mc*' --series 'l2_*.cache.requests' "
      "--series-every 100 -o results -q trace.csv");
  ASSERT_EQ(set.status, 0) << set.err;
  EXPECT_THAT(set.out, IsEmpty());
  const auto result = nlohmann::json::parse(read("results/run.json"));
  EXPECT_FALSE(result["statistics"]["classes"]["sm"].contains("l1d.requests"));
  EXPECT_FALSE(result["time_series"]["rows"].empty());
  EXPECT_TRUE(std::filesystem::exists(folder / "wave.vcd"));
}

TEST_F(Memtrace, ARunThatIsStoppedLeavesWhatItHas) {
  const auto run = heddle("memtrace --max-cycles 3000 -o results trace.csv");
  EXPECT_EQ(run.status, 105);
  EXPECT_THAT(run.err, HasSubstr("stopped after 3000 cycles, its limit, with 2 of 5 accesses answered"));
  const auto result = nlohmann::json::parse(read("results/run.json"));
  EXPECT_FALSE(result["complete"]);
  EXPECT_EQ(result["statistics"]["classes"]["trace"]["accesses.reads"], 2);
}

TEST_F(Memtrace, WhatIsWrongIsOneMessage) {
  write("bad.csv", "kind,address,bytes\nread,12,oops\n");
  const auto bad = heddle("memtrace bad.csv");
  EXPECT_EQ(bad.status, 100);
  EXPECT_EQ(bad.err,
            "heddle memtrace: error: bad.csv:2: column 3 (bytes) is 'oops'; expected a number, decimal or hexadecimal "
            "with 0x\n");
  EXPECT_EQ(heddle("memtrace nowhere.csv").status, 106);
  EXPECT_EQ(heddle("memtrace").status, 2);
  const auto entry = heddle("memtrace --enter l3 trace.csv");
  EXPECT_EQ(entry.status, 2);
  EXPECT_THAT(entry.err, HasSubstr("--enter: 'l3' is not one of l1, l2, controller (did you mean 'l1'?)"));
  EXPECT_THAT(heddle("memtrace --enter l2 --set memory.has_l2=false trace.csv").err,
              HasSubstr("this machine has no L2"));
  EXPECT_THAT(heddle("explain accesses.read_latency").out, HasSubstr("statistic of class trace"));
}

}  // namespace
}  // namespace heddle
