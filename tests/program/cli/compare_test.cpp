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
  EXPECT_EQ(heddle("compare good.json").status, 2);
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

}  // namespace
}  // namespace heddle
