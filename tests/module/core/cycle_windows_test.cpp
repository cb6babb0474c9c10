// SPDX-License-Identifier: Apache-2.0
// Windows of cycles: how far parts are ahead of each other, and that the domain's own modules do not notice.
#include "core/kernel/cycle_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <vector>

namespace heddle {
namespace {

constexpr Cycle kLength = 8, kCycles = 4000;

/// Works in every cycle.
struct Ticker : Clocked {
  explicit Ticker(ClockDomain& d) : domain(d) {
    d.add(*this);
    d.wake(*this, 1);
  }
  void tick() override {
    done = domain.now();
    if (also) also(done);
    domain.wake(*this, done + 1);
  }
  ClockDomain& domain;
  Cycle done = 0;
  std::function<void(Cycle)> also;
};

/// Notes when it is called.
struct Called : Clocked {
  explicit Called(ClockDomain& d) : domain(d) { d.add(*this); }
  void tick() override { cycles.push_back(domain.now()); }
  ClockDomain& domain;
  std::vector<Cycle> cycles;
};

struct OpenPassage final : WindowPassage {
  bool settled() const override { return true; }
  void expect(Cycle) override {}
  bool can_answer(Cycle) const override { return true; }
};

/// A domain with a part that answers, two that ask, one that takes requests, and a module of its own.
struct Machine {
  /// wakes: whether the first of those that ask wakes the domain's module now and then, which ends a window.
  Machine(bool windows, bool wakes) {
    taking.also = [this](Cycle cycle) { ahead.push_back(std::min(asking[0].done, asking[1].done) - cycle); };
    asking[0].also = [this, wakes](Cycle cycle) {
      answered.push_back(answering.done - cycle);
      if (wakes && cycle % 5 == 0) core.wake_next(own);
    };
    tree.use_threads(windows ? 2 : 1);
    if (!windows) return;
    tree.use_windows(core, {.length = kLength,
                            .over = [] { return false; },
                            .last = [](Cycle from) { return from + 100; },
                            .passage = &passage});
  }
  void run() { sc_core::sc_start(core.time_of(kCycles)); }

  ClockTree tree;
  ClockDomain core{sc_core::sc_gen_unique_name("core"), tree, 1'000'000};
  ClockDomain first{sc_core::sc_gen_unique_name("first"), core, WindowPhase::first};
  ClockDomain second{sc_core::sc_gen_unique_name("second"), core, WindowPhase::second};
  ClockDomain other_second{sc_core::sc_gen_unique_name("second"), core, WindowPhase::second};
  ClockDomain third{sc_core::sc_gen_unique_name("third"), core, WindowPhase::third};
  OpenPassage passage;
  Ticker answering{first}, asking[2]{Ticker{second}, Ticker{other_second}}, taking{third};
  Called own{core};
  std::vector<Cycle> ahead;     ///< by cycle: how far those that ask are ahead of what takes their requests
  std::vector<Cycle> answered;  ///< by cycle: how far what answers is ahead of those that ask
};

TEST(CycleWindows, AreWorkedByPhaseAndSharedWhetherItPaysOrNot) {
  // Parts do so little here that threads do not pay: without the variable, windows end early.
  ::setenv("HEDDLE_CHECK_WINDOWS", "1", 1);
  Machine some(true, false);
  some.run();
  ASSERT_GE(some.ahead.size(), kCycles - kLength);
  for (std::size_t i = 0; i < kCycles - kLength; ++i) {
    ASSERT_EQ(some.ahead[i], kLength - 1 - i % kLength) << i;
    ASSERT_EQ(some.answered[i], kLength - 1 - i % kLength) << i;
  }
}

TEST(CycleWindows, TheDomainsOwnModulesAreCalledInTheSameCycles) {
  ::setenv("HEDDLE_CHECK_WINDOWS", "1", 1);
  Machine one(false, true), some(true, true);
  one.run();
  EXPECT_GT(one.own.cycles.size(), kCycles / 6);
  const std::size_t count = std::min(one.own.cycles.size(), some.own.cycles.size());
  EXPECT_GT(count, kCycles / 6);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(some.own.cycles[i], one.own.cycles[i]) << i;
}

}  // namespace
}  // namespace heddle
