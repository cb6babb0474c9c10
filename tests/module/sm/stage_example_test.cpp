// SPDX-License-Identifier: Apache-2.0
// The example of docs/guide-stage.md between two test stages: transfers, cycles and counters.
#include "docs/examples/result_queue.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

namespace heddle::sm {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(std::string(HEDDLE_DOCS) + "/" + file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Unit : Stage {
  Unit(sc_core::sc_module_name module_name, ClockGate& g) : Stage(module_name, g), done("done", g, stage_number()) {
    wake(1);
  }
  void cycle() override {
    for (; next < packets.size() && done.can_send(); ++next) {
      PacketHandle packet = &packets[next];
      done.send(packet);
    }
    if (next < packets.size()) wake(now() + 1);
  }
  LinkOut<PacketHandle> done;
  std::vector<Packet> packets;
  std::size_t next = 0;
};

struct Writer : Stage {
  Writer(sc_core::sc_module_name module_name, ClockGate& g)
      : Stage(module_name, g), in("in", g, stage_number(), {.width = 1, .latency = 1}) {}
  void cycle() override {
    if (PacketHandle* packet = in.front()) {
      written.emplace_back(&**packet, now());
      in.pop();
    }
  }
  LinkIn<PacketHandle> in;
  std::vector<std::pair<Packet*, Cycle>> written;
};

class StageExample : public ::testing::Test {
 protected:
  StageExample() {
    connect(unit_.done, queue_.results);
    connect(queue_.to_writeback, writer_.in);
  }
  void run(unsigned packets) {
    unit_.packets.resize(packets);
    for (Packet& packet : unit_.packets) packet.op = &op_;
    sc_core::sc_start(core_.time_of(100));
  }
  ClockTree tree_;
  ClockDomain core_{"core", tree_, 1000000};
  ClockGate gate_{core_};
  Services services_;
  StatisticsOwner owner_{services_.statistics, "sm0", "sm"};
  SmParameters parameters_;
  SmContext context_{SmId(0), parameters_, gate_, services_, owner_};
  isa::MicroOp op_;
  Unit unit_{"unit", gate_};
  ResultQueue queue_{"queue", context_};
  Writer writer_{"writer", gate_};
};

TEST_F(StageExample, TakesACycleAndHoldsWhatWritebackCannotTake) {
  run(6);
  ASSERT_EQ(writer_.written.size(), 6u);
  for (unsigned i = 0; i < 6; ++i) {
    EXPECT_EQ(writer_.written[i].first, &unit_.packets[i]);
    EXPECT_EQ(writer_.written[i].second, 3 + i);  // sent in cycle 1, in the queue in 2, one a cycle at the writer
  }
  const auto total = services_.statistics.total();
  EXPECT_EQ(total.value("sm0.result_queue.passed"), 6);
  EXPECT_GT(total.value("sm0.result_queue.held"), 0);
}

TEST_F(StageExample, TheGuideShowsItWhole) {
  EXPECT_NE(text_of("guide-stage.md").find("```cpp\n" + text_of("examples/result_queue.h") + "```"), std::string::npos);
}

}  // namespace
}  // namespace heddle::sm
