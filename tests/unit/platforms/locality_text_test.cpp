// SPDX-License-Identifier: Apache-2.0
// The locality of a run as text.
#include "cli/locality_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/statistics/run_locality_json.h"

namespace heddle::cli {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// A kernel whose second load misses most, and which a limit of 2 warps would help.
RunLocality example() {
  RunLocality all;
  all.machine = "toy";
  all.cache_bytes = 16384;
  all.cache_ways = 4;
  all.line_bytes = 128;
  all.replays = {{"lru", 16384, 4, 128, "fermi"}, {"unbounded", 0, 0, 128, "none"}};
  all.files = {"/gone/k.cu"};
  RunLocality::Kernel& kernel = all.kernels.emplace_back();
  kernel.name = "gather";
  kernel.launches = 3;
  kernel.warp_instructions = 1000;
  kernel.thread_instructions = 20000;
  kernel.cycles = 5000;
  kernel.warps = 8;
  kernel.loads.push_back({4,
                          40,
                          -1,
                          -1,
                          0,
                          "ld.global.u32 %r1, [%rd1]",
                          {10, 5, 5, 0, 20},
                          {20, 0, 0, 0, 0},
                          {{20, 0, 0, 0, 20}, {40, 0, 0, 0, 0}}});
  kernel.loads.push_back({9,
                          90,
                          0,
                          0,
                          12,
                          "ld.global.f32 %f1, [%rd2]",
                          {30, 0, 10, 20, 140, 1, 8, 21},
                          {10, 0, 100, 20, 10},
                          {{40, 0, 10, 0, 150}, {190, 0, 0, 0, 10}}});
  kernel.loops.push_back({3, 1, 11, -1, 0, {{1, 180, 0, 20, 0}, {2, 160, 0, 40, 0}, {8, 40, 20, 140, 0}}});
  kernel.limits = {{1, 200, 0, 40, 1200}, {2, 180, 0, 60, 700}, {8, 60, 20, 160, 1000}};
  return all;
}

std::string text_of(const RunLocality& locality, const LocalityListing& listing = {}) {
  JsonWriter out;
  write_locality(out, locality);
  return locality_text(parse_json(out.text(), "test"), listing);
}

TEST(LocalityText, TheRunAndItsReplaysAreRowsOfShares) {
  const std::string text = text_of(example());
  EXPECT_THAT(text, HasSubstr("L1 data caches of toy: 16 KB, 4 ways, 128-byte lines\n"));
  EXPECT_THAT(text, HasSubstr("kernel gather: launches 3, warp instructions 1000, cycles 5000\n"));
  EXPECT_THAT(text, ContainsRegex("the run +240 +16.7 % +2.1 % +6.2 % +8.3 % +66.7 % +8.00\n"));
  EXPECT_THAT(text, ContainsRegex("lru 16 KB, 4 ways, fermi, 128 B lines +240 +25.0 %"));
  EXPECT_THAT(text, ContainsRegex("unbounded, 128 B lines +240 +95.8 % .* 4.2 % +0.50\n"));
}

TEST(LocalityText, CausesAreSharesOfTheMisses) {
  EXPECT_THAT(text_of(example()), AllOf(ContainsRegex("62.5 %  lost by the warp"), ContainsRegex("18.8 %  first touch"),
                                        HasSubstr("this trip 3.3 %, the last trip 26.7 %, other 70.0 %"),
                                        Not(HasSubstr("removed by a store"))));
}

TEST(LocalityText, TheLoadsWithTheMostMissesComeFirst) {
  const std::string text = text_of(example());
  EXPECT_THAT(text, ContainsRegex("200 +15 % +5 % +10 % +70 % +88 % +71 %  k.cu:12\n"));
  EXPECT_THAT(text,
              ContainsRegex("200 +15 % .* +71 %      pc 9    ld.global.f32 %f1, .%rd2.  .loop at k.cu:11, pc 3.\n"));
  EXPECT_LT(text.find("k.cu:12"), text.find("pc 4  ld.global.u32"));
  EXPECT_THAT(text, ContainsRegex("200 +15 % +5 % +10 % +70 % +88 % +71 %  loop at k.cu:11, pc 3\n"));
  const std::string first = text_of(example(), {"*", 1});
  EXPECT_THAT(first, AllOf(HasSubstr("k.cu:12"), HasSubstr("and 1 more loads"), Not(HasSubstr("pc 4  "))));
}

TEST(LocalityText, LimitsAreColumnsAndTheBestIsNamed) {
  const std::string text = text_of(example());
  EXPECT_THAT(text, ContainsRegex("only the oldest warps issue +1 +2 +all 8\n"));
  EXPECT_THAT(text, ContainsRegex("expected hit rate +83 % +75 % +25 %\n"));
  EXPECT_THAT(text, ContainsRegex("loop at k.cu:11, pc 3 +90 % +80 % +20 %\n"));
  EXPECT_THAT(text, ContainsRegex("time, without a limit 1 +1.20 +0.70 +1.00\n"));
  EXPECT_THAT(text, HasSubstr("a limit of 2 warps, expected hit rate 75 % instead of 25 %:\n  --set 'sm.vetoes="));
  RunLocality helped = example();
  helped.kernels[0].limits[1].cycles = 990;
  EXPECT_THAT(text_of(helped), HasSubstr("No limit of warps would clearly help."));
}

TEST(LocalityText, KernelsAreChosenByName) {
  EXPECT_THAT(text_of(example(), {"g*", 12}), HasSubstr("kernel gather"));
  try {
    text_of(example(), {"x*", 12});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no kernel matches 'x*'; recorded: gather");
  }
}

TEST(LocalityText, ARunWithoutARecordSaysHowToMakeOne) {
  try {
    run_locality_text(parse_json("{}", "test"), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("run it with --locality, or --inspect, and -o FOLDER"));
  }
}

}  // namespace
}  // namespace heddle::cli
