// SPDX-License-Identifier: Apache-2.0
// `heddle report` as a user calls it; the page itself is tested in a browser (tests/program/report).
#include <gmock/gmock.h>

#include <cstdlib>

#include "cli_fixture.h"

namespace heddle {
namespace {

using ::testing::HasSubstr;

constexpr char kRun[] = R"({"schema_version": 1, "identity": {"machine": "small"}, "statistics": {}})";

class Report : public test::Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    // A separate HEDDLE_HOME, so that the template exists whether or not the page was built.
    std::filesystem::create_directories(folder / "home/share/heddle");
    write("home/share/heddle/report.html", "<title>{{heddle:title}}</title>{{heddle:data}}");
    ::setenv("HEDDLE_HOME", (folder / "home").c_str(), 1);
    std::filesystem::create_directories(folder / "a");
    std::filesystem::create_directories(folder / "b");
    write("a/run.json", kRun);
    write("b/run.json", kRun);
  }
  void TearDown() override {
    ::unsetenv("HEDDLE_HOME");
    Cli::TearDown();
  }
  std::string page() {
    std::ifstream in(folder / "report.html");
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(Report, WritesOnePageOfAllRuns) {
  const auto two = heddle("report a/run.json b -o report.html");
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_THAT(two.err, HasSubstr("wrote report.html (page of 2 runs, "));
  EXPECT_THAT(page(), HasSubstr("<title>Heddle: small, a | small, b</title>H4sI"));
  ASSERT_EQ(heddle("report a --label '<base>' --force -o report.html").status, 0);
  EXPECT_THAT(page(), HasSubstr("<title>Heddle: &lt;base&gt;</title>"));
}

TEST_F(Report, WhatIsWrongIsOneMessageAndNoPage) {
  const auto refused = [this](const std::string& arguments, int status, const std::string& said) {
    const auto result = heddle("report " + arguments);
    EXPECT_EQ(result.status, status) << arguments << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr(said));
    EXPECT_FALSE(std::filesystem::exists(folder / "report.html")) << arguments;
  };
  refused("", 2, "run is required");
  refused("nowhere.json", 106, "nowhere.json: cannot be read: No such file");
  refused("home", 106, "home/run.json: cannot be read");
  write("machine.json", R"({"name": "gtx480"})");
  refused("machine.json", 100, "machine.json: not the result of a run: it has no schema_version");
  write("newer.json", R"({"schema_version": 99, "statistics": {}})");
  refused("a newer.json", 106, "newer.json: has schema 99");
  write("cut.json", std::string(kRun, sizeof kRun - 4));
  refused("cut.json", 100, "cut.json:1:");
  refused("a --label x --label y", 2, "2 --label for 1 runs");
  refused("a b --label x --label x", 2, "two --label are the same");
  refused("a -o nowhere/../a/run.json", 2, "is one of the runs");
  std::filesystem::remove(folder / "home/share/heddle/report.html");
  refused("a", 106, "apt-get install nodejs npm");
}

}  // namespace
}  // namespace heddle
