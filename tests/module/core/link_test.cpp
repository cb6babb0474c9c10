// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/link.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

struct TimedSource : Stage {
  TimedSource(sc_core::sc_module_name module_name, ClockGate& g)
      : Stage(module_name, g), out("out", g, stage_number()) {
    wake(1);
  }
  void cycle() override {
    for (unsigned i = 0; i < burst && out.can_send() && next < total; ++i) {
      int value = next++;
      sent_at.push_back(now());
      out.send(value);
    }
    if (next == total) return;
    if (asks && now() > 1) {
      out.wait_for_room();
    } else {
      wake(now() + 1);
    }
  }
  LinkOut<int> out;
  unsigned burst = 64;
  bool asks = false;  ///< sleeps until there is room, but for the first cycle
  int next = 0, total = 10;
  std::vector<Cycle> sent_at;
};

struct TimedSink : Stage {
  TimedSink(sc_core::sc_module_name module_name, ClockGate& g, LinkParameters p)
      : Stage(module_name, g), in("in", g, stage_number(), p) {}
  void cycle() override {
    for (unsigned i = 0; i < in.parameters().width; ++i) {
      if (int* value = in.front()) {
        got.emplace_back(*value, now());
        in.pop();
      }
    }
  }
  LinkIn<int> in;
  std::vector<std::pair<int, Cycle>> got;
};

struct Pair {
  explicit Pair(LinkParameters p, bool sink_first = false) : core("core", tree, 1000000), gate(core) {
    if (sink_first) sink = std::make_unique<TimedSink>("sink", gate, p);
    source = std::make_unique<TimedSource>("source", gate);
    if (!sink_first) sink = std::make_unique<TimedSink>("sink", gate, p);
    connect(source->out, sink->in);
  }
  void run(Cycle cycles) { sc_core::sc_start(core.time_of(cycles)); }
  ClockTree tree;
  ClockDomain core;
  ClockGate gate;
  std::unique_ptr<TimedSource> source;
  std::unique_ptr<TimedSink> sink;
};

TEST(Link, IsSeenExactlyLatencyCyclesLater) {
  Pair pair({.width = 1, .latency = 3});
  pair.source->total = 1;
  pair.run(20);
  EXPECT_EQ(pair.sink->got, (std::vector<std::pair<int, Cycle>>{{0, 4}}));
}

TEST(Link, DefaultCapacityKeepsTheWidthBusy) {
  Pair pair({.width = 2, .latency = 2});
  pair.source->total = 100;
  pair.run(80);
  ASSERT_EQ(pair.sink->got.size(), 100u);
  EXPECT_EQ(pair.sink->got.back().second - pair.sink->got.front().second, 49u);
}

TEST(Link, CapacityOneSendsEverySecondCycle) {
  Pair pair({.width = 1, .latency = 1, .capacity = 1, .allow_small_capacity = true});
  pair.source->total = 5;
  pair.run(40);
  EXPECT_EQ(pair.source->sent_at, (std::vector<Cycle>{1, 3, 5, 7, 9}));
}

TEST(Link, ASenderThatAsksInTheCycleOfTheCreditIsWokenAllTheSame) {
  // The sink is called first in a cycle, so its credit arrives before the source asks.
  Pair pair({.width = 1, .latency = 1, .capacity = 1, .allow_small_capacity = true}, true);
  pair.source->asks = true;
  pair.source->total = 5;
  pair.run(40);
  EXPECT_EQ(pair.source->sent_at, (std::vector<Cycle>{1, 3, 5, 7, 9}));
}

TEST(Link, RefusesASmallCapacityUnlessAskedFor) {
  ClockTree tree;
  ClockDomain core("core", tree, 1000000);
  ClockGate gate(core);
  EXPECT_THROW(TimedSink("sink", gate, {.width = 1, .latency = 2, .capacity = 2}), Error);
}

TEST(Link, DoesNotDependOnTheOrderOfConstruction) {
  Pair pair({.width = 1, .latency = 1}, true);
  pair.source->total = 5;
  pair.run(40);
  EXPECT_EQ(pair.source->sent_at, (std::vector<Cycle>{1, 2, 3, 4, 5}));
  EXPECT_EQ(pair.sink->got.front().second, 2u);
}

}  // namespace
}  // namespace heddle
