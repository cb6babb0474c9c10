// SPDX-License-Identifier: Apache-2.0
#include "memory/network/crossbar.h"

#include "tests/module/memory/bench.h"

namespace heddle::memory {
namespace {

std::shared_ptr<const AddressMap> four_targets() {
  AddressMapParameters p;
  p.controllers = 4;
  p.division_bit = 8;
  return std::make_shared<const AddressMap>(p, ChannelGeometry{}, "map");
}

class CrossbarTest : public ::testing::Test {
 protected:
  void build(const CrossbarParameters& parameters, unsigned inputs, unsigned outputs, Cycle memory = 20) {
    crossbar_ = std::make_unique<Crossbar>(
        InterconnectSite{"crossbar", bench_.clock, bench_.clock, parameters, bench_.group("crossbar"), bench_.services,
                         InterconnectSetting{inputs, outputs, outputs == 1 ? nullptr : four_targets()}});
    for (unsigned i = 0; i < inputs; ++i) {
      shooters_.push_back(std::make_unique<Shooter>(("shooter" + std::to_string(i)).c_str(), bench_.clock, i));
      checked_.connect(shooters_.back()->out(), crossbar_->in(i));
    }
    for (unsigned i = 0; i < outputs; ++i) {
      sinks_.push_back(std::make_unique<Sink>(("sink" + std::to_string(i)).c_str(), bench_.clock, memory));
      checked_.connect(crossbar_->out(i), sinks_.back()->in());
    }
  }
  Shooter& shooter(unsigned i = 0) { return *shooters_[i]; }
  Sink& sink(unsigned i = 0) { return *sinks_[i]; }
  void expect_conservation() {
    std::size_t sent = 0, seen = 0;
    for (auto& s : shooters_) {
      EXPECT_TRUE(s->all_answered());
      EXPECT_EQ(s->pool().outstanding(), 0u);
      sent += s->answers();
    }
    for (auto& s : sinks_) seen += s->seen().size();
    EXPECT_EQ(sent, seen);
    EXPECT_EQ(crossbar_->requests().counts().packets.value(), sent);
    EXPECT_EQ(crossbar_->replies().counts().packets.value(), sent);
    EXPECT_EQ(crossbar_->requests().packets() + crossbar_->replies().packets(), 0u);
    checked_.expect_silence();
  }

  Bench bench_;
  std::unique_ptr<Crossbar> crossbar_;
  std::vector<std::unique_ptr<Shooter>> shooters_;
  std::vector<std::unique_ptr<Sink>> sinks_;
  Checked checked_;
};

TEST_F(CrossbarTest, AnUnloadedRoundTripCountsFlitsAndLatencyBothWays) {
  CrossbarParameters p;
  p.request.latency = 3;
  p.reply.latency = 5;
  build(p, 2, 4);
  const auto load = shooter(0).load(10, 0x100);                // request 1 flit, reply 4
  const auto store = shooter(1).store(10, 0x200, false, 128);  // request 4 flits, reply 1
  bench_.run_to(200);
  // Arrival, one cycle to the switch, flits - 1 + latency through it.
  EXPECT_EQ(sink(1).seen()[0].cycle, 10 + 1 + 0 + 3u);
  EXPECT_EQ(sink(2).seen()[0].cycle, 10 + 1 + 3 + 3u);
  EXPECT_EQ(shooter(0).latency(load), (1 + 0 + 3) + 20 + (1 + 3 + 5u));
  EXPECT_EQ(shooter(1).latency(store), (1 + 3 + 3) + 20 + (1 + 0 + 5u));
  expect_conservation();
}

TEST_F(CrossbarTest, AddressesChooseTheOutputAndRepliesFindTheirWayBack) {
  build({}, 3, 4);
  for (unsigned i = 0; i < 60; ++i) shooter(i % 3).load(10, 256 * i + 16 * (i % 7), i);
  bench_.run_to(500);
  for (unsigned o = 0; o < 4; ++o) {
    EXPECT_EQ(sink(o).seen().size(), 15u);
    for (const auto& seen : sink(o).seen()) EXPECT_EQ((seen.address / 256) % 4, o);
  }
  expect_conservation();
}

TEST_F(CrossbarTest, OneOutputMovesOneReadReplyEveryFourFlits) {
  build({}, 4, 1, 2);
  for (unsigned s = 0; s < 4; ++s) {
    for (unsigned i = 0; i < 25; ++i) shooter(s).load(10, 4096 * s + 128 * i);
  }
  bench_.run_to(1000);
  Cycle first = kNever, last = 0;
  for (unsigned s = 0; s < 4; ++s) {
    for (std::size_t i = 0; i < 25; ++i) {
      first = std::min(first, shooter(s).replied(i));
      last = std::max(last, shooter(s).replied(i));
    }
  }
  EXPECT_EQ(last - first, 99 * 4u);
  expect_conservation();
}

TEST_F(CrossbarTest, EveryInputGetsItsShareOfABusyOutput) {
  build({}, 3, 1, 2);
  for (unsigned s = 0; s < 3; ++s) {
    for (unsigned i = 0; i < 30; ++i) shooter(s).store(10, 4096 * s + 128 * i);
  }
  bench_.run_to(180);  // in the middle of the load
  const std::size_t a = shooter(0).answers(), b = shooter(1).answers(), c = shooter(2).answers();
  EXPECT_GT(a, 5u);
  EXPECT_LE(std::max({a, b, c}) - std::min({a, b, c}), 1u);
  bench_.run_to(1000);
  expect_conservation();
}

TEST_F(CrossbarTest, ATargetThatTakesNothingFillsTheBuffersAndThenTheSocketsHold) {
  CrossbarParameters p;
  p.request.input_buffer = 2;
  p.request.output_buffer = 2;
  build(p, 1, 1);
  sink().takes_from = 300;
  for (unsigned i = 0; i < 20; ++i) shooter().load(10, 128 * i);
  bench_.run_to(299);
  // 2 in the sink's queue and 1 waiting for it, 2 at the output, 2 at the input, 2 in the socket, 1 waiting for the
  // crossbar.
  std::size_t sent = 0;
  for (std::size_t i = 0; i < 20; ++i) sent += shooter().sent(i) != kNever ? 1 : 0;
  EXPECT_EQ(sent, 2 + 1 + 2 + 2 + 2 + 1u);
  EXPECT_EQ(shooter().answers(), 0u);
  bench_.run_to(1000);
  expect_conservation();
}

TEST_F(CrossbarTest, RepliesThatAreNotTakenHoldOnlyTheirOwnPort) {
  CrossbarParameters p;
  p.reply.output_buffer = 2;
  build(p, 2, 4);
  for (unsigned i = 0; i < 30; ++i) {
    shooter(0).load(10, 256 * i);
    shooter(1).load(10, 256 * i);
  }
  shooter(0).take_replies_from(600);
  bench_.run_to(590);
  EXPECT_EQ(shooter(0).answers(), 0u);
  EXPECT_GT(shooter(1).answers(), 4u);
  bench_.run_to(2000);
  expect_conservation();
}

TEST_F(CrossbarTest, AtomicsCarryDataBothWaysAndReductionsOneWay) {
  build({}, 1, 1);
  shooter().shoot({10, AccessKind::atomic, 0x0, 128});
  shooter().shoot({100, AccessKind::reduction, 0x0, 128});
  bench_.run_to(300);
  EXPECT_EQ(crossbar_->requests().counts().flits.value(), 4 + 4u);
  EXPECT_EQ(crossbar_->replies().counts().flits.value(), 4 + 1u);
  expect_conservation();
}

}  // namespace
}  // namespace heddle::memory
