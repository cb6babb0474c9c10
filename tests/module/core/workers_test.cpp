// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

namespace heddle {
namespace {

/// Whichever way is chosen, each job once.
void run_round(SharedRounds& rounds, unsigned work, unsigned jobs, const std::function<void(unsigned)>& run) {
  if (rounds.begin(work)) {
    rounds.share();
  } else {
    for (unsigned job = 0; job < jobs; ++job) run(job);
  }
  rounds.end(work);
}

class WorkersOf : public ::testing::TestWithParam<unsigned> {};

TEST_P(WorkersOf, EachJobRunsOnceARound) {
  constexpr unsigned kJobs = 7;
  std::vector<unsigned> runs(kJobs);
  const auto run = [&](unsigned job) { ++runs[job]; };
  Workers workers(GetParam());
  SharedRounds rounds(workers, kJobs, run);
  for (unsigned round = 1; round <= 20'000; ++round) {
    run_round(rounds, round % 5, kJobs, run);
    ASSERT_EQ(runs, std::vector<unsigned>(kJobs, round));
  }
}

TEST_P(WorkersOf, ThreadsThatSleepWakeForTheNextRounds) {
  std::atomic<unsigned> runs = 0;
  const auto run = [&](unsigned) { ++runs; };
  Workers workers(GetParam());
  SharedRounds rounds(workers, 3, run);
  for (unsigned pause = 1; pause <= 5; ++pause) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (unsigned round = 0; round < 100; ++round) run_round(rounds, 3, 3, run);
    ASSERT_EQ(runs, 300 * pause);
  }
}

TEST_P(WorkersOf, RoundsOfOtherJobsMayAlternate) {
  std::vector<unsigned> few(2), many(9);
  const auto run_few = [&](unsigned job) { ++few[job]; };
  const auto run_many = [&](unsigned job) { ++many[job]; };
  Workers workers(GetParam());
  SharedRounds rounds_of_few(workers, 2, run_few), rounds_of_many(workers, 9, run_many);
  for (unsigned round = 1; round <= 5000; ++round) {
    run_round(rounds_of_few, 2, 2, run_few);
    run_round(rounds_of_many, 9, 9, run_many);
    ASSERT_EQ(few, std::vector<unsigned>(2, round));
    ASSERT_EQ(many, std::vector<unsigned>(9, round));
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, WorkersOf, ::testing::Values(1u, 2u, 3u, 8u));

TEST(SharingChoice, KeepsTheCheaperWay) {
  for (const bool pays : {true, false}) {
    SharingChoice choice;
    unsigned shared = 0;
    for (unsigned window = 0; window < 1000; ++window) {
      shared += choice.shared();
      choice.window(choice.shared() == pays ? 1 : 2);
    }
    if (pays) {
      EXPECT_GT(shared, 900u);
    } else {
      EXPECT_LT(shared, 20u);
    }
  }
}

TEST(SharingChoice, TriesAgainWhenSharingBecomesExpensive) {
  SharingChoice choice;
  for (const double cost : {1, 2, 1, 1}) choice.window(cost);
  EXPECT_TRUE(choice.shared());
  choice.window(3);  // dearer than alone was
  EXPECT_TRUE(choice.shared()) << "a trial";
  choice.window(std::numeric_limits<double>::infinity());
  choice.window(2);
  EXPECT_FALSE(choice.shared());
}

TEST(JobShares, SpreadTheJobsThatTakeLong) {
  JobShares shares(2, 5);
  EXPECT_EQ(shares.of(0), (std::vector<unsigned>{0, 2, 4}));
  EXPECT_EQ(shares.of(1), (std::vector<unsigned>{1, 3}));
  shares.balance({10, 1, 9, 1, 8});
  EXPECT_EQ(shares.of(0), (std::vector<unsigned>{0, 1, 3}));
  EXPECT_EQ(shares.of(1), (std::vector<unsigned>{2, 4}));
}

TEST(JobShares, StayUnlessAnotherWayIsClearlyBetter) {
  JobShares shares(2, 4);
  for (const std::vector<double>& costs : {std::vector<double>{4, 4, 5, 4}, std::vector<double>{0, 0, 0, 0}}) {
    shares.balance(costs);
    EXPECT_EQ(shares.of(0), (std::vector<unsigned>{0, 2}));
    EXPECT_EQ(shares.of(1), (std::vector<unsigned>{1, 3}));
  }
}

TEST(JobShares, MoreThreadsThanJobs) {
  JobShares shares(4, 2);
  shares.balance({1, 5});
  EXPECT_EQ(shares.of(1), (std::vector<unsigned>{1}));
  EXPECT_TRUE(shares.of(3).empty());
}

// The caller sleeps in its share, so that the other thread gets the processor even if they have one between them.
TEST(Workers, TheOtherThreadTakesItsShare) {
  std::vector<std::thread::id> by(2);
  const auto run = [&](unsigned job) {
    by[job] = std::this_thread::get_id();
    if (job == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
  };
  Workers workers(2);
  const auto start = std::chrono::steady_clock::now();
  while (by[0] == by[1] && std::chrono::steady_clock::now() - start < std::chrono::seconds(30)) workers.share(run);
  EXPECT_NE(by[0], by[1]);
}

}  // namespace
}  // namespace heddle
