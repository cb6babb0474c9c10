// SPDX-License-Identifier: Apache-2.0
// `heddle top` on folders with and without active runs.
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>

#include "cli_fixture.h"
#include "core/file.h"
#include "core/statistics/live_status.h"

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Top : public test::Cli {};

LiveStatus status_of(const std::string& program) {
  LiveStatus status;
  status.program = program;
  status.machine = "small";
  status.kernel = "k";
  status.launch = 1;
  status.blocks = 10;
  status.blocks_done = 5;
  status.seconds = 7;
  status.sms = {{"sm0", 0.25, 1}};
  return status;
}

TEST_F(Top, ShowsEveryRunBelowAFolder) {
  const auto below = folder / "runs";
  std::filesystem::create_directories(below);
  const auto nothing = heddle("top --once " + below.string());
  EXPECT_EQ(nothing.status, 0);
  EXPECT_THAT(nothing.out, HasSubstr("no run"));
  write_file_atomically(below / "a" / kLiveStatusFile, live_status_json(status_of("first")));
  const auto one = heddle("top --once " + below.string());
  EXPECT_THAT(one.out, AllOf(HasSubstr("first on small"), HasSubstr("about 7 s to go"), HasSubstr("sm0")));
  write_file_atomically(below / "b" / "c" / kLiveStatusFile, live_status_json(status_of("second")));
  const auto two = heddle("top --once " + below.string());
  EXPECT_THAT(two.out, AllOf(HasSubstr("first on small"), HasSubstr("second on small"), Not(HasSubstr("sm0"))));
  EXPECT_THAT(two.out, Not(HasSubstr("no news")));
  std::filesystem::last_write_time(below / "a" / kLiveStatusFile,
                                   std::filesystem::file_time_type::clock::now() - std::chrono::minutes(5));
  EXPECT_THAT(heddle("top --once " + below.string()).out, HasSubstr("no update for 5 min"));
  std::filesystem::remove_all(below);
  EXPECT_EQ(heddle("top --once " + below.string()).status, 2);
}

}  // namespace
}  // namespace heddle
