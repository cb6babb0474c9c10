// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/clock.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/kernel/level.h"

namespace heddle {
namespace {

struct Recorder : Clocked {
  Recorder(ClockDomain& d, std::vector<std::pair<char, Cycle>>& l, char n) : domain(d), log(l), name(n) {
    d.add(*this);
  }
  void tick() override {
    log.emplace_back(name, domain.now());
    if (period != 0) domain.wake(*this, domain.now() + period);
    if (other != nullptr) other->domain.wake_next(*other);
  }
  ClockDomain& domain;
  std::vector<std::pair<char, Cycle>>& log;
  char name;
  Cycle period = 0;
  Recorder* other = nullptr;
};

using Log = std::vector<std::pair<char, Cycle>>;

TEST(ClockDomain, SleepsBetweenWakeUps) {
  ClockTree tree;
  ClockDomain core("core", tree, 700000);
  Log log;
  Recorder a(core, log, 'a'), b(core, log, 'b');
  a.period = 100;
  core.wake(a, 3);
  core.wake(b, 103);
  sc_core::sc_start(core.time_of(210));
  EXPECT_EQ(log, (Log{{'a', 3}, {'a', 103}, {'b', 103}, {'a', 203}}));
  EXPECT_EQ(core.busy_cycles(), 3u);
}

TEST(ClockDomain, CallsModulesInDeclaredOrderWhateverTheOrderOfAsking) {
  ClockTree tree;
  ClockDomain core("core", tree, 1000000);
  Log log;
  Recorder a(core, log, 'a'), b(core, log, 'b'), c(core, log, 'c');
  core.wake(c, 5);
  core.wake(a, 5);
  core.wake(b, 5);
  sc_core::sc_start(core.time_of(6));
  EXPECT_EQ(log, (Log{{'a', 5}, {'b', 5}, {'c', 5}}));
}

TEST(ClockDomain, AnEarlierWakeReplacesALaterOne) {
  ClockTree tree;
  ClockDomain core("core", tree, 1000000);
  Log log;
  Recorder a(core, log, 'a');
  core.wake(a, 50);
  core.wake(a, 7);
  sc_core::sc_start(core.time_of(60));
  EXPECT_EQ(log, (Log{{'a', 7}}));
}

TEST(ClockDomain, WhatCrossesDomainsArrivesAtTheFirstEdgeStrictlyAfter) {
  ClockTree tree;
  ClockDomain core("core", tree, 700000), dram("dram", tree, 924000);
  Log log;
  Recorder a(core, log, 'a'), d(dram, log, 'd');
  a.other = &d;
  a.period = 25;  // 25 core cycles are exactly 33 memory cycles: the edges coincide
  core.wake(a, 25);
  sc_core::sc_start(core.time_of(60));
  EXPECT_EQ(log, (Log{{'a', 25}, {'d', 34}, {'a', 50}, {'d', 67}}));
}

TEST(ClockDomain, DoublingEveryClockKeepsCycleNumbers) {
  ClockTree tree;
  ClockDomain core("core", tree, 1400000), dram("dram", tree, 1848000);
  Log log;
  Recorder a(core, log, 'a'), d(dram, log, 'd');
  a.other = &d;
  a.period = 25;
  core.wake(a, 25);
  sc_core::sc_start(core.time_of(60));
  EXPECT_EQ(log, (Log{{'a', 25}, {'d', 34}, {'a', 50}, {'d', 67}}));
}

TEST(LevelTest, ShowsWhatWasWrittenFromTheNextCycleOn) {
  ClockTree tree;
  ClockDomain core("core", tree, 1000000);
  Level<int> level(core, 1);
  struct Writer : Clocked {
    Writer(ClockDomain& d, Level<int>& l) : domain(d), level(l) {
      d.add(*this);
      d.wake(*this, 5);
    }
    void tick() override {
      if (domain.now() == 5) {
        level.write(2);
        level.latest() += 1;
      }
      seen.emplace_back(domain.now(), level.read());
      if (domain.now() < 7) domain.wake(*this, domain.now() + 1);
    }
    ClockDomain& domain;
    Level<int>& level;
    std::vector<std::pair<Cycle, int>> seen;
  } writer(core, level);
  sc_core::sc_start(core.time_of(20));
  EXPECT_EQ(writer.seen, (std::vector<std::pair<Cycle, int>>{{5, 1}, {6, 3}, {7, 3}}));
}

}  // namespace
}  // namespace heddle
