// SPDX-License-Identifier: Apache-2.0
#include "sweep/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace heddle::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kTwo =
    R"("programs": [{"name": "p", "command": ["p"]}, {"name": "q", "command": ["q"], "machines": ["n"]}],
                            "machines": ["m", "n"])";

std::vector<std::string> points(const std::string& rest) {
  const Study study = parse_study("{" + kTwo + rest + "}", "/s.json");
  std::vector<std::string> all;
  for (const Point& point : expand(study)) all.push_back(describe(study, point));
  return all;
}

TEST(Points, WithoutParametersAreProgramsOnTheirMachines) {
  EXPECT_THAT(points(""), ElementsAre("p on m", "p on n", "q on n"));
}

TEST(Points, AreTheProductWithTheLastParameterFastest) {
  EXPECT_THAT(points(R"(, "parameters": {"a": [1, 2], "b": ["x", "y"]}, "exclude": [{"program": "p"}])"),
              ElementsAre("q on n, a=1, b=x", "q on n, a=1, b=y", "q on n, a=2, b=x", "q on n, a=2, b=y"));
}

TEST(Points, ThatAreListedFollowTheProductAndStandAloneWithoutOne) {
  EXPECT_THAT(points(R"(, "parameters": {"a": [1]}, "points": [{"program": "p", "machine": ["m"], "b": 7}])"),
              ElementsAre("p on m, a=1", "p on n, a=1", "q on n, a=1", "p on m, b=7"));
  EXPECT_THAT(points(R"(, "points": [{"machine": "n", "b": 7}])"), ElementsAre("p on n, b=7", "q on n, b=7"));
}

TEST(Points, ThatAreThereTwiceComeOnce) {
  EXPECT_THAT(points(R"(, "parameters": {"a": [1]}, "points": [{"a": 1}, {"a": 2, "program": "q"}])"),
              ElementsAre("p on m, a=1", "p on n, a=1", "q on n, a=1", "q on n, a=2"));
}

TEST(Points, AreExcludedWhereEveryColumnOfAPatternMatches) {
  EXPECT_THAT(points(R"(, "parameters": {"a": [1, 2]}, "exclude": [{"machine": "n", "a": [2]}, {"program": ["q"]}])"),
              ElementsAre("p on m, a=1", "p on m, a=2", "p on n, a=1"));
}

TEST(Points, APatternOfAParameterThatAPointDoesNotSetDoesNotMatchIt) {
  EXPECT_THAT(
      points(R"(, "points": [{"program": "p", "machine": "m", "a": 1}, {"program": "p", "machine": "m", "b": 1}],
                        "exclude": [{"a": 1}])"),
      ElementsAre("p on m, b=1"));
}

TEST(Points, OfTheExampleAreAThousand) {
  const Study study = read_study(HEDDLE_EXAMPLES "/thousand-runs.json");
  EXPECT_EQ(expand(study).size(), 1000u);
}

TEST(Points, NoneOrTooManyAreRefused) {
  EXPECT_THROW(points(R"(, "exclude": [{"machine": ["m", "n"]}])"), Error);
  std::string values = "1";
  for (int i = 2; i <= 1000; ++i) values += "," + std::to_string(i);
  try {
    points(R"(, "parameters": {"a": [)" + values + R"(], "b": [)" + values + "]}");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(std::string(error.what()), HasSubstr("4000000 runs, more than 1000000"));
  }
}

}  // namespace
}  // namespace heddle::sweep
