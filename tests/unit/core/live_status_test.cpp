// SPDX-License-Identifier: Apache-2.0
// The live view of a run.
#include "core/statistics/live_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/error.h"
#include "core/file.h"

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;

LiveStatus example() {
  LiveStatus status{"bfs", "Heddle gtx480", "expand",  3,   1'200'000, 5'000'000, 120, 30,
                    10,    312'000,         1'250'000, 3.5, {}};
  status.sms = {{"sm0", 0.5, 1}, {"sm1", 0, 0.25}};
  return status;
}

TEST(LiveStatus, TimeLeftIsThatOfTheBlocksLeft) {
  EXPECT_DOUBLE_EQ(example().remaining_seconds(), 30);
  LiveStatus status = example();
  status.blocks_done = 0;
  EXPECT_LT(status.remaining_seconds(), 0);
  status.blocks_done = status.blocks;
  EXPECT_LT(status.remaining_seconds(), 0);
}

TEST(LiveStatus, IsReadAsItWasWritten) {
  const auto file = std::filesystem::temp_directory_path() / ("heddle-live-" + std::to_string(getpid()));
  write_file_atomically(file, live_status_json(example()));
  const LiveStatus read = read_live_status(file);
  std::filesystem::remove(file);
  EXPECT_EQ(live_status_json(read), live_status_json(example()));
  EXPECT_THROW(read_live_status(file), Error);
}

TEST(LiveStatus, TheViewHasRatesTimeAndEverySm) {
  EXPECT_THAT(live_view(example(), 100),
              AllOf(HasSubstr("bfs on Heddle gtx480, launch 3: expand"), HasSubstr("10 s, about 30 s to go"),
                    HasSubstr("30 of 120 blocks"), HasSubstr("312 k cycles/s"), HasSubstr("IPC 3.50"),
                    HasSubstr("###############...............  50%"), HasSubstr("\nsm1 ")));
}

TEST(LiveStatus, TheViewKeepsToItsColumnsAndRows) {
  std::istringstream lines(live_view(example(), 40, 1));
  unsigned count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 40u) << line;
  EXPECT_EQ(count, 7u);
  EXPECT_THAT(live_view(example(), 60, 1), HasSubstr("and 1 more"));
}

}  // namespace
}  // namespace heddle
