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

/// Sends 7, which counts for three transfers, and 8 behind it.
struct WideSource : Stage {
  WideSource(sc_core::sc_module_name module_name, ClockGate& g) : Stage(module_name, g), out("out", g, stage_number()) {
    wake(1);
  }
  void cycle() override {
    wake(now() + 1);
    int value = 7;
    if (now() == 1) out.send(value, 3);
    value = 8;
    if (now() == 2) out.send(value);
    room.push_back(out.room());
  }
  LinkOut<int> out;
  std::vector<unsigned> room;  ///< at the end of each cycle, from the first on
};

/// Takes nothing before cycle 4, in which it replaces the oldest transfer by these.
struct LateSink : Stage {
  LateSink(sc_core::sc_module_name module_name, ClockGate& g)
      : Stage(module_name, g),
        in("in", g, stage_number(), {.width = 4, .latency = 1, .capacity = 4, .allow_small_capacity = true}) {}
  void cycle() override {
    wake(now() + 1);
    if (now() < 4) return;
    if (now() == 4 && !parts.empty()) in.replace_front(parts);
    for (; const int* value = in.front(); in.pop()) got.push_back(*value);
  }
  LinkIn<int> in;
  std::vector<int> parts, got;
};

class Places : public ::testing::Test {
 protected:
  void run() {
    connect(source_.out, sink_.in);
    sc_core::sc_start(core_.time_of(7));
  }
  ClockTree tree_;
  ClockDomain core_{"core", tree_, 1000000};
  ClockGate gate_{core_};
  WideSource source_{"source", gate_};
  LateSink sink_{"sink", gate_};
};

TEST_F(Places, ATransferTakesAndReturnsTheCreditsOfThoseItCountsFor) {
  run();
  EXPECT_EQ(sink_.got, (std::vector<int>{7, 8}));
  // Four credits, which come back in cycle 4.
  EXPECT_EQ(source_.room, (std::vector<unsigned>{1, 0, 0, 0, 4, 4}));
}

TEST_F(Places, PartsTakeTheirPlaceInTheOrderOfTransfers) {
  sink_.parts = {1, 2, 3};
  run();
  EXPECT_EQ(sink_.got, (std::vector<int>{1, 2, 3, 8}));
}

TEST_F(Places, PartsOfAnotherNumberAreRefused) {
  connect(source_.out, sink_.in);
  sc_core::sc_start(core_.time_of(3));
  std::vector<int> parts{1, 2};
  EXPECT_THROW(sink_.in.replace_front(parts), Error);
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
