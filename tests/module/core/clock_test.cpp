// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/clock.h"

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <string>
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

// -- parts of a domain

/// Wakes a module of the domain, and one of another domain, in some cycles.
struct Sender : Clocked {
  Sender(ClockDomain& d, unsigned n) : domain(d), number(n) { d.add(*this); }
  void tick() override {
    calls.push_back(domain.now());
    if (domain.now() % (number + 2) == 0) {
      for (Recorder* other : others) other->domain.wake(*other, other->domain.arrival_cycle() + number);
    }
    if (domain.now() % 64 != 0) domain.wake(*this, domain.now() + 1 + number % 3);
    if (domain.now() == throws_at) throw number;
  }
  ClockDomain& domain;
  unsigned number;
  Cycle throws_at = kNever;
  std::vector<Recorder*> others;
  std::vector<Cycle> calls;
};

/// Starts a sender again.
struct Starter : Clocked {
  Starter(ClockDomain& d, std::vector<std::unique_ptr<Sender>>& s) : domain(d), senders(s) { d.add(*this); }
  void tick() override {
    for (const auto& sender : senders) sender->domain.wake_next(*sender);
    domain.wake(*this, domain.now() + 50);
  }
  ClockDomain& domain;
  std::vector<std::unique_ptr<Sender>>& senders;
};

/// Five senders in a domain, or in parts of it. threads: 0 without parts.
struct Parts {
  explicit Parts(unsigned threads) {
    for (unsigned i = 0; i < 5; ++i) {
      if (threads != 0) parts.push_back(std::make_unique<ClockDomain>(("part" + std::to_string(i)).c_str(), core));
      senders.push_back(std::make_unique<Sender>(threads != 0 ? *parts.back() : core, i));
      senders.back()->others = {&near, &far};
    }
    if (threads != 0) tree.use_threads(threads);
    core.wake(starter, 1);
  }
  ClockTree tree;
  ClockDomain core{"core", tree, 1000000}, slow{"slow", tree, 300007};  // edges never coincide
  std::vector<std::unique_ptr<ClockDomain>> parts;
  Log near_log, far_log;
  std::vector<std::unique_ptr<Sender>> senders;
  Starter starter{core, senders};
  Recorder near{core, near_log, 'n'}, far{slow, far_log, 'f'};
};

class PartsOn : public ::testing::TestWithParam<unsigned> {};

TEST_P(PartsOn, WorkAsTheModulesOfOneDomainWould) {
  Parts one(0), some(GetParam());
  sc_core::sc_start(one.core.time_of(5000));
  EXPECT_GT(one.near_log.size(), 1000u);
  EXPECT_EQ(some.near_log, one.near_log);
  EXPECT_GT(one.far_log.size(), 200u);
  EXPECT_EQ(some.far_log, one.far_log);
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(some.senders[i]->calls, one.senders[i]->calls) << i;
  EXPECT_EQ(some.core.busy_cycles(), one.core.busy_cycles());
}

TEST_P(PartsOn, AnErrorIsThatOfTheFirstPart) {
  Parts parts(GetParam());
  for (const auto& sender : parts.senders) sender->throws_at = sender->number == 0 ? kNever : 61;
  sc_core::sc_start(parts.core.time_of(5000));
  EXPECT_EQ(parts.core.now(), 61u);
  const std::exception_ptr error = parts.tree.take_error();
  ASSERT_NE(error, nullptr);
  try {
    std::rethrow_exception(error);
  } catch (unsigned number) {
    EXPECT_EQ(number, 2u) << "1 sleeps in this cycle, 2 and 3 throw";
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, PartsOn, ::testing::Values(1u, 2u, 3u, 8u));

}  // namespace
}  // namespace heddle
