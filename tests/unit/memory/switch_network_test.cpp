// SPDX-License-Identifier: Apache-2.0
#include "memory/network/switch_network.h"

#include <gtest/gtest.h>

#include <map>

namespace heddle::memory {
namespace {

class Network {
 public:
  Network(const NetworkParameters& parameters, unsigned inputs, unsigned outputs)
      : group_(owner_, "net"), network(parameters, inputs, outputs, group_), outputs_(outputs) {}

  void push(unsigned input, unsigned output, unsigned flits, unsigned id) {
    network.push(input, output, flits, reinterpret_cast<void*>(std::uintptr_t{id} + 1));
  }
  /// Runs cycles [from, to], accepting arrivals unless the output is held; records id -> cycle of arrival.
  void run(Cycle from, Cycle to) {
    for (Cycle now = from; now <= to; ++now) {
      for (unsigned output = 0; output < outputs_; ++output) {
        if (held_ == output) continue;
        if (auto token = network.arrived(output, now)) {
          arrived[static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(token) - 1)] = now;
          order.push_back(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(token) - 1));
          network.pop(output);
        }
      }
      network.cycle(now);
    }
  }

  StatisticsOwner owner_{"test"};
  StatisticsGroup group_;
  SwitchNetwork network;
  std::map<unsigned, Cycle> arrived;
  std::vector<unsigned> order;
  unsigned held_ = ~0U;

 private:
  unsigned outputs_;
};

TEST(NetworkParameters, FlitsCountHeaderAndData) {
  NetworkParameters parameters;  // flits of 40 bytes, headers of 8
  EXPECT_EQ(parameters.flits(0), 1u);
  EXPECT_EQ(parameters.flits(32), 1u);
  EXPECT_EQ(parameters.flits(33), 2u);
  EXPECT_EQ(parameters.flits(128), 4u);
}

TEST(SwitchNetwork, AnUnloadedPacketTakesItsFlitsAndTheLatency) {
  NetworkParameters parameters;
  parameters.latency = 3;
  Network net(parameters, 2, 2);
  net.push(0, 1, 1, 1);
  net.push(1, 0, 4, 2);
  net.run(10, 30);
  EXPECT_EQ(net.arrived[1], 10u + 1 - 1 + 3);
  EXPECT_EQ(net.arrived[2], 10u + 4 - 1 + 3);
}

TEST(SwitchNetwork, AnInputMovesOneFlitACycle) {
  Network net({}, 1, 4);
  for (unsigned i = 0; i < 4; ++i) net.push(0, i, 2, i);
  net.run(1, 30);
  EXPECT_EQ(net.arrived[3] - net.arrived[0], 6u);
  EXPECT_EQ(net.network.counts().flits.value(), 8u);
}

TEST(SwitchNetwork, DisjointPairsMoveSideBySide) {
  Network net({}, 4, 4);
  for (unsigned i = 0; i < 4; ++i) net.push(i, 3 - i, 4, i);
  net.run(1, 30);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(net.arrived[i], 1u + 4 - 1 + 1);
}

TEST(SwitchNetwork, OneOutputServesItsInputsInTurn) {
  Network net({}, 3, 1);
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned input = 0; input < 3; ++input) net.push(input, 0, 1, 10 * round + input);
  }
  net.run(1, 30);
  EXPECT_EQ(net.order, (std::vector<unsigned>{0, 1, 2, 10, 11, 12, 20, 21, 22}));
}

TEST(SwitchNetwork, FixedPriorityStarvesTheHigherInputs) {
  NetworkParameters parameters;
  parameters.arbiter.choose("fixed_priority");
  Network net(parameters, 3, 1);
  for (unsigned round = 0; round < 2; ++round) {
    for (unsigned input = 0; input < 3; ++input) net.push(input, 0, 1, 10 * round + input);
  }
  net.run(1, 30);
  EXPECT_EQ(net.order, (std::vector<unsigned>{0, 10, 1, 11, 2, 12}));
}

TEST(SwitchNetwork, RoundRobinServesEachOutputsInputsInTurnAndOutputsInTurn) {
  NetworkParameters parameters;
  parameters.arbiter.choose("round_robin");
  Network net(parameters, 3, 1);
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned input = 0; input < 3; ++input) net.push(input, 0, 1, 10 * round + input);
  }
  net.run(1, 30);
  EXPECT_EQ(net.order, (std::vector<unsigned>{0, 1, 2, 10, 11, 12, 20, 21, 22}));
  // One input wanted by two outputs: the output that chooses first changes every cycle.
  Network two(parameters, 1, 2);
  for (unsigned i = 0; i < 3; ++i) {
    two.push(0, 0, 1, 10 + i);
    two.push(0, 1, 1, 20 + i);
  }
  two.run(1, 30);
  EXPECT_EQ(two.order, (std::vector<unsigned>{10, 20, 11, 21, 12, 22}));
}

TEST(SwitchNetwork, OldestFirstStartsThePacketThatWaitedLongest) {
  NetworkParameters parameters;
  parameters.arbiter.choose("oldest_first");
  Network net(parameters, 3, 1);
  for (const unsigned input : {2, 2, 0, 1, 2, 0})
    net.push(input, 0, 1, input + 10 * static_cast<unsigned>(net.network.packets()));
  net.run(1, 30);
  EXPECT_EQ(net.order, (std::vector<unsigned>{2, 12, 20, 31, 42, 50}));
}

TEST(SwitchNetwork, OldestFirstGivesAnInputsOtherPacketWayToAFreeOutput) {
  NetworkParameters parameters;
  parameters.arbiter.choose("oldest_first");
  Network net(parameters, 2, 2);
  net.push(0, 0, 1, 1);  // oldest: input 0 to output 0
  net.push(0, 1, 1, 2);  // its input is taken
  net.push(1, 0, 1, 3);  // its output is taken
  net.push(1, 1, 1, 4);  // remaining: starts together with the first
  net.run(1, 30);
  EXPECT_EQ(net.arrived[1], net.arrived[4]);
  EXPECT_EQ(net.arrived[2], net.arrived[3]);
  EXPECT_EQ(net.arrived[2], net.arrived[1] + 1);
}

TEST(SwitchNetwork, EveryArbiterMovesEveryPacketAndKeepsTheOrderOfAPair) {
  for (const char* arbiter : {"islip", "round_robin", "oldest_first", "fixed_priority"}) {
    for (const bool queues : {true, false}) {
      NetworkParameters parameters;
      parameters.arbiter.choose(arbiter);
      parameters.virtual_output_queues = queues;
      parameters.input_buffer = 400;
      Network net(parameters, 5, 3);
      std::vector<std::vector<unsigned>> sent(15), got(15);
      for (unsigned id = 0; id < 300; ++id) {
        const unsigned input = (id * 7) % 5, output = (id * id) % 3;
        net.push(input, output, 1 + id % 4, id);
        sent[3 * input + output].push_back(id);
      }
      net.run(1, 2000);
      ASSERT_EQ(net.order.size(), 300u) << arbiter;
      for (const unsigned id : net.order) got[3 * ((id * 7) % 5) + (id * id) % 3].push_back(id);
      EXPECT_EQ(got, sent) << arbiter;
    }
  }
}

TEST(SwitchNetwork, PortsThatAreNeverFreeTogetherAreKeptForAPacketThatWaitedLong) {
  for (const char* arbiter : {"islip", "round_robin", "oldest_first"}) {
    NetworkParameters parameters;
    parameters.arbiter.choose(arbiter);
    parameters.input_buffer = 1000;
    Network net(parameters, 2, 2);
    // Input 0 starts a packet to output 1, and two cycles later input 1 one to output 0, forever.
    for (unsigned id = 0; id < 200; ++id) net.push(0, 1, 4, 1000 + id);
    net.run(1, 2);
    for (unsigned id = 0; id < 200; ++id) net.push(1, 0, 4, 2000 + id);
    net.run(3, 3);
    for (unsigned id = 0; id < 4; ++id) net.push(0, 0, 4, id);
    net.run(4, 2000);
    Cycle most = 0, before = 4;
    for (unsigned id = 0; id < 4; ++id) {
      ASSERT_EQ(net.arrived.count(id), 1u) << arbiter;
      most = std::max(most, net.arrived[id] - before);
      before = net.arrived[id];
    }
    EXPECT_LE(most, 12 * 4u) << arbiter;
    EXPECT_EQ(net.order.size(), 404u) << arbiter;
  }
}

TEST(SwitchNetwork, UtilisationIsTheFlitsOfEachPortInTheCyclesThatPassed) {
  Network net({}, 2, 4);
  net.push(0, 1, 4, 1);
  net.push(0, 1, 4, 2);
  net.push(1, 3, 2, 3);
  net.run(1, 40);
  net.network.settle(20);
  net.network.settle(50);
  const auto& counts = net.network.counts();
  EXPECT_EQ(counts.cycles.value(), 50u);
  EXPECT_EQ(counts.input_busy.bucket(0), 8u);
  EXPECT_EQ(counts.input_busy.bucket(1), 2u);
  EXPECT_EQ(counts.output_busy.bucket(1), 8u);
  EXPECT_EQ(counts.output_busy.bucket(3), 2u);
  EXPECT_EQ(counts.output_busy.total(), counts.flits.value());
  const StatisticsView view(net.owner_.data());
  const auto derived = [&](const std::string& name) {
    for (const auto& one : net.owner_.derived()) {
      if (one.name == name) return one.formula(view);
    }
    ADD_FAILURE() << name;
    return 0.0;
  };
  EXPECT_DOUBLE_EQ(derived("net.input_utilisation"), 10 / (2 * 50.0));
  EXPECT_DOUBLE_EQ(derived("net.output_utilisation"), 10 / (4 * 50.0));
  EXPECT_DOUBLE_EQ(derived("net.busiest_input"), 8 / 50.0);
  EXPECT_DOUBLE_EQ(derived("net.busiest_output"), 8 / 50.0);
}

TEST(SwitchNetwork, VirtualOutputQueuesPassABlockedHead) {
  for (bool queues : {true, false}) {
    NetworkParameters parameters;
    parameters.virtual_output_queues = queues;
    parameters.output_buffer = 1;
    Network net(parameters, 1, 2);
    net.held_ = 0;
    net.push(0, 0, 1, 0);
    net.push(0, 0, 1, 1);  // output 0 has no more room
    net.push(0, 1, 1, 2);
    net.run(1, 20);
    EXPECT_EQ(net.arrived.count(2), queues ? 1u : 0u);
    net.held_ = ~0U;
    net.run(21, 40);
    EXPECT_EQ(net.arrived.size(), 3u);
  }
}

TEST(SwitchNetwork, AFullOutputHoldsPacketsAndNextStartWaitsForAPop) {
  NetworkParameters parameters;
  parameters.output_buffer = 2;
  Network net(parameters, 1, 1);
  net.held_ = 0;
  for (unsigned i = 0; i < 3; ++i) net.push(0, 0, 1, i);
  net.run(1, 10);
  EXPECT_EQ(net.network.counts().packets.value(), 2u);
  EXPECT_EQ(net.network.cycle(10), kNever);
  net.network.pop(0);
  EXPECT_EQ(net.network.cycle(11), kNever);
  EXPECT_EQ(net.network.counts().packets.value(), 3u);
}

TEST(SwitchNetwork, RoomCountsThePacketsThatWaitAtAnInput) {
  NetworkParameters parameters;
  parameters.input_buffer = 2;
  Network net(parameters, 1, 2);
  net.push(0, 0, 1, 0);
  EXPECT_TRUE(net.network.room(0));
  net.push(0, 1, 1, 1);
  EXPECT_FALSE(net.network.room(0));
  net.network.cycle(1);
  EXPECT_TRUE(net.network.room(0));
}

TEST(SwitchNetwork, IslipKeepsAllPortsOfAUniformLoadBusy) {
  // With every queue full, iSLIP's pointers move apart until all ports work in every cycle.
  NetworkParameters parameters;
  parameters.input_buffer = 400;
  Network net(parameters, 4, 4);
  unsigned id = 0;
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned o = 0; o < 4; ++o) {
      for (unsigned k = 0; k < 100; ++k) net.push(i, o, 1, id++);
    }
  }
  net.run(1, 420);
  EXPECT_EQ(net.arrived.size(), 1600u);
  Cycle last = 0;
  for (const auto& [packet, cycle] : net.arrived) last = std::max(last, cycle);
  EXPECT_LE(last, 400u + 8);
}

}  // namespace
}  // namespace heddle::memory
