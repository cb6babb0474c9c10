// SPDX-License-Identifier: Apache-2.0
// heddle compare as a user calls it; its computations are tested in tests/unit/platforms/compare_test.cpp.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli_fixture.h"

namespace heddle {
namespace {

using test::Cli;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(Cli, CompareRefusesWhatIsNoRunOrOfANewerVersionOrMissing) {
  write("good.json", R"({"schema_version": 1, "kernels": []})");
  write("newer.json", R"({"schema_version": 999, "kernels": []})");
  write("other.json", R"({"launches": []})");
  write("broken.json", "{");
  EXPECT_EQ(heddle("compare good.json good.json").status, 0);
  const auto newer = heddle("compare good.json newer.json");
  EXPECT_EQ(newer.status, 106);
  EXPECT_THAT(newer.err, HasSubstr("newer.json: has schema 999"));
  EXPECT_THAT(newer.out, IsEmpty());
  EXPECT_EQ(heddle("compare good.json other.json").status, 100);
  EXPECT_EQ(heddle("compare good.json broken.json").status, 100);
  const auto missing = heddle("compare good.json absent.json");
  EXPECT_EQ(missing.status, 106);
  EXPECT_THAT(missing.err, HasSubstr("absent.json"));
  EXPECT_EQ(heddle("compare").status, 2);
}

TEST_F(Cli, CompareOfFunctionalRunsHasASentenceInsteadOfAnAccount) {
  write("a.json", R"({"schema_version": 1, "kernels": [{"name": "k", "timed": false, "thread_instructions": 5}]})");
  const auto text = heddle("compare a.json a.json");
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("a.json has no timed launch"));
  const auto json = nlohmann::json::parse(heddle("compare --json a.json a.json").out);
  EXPECT_EQ(json["totals"][2]["values"], nlohmann::json({5, 5}));
  EXPECT_FALSE(json.contains("account"));
}

TEST_F(Cli, CompareOfASingleRunSaysWhatLimitsItAndWhereItsWarpsWaited) {
  write("k.ptx",
        ".version 6.4\n.target sm_70\n.address_size 64\n.file 1 \"k.cu\"\n.entry k(.param .u64 p)\n{ .reg .b32 "
        "%r<3>; .reg .b64 %d<3>;\n.loc 1 7 1\nld.param.u64 %d1, [p]; ld.global.u32 %r1, [%d1];\n.loc 1 8 1\nadd.u32 "
        "%r2, %r1, 1; st.global.u32 [%d1], %r2; exit; }\n");
  const auto ran = heddle("run --machine small --profile -o out --ptx k.ptx zeros:u32:4");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("heddle: what limits it: " HEDDLE_COMMAND " compare out\n"))
      << "as the command was called, and the folder as it was given";
  const auto one = heddle("compare out");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.out, testing::StartsWith("out takes "));
  EXPECT_THAT(one.out, HasSubstr(" What limits it is "));
  EXPECT_THAT(one.out, HasSubstr("\nCaches\n"));
  EXPECT_THAT(one.out, HasSubstr("\nWhere warps waited\n"));
  EXPECT_THAT(one.out, testing::ContainsRegex("memory [0-9]+ %.* k.cu:8\n"));
  EXPECT_EQ(nlohmann::json::parse(heddle("compare --json out").out)["verdicts"], nlohmann::json::array());

  ASSERT_EQ(heddle("run -q --machine small -o plain --ptx k.ptx zeros:u32:4").status, 0);
  EXPECT_THAT(heddle("compare plain/run.json").out, HasSubstr("\nThe run has no profile of its lines: "));
  const auto functional = heddle("run --functional -o functional --ptx k.ptx zeros:u32:4");
  EXPECT_THAT(functional.err, testing::Not(HasSubstr("what limits it")));
}

}  // namespace
}  // namespace heddle
