// SPDX-License-Identifier: Apache-2.0
// The command as a user calls it: output streams and exit status.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli_fixture.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using test::Cli;

TEST_F(Cli, MachinesListsThePresetsWithASentence) {
  const auto run = heddle("machines");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("gtx480 "));
  EXPECT_THAT(run.out, HasSubstr("(default)"));
  EXPECT_THAT(run.err, IsEmpty());
}

TEST_F(Cli, ConfigPrintsTheResolvedMachineWhichIsAMachineDescriptionItself) {
  const auto run = heddle("config --machine small --set sm.order=lrr --set sm.warp_size=16 --set sm.simd_width=16");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto machine = nlohmann::json::parse(run.out);
  EXPECT_EQ(machine["gpu"]["sm_classes"][0]["sm"]["order"], "lrr");
  EXPECT_EQ(machine["gpu"]["sm_classes"][0]["sm"]["warp_size"], 16);
  EXPECT_EQ(machine["gpu"]["clocks"]["core"]["published"], "700 MHz");
  write("again.json", run.out);
  EXPECT_EQ(heddle("config --machine ./again.json").out, run.out);
}

TEST_F(Cli, ConfigAgainstAnotherMachinePrintsWhatDiffers) {
  const auto run = heddle("config --machine small --set sm.order=lrr --against gtx480");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("gpu.sm_classes.0.count"));
  EXPECT_THAT(run.out, HasSubstr("sm.order"));
  EXPECT_THAT(run.out, ::testing::Not(HasSubstr("warp_size")));
}

TEST_F(Cli, AWrongKeyValueOrMachineIsOneMessageAndStatus100) {
  write("bad.json", "{\n  \"extends\": \"small\",\n  \"sm\": {\"warp_size\": 33}\n}\n");
  const auto file = heddle("config --machine bad.json");
  EXPECT_EQ(file.status, 100);
  EXPECT_THAT(file.out, IsEmpty());
  EXPECT_THAT(file.err, HasSubstr("bad.json:3: sm.warp_size is 33; legal: a power of two"));
  const auto key = heddle("config --set sm.wrap_size=32");
  EXPECT_EQ(key.status, 100);
  EXPECT_THAT(key.err, HasSubstr("did you mean 'sm.warp_size'?"));
  const auto machine = heddle("config --machine gtx408");
  EXPECT_EQ(machine.status, 100);
  EXPECT_THAT(machine.err, HasSubstr("did you mean 'gtx480'?"));
}

TEST_F(Cli, AMisspeltOptionOrCommandIsAnsweredWithTheNearest) {
  const auto option = heddle("config --machin small");
  EXPECT_EQ(option.status, 2);
  EXPECT_THAT(option.err, HasSubstr("unknown option '--machin' (did you mean '--machine'?). See heddle config --help"));
  const auto of_run = heddle("run --machin=small ./app");
  EXPECT_EQ(of_run.status, 2);
  EXPECT_THAT(of_run.err, HasSubstr("unknown option '--machin=small' (did you mean '--machine'?)"));
  EXPECT_THAT(heddle("reference paramters").err, HasSubstr("(did you mean 'parameters'?)"));
  EXPECT_THAT(heddle("exlpain l1").err, HasSubstr("did you mean 'explain'?"));
  EXPECT_THAT(heddle("config --zzz").err, ::testing::Not(HasSubstr("did you mean")));
}

TEST_F(Cli, ASizeOfAnOverrideMayHaveAUnit) {
  const auto run = heddle("config --set sm.residency.shared_bytes=32KB");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["gpu"]["sm_classes"][0]["sm"]["residency"]["shared_bytes"], 32768);
  EXPECT_THAT(heddle("config --set gpu.l1.size=48KB").err, HasSubstr("`heddle explain l1 size` finds keys by words"));
}

TEST_F(Cli, ExplainFindsWordsAndSizes) {
  const auto words = heddle("explain warp scheduler");
  EXPECT_EQ(words.status, 0) << words.err;
  EXPECT_THAT(words.out, HasSubstr("  sm.order "));
  EXPECT_THAT(words.out, HasSubstr("Next: heddle explain sm.order\n"));
  EXPECT_THAT(heddle("explain l1 size --machine small --set caches.l1d.ways=12").out, HasSubstr("12 ways"));
  for (const char* size : {"48KB", "48 KB"})
    EXPECT_THAT(heddle(std::string("explain ") + size).out,
                AllOf(HasSubstr("49152 bytes"), HasSubstr("sm.residency.shared_bytes: gtx480, ")));
  EXPECT_THAT(heddle("explain 16KB --machine gtx480").out,
              HasSubstr("caches.l1d (32 sets x 4 ways x 128 bytes): gtx480\n"));
}

TEST_F(Cli, ExplainTellsParametersMechanismsAndStatistics) {
  EXPECT_THAT(heddle("explain sm.warp_size").out, HasSubstr("threads"));
  EXPECT_THAT(heddle("explain gto").out, HasSubstr("greedy then oldest"));
  EXPECT_THAT(heddle("explain issue.warp_instructions").out, HasSubstr("statistic of class sm"));
  EXPECT_THAT(heddle("explain sm.warp_size --machine gtx285").out, HasSubstr("set by machine gtx285"));
  const auto unknown = heddle("explain wrap_size");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("warp_size"));
  EXPECT_THAT(heddle("explain").out, HasSubstr("sm.fetch"));
}

TEST_F(Cli, SchemaAndReferenceComeFromTheDeclarations) {
  const auto schema = nlohmann::json::parse(heddle("schema").out);
  EXPECT_TRUE(schema["properties"].contains("seed"));
  EXPECT_THAT(heddle("reference parameters").out, HasSubstr("| `warp_size` |"));
  EXPECT_THAT(heddle("reference statistics").out, HasSubstr("| `issue.warp_instructions` |"));
  EXPECT_THAT(heddle("reference variables").out, HasSubstr("| `HEDDLE_MACHINE` |"));
  EXPECT_THAT(heddle("reference commands").out,
              AllOf(HasSubstr("## `heddle sweep`"), HasSubstr("--retry-failed"), HasSubstr("## `heddle cc`")));
}

TEST_F(Cli, WrongUsageIsStatus2) {
  for (const char* arguments : {"config --bogus", "reference", "reference colours", "config --machine"}) {
    const auto run = heddle(arguments);
    EXPECT_EQ(run.status, 2) << arguments;
    EXPECT_THAT(run.err, HasSubstr("error: ")) << arguments;
  }
}

}  // namespace
}  // namespace heddle
