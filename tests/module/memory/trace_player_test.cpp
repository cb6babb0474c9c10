// SPDX-License-Identifier: Apache-2.0
#include "memory/trace_player.h"

#include "tests/module/memory/bench.h"

namespace heddle::memory {
namespace {

TraceAccess access(TraceKind kind, std::uint64_t address, std::uint32_t bytes, Cycle at = 0) {
  TraceAccess one;
  one.kind = kind;
  one.address = address;
  one.bytes = bytes;
  one.at = at;
  return one;
}

/// A trace on targets that answer after 10 cycles.
class TracePlayerTest : public ::testing::Test {
 protected:
  void play(const TracePlayerSetting& setting, std::vector<TraceAccess> trace, unsigned ports = 1, Cycle latency = 10) {
    trace_ = std::move(trace);
    player_ = std::make_unique<TracePlayer>("trace", bench_.clock, ports, setting, bench_.services.statistics);
    for (unsigned i = 0; i < ports; ++i) {
      sinks_.push_back(std::make_unique<Sink>(("sink" + std::to_string(i)).c_str(), bench_.clock, latency));
      checked_.connect(player_->out(i), sinks_.back()->in());
    }
    player_->play(trace_, [](const TraceAccess& one, std::uint64_t) { return one.port.number(); });
    bench_.run_to(500);
    EXPECT_TRUE(player_->done());
    checked_.expect_silence();
  }
  const TraceTimes& times(std::size_t i) const { return player_->times()[i]; }
  const std::vector<Sink::Seen>& seen(unsigned port = 0) const { return sinks_[port]->seen(); }

  Bench bench_;
  Checked checked_;
  std::vector<TraceAccess> trace_;
  std::unique_ptr<TracePlayer> player_;
  std::vector<std::unique_ptr<Sink>> sinks_;
};

TEST_F(TracePlayerTest, AnAccessLeavesInItsCycleOrAsSoonAsItsSocketAllows) {
  play({}, {access(TraceKind::read, 0, 128, 100), access(TraceKind::read, 128, 128),
            access(TraceKind::read, 256, 128, 50), access(TraceKind::read, 384, 128, 200)});
  EXPECT_EQ(times(0).begin, 100u);
  EXPECT_EQ(times(0).end, 110u);
  EXPECT_EQ(times(1).begin, 101u) << "behind the one before it";
  EXPECT_EQ(times(2).begin, 102u) << "not before its cycle, and in order";
  EXPECT_EQ(times(3).begin, 200u);
  EXPECT_EQ(times(3).end, 210u);
}

TEST_F(TracePlayerTest, SocketsDoNotWaitForEachOther) {
  auto late = access(TraceKind::read, 0, 4, 90);
  late.port = SmId(1);
  play({}, {late, access(TraceKind::read, 0, 4)}, 2);
  EXPECT_EQ(times(0).begin, 90u);
  EXPECT_EQ(times(1).begin, 1u);
}

TEST_F(TracePlayerTest, ALimitOfOneMakesAChain) {
  play({128, 1},
       {access(TraceKind::read, 0, 128), access(TraceKind::read, 128, 128, 5), access(TraceKind::read, 0, 4)});
  EXPECT_EQ(times(0).begin, 1u);
  EXPECT_EQ(times(0).end, 11u);
  EXPECT_EQ(times(1).begin, 12u) << "the cycle in which the reply is seen";
  EXPECT_EQ(times(2).begin, 23u);
}

TEST_F(TracePlayerTest, AnAccessOverSeveralLinesIsARequestForEachAndEndsWithTheLast) {
  play({64, 0}, {access(TraceKind::write, 0x1030, 128), access(TraceKind::read, 0x2000, 64)});
  ASSERT_EQ(seen().size(), 4u);
  EXPECT_EQ(seen()[0].address, 0x1030u);
  EXPECT_EQ(seen()[0].bytes, 16u);
  EXPECT_EQ(seen()[1].address, 0x1040u);
  EXPECT_EQ(seen()[1].bytes, 64u);
  EXPECT_EQ(seen()[2].address, 0x1080u);
  EXPECT_EQ(seen()[2].bytes, 48u);
  EXPECT_EQ(seen()[3].bytes, 64u);
  EXPECT_EQ(times(0).begin, 1u);
  EXPECT_EQ(times(0).end, 13u);
  EXPECT_EQ(times(1).begin, 4u);
  EXPECT_EQ(player_->counts().requests.value(), 4u);
  EXPECT_EQ(player_->counts().bytes.value(), 192u);
}

TEST_F(TracePlayerTest, KindSourceAndHintTravelWithTheRequest) {
  auto one = access(TraceKind::atomic, 0, 4);
  one.source = WarpId(77);
  one.hint = true;
  play({}, {one, access(TraceKind::reduction, 0, 4), access(TraceKind::write, 0, 4), access(TraceKind::read, 0, 4)});
  EXPECT_EQ(seen()[0].info.kind, AccessKind::atomic);
  EXPECT_EQ(seen()[0].info.warp, 77u);
  EXPECT_TRUE(seen()[0].info.keep_row_open);
  EXPECT_EQ(seen()[1].info.kind, AccessKind::reduction);
  EXPECT_FALSE(seen()[1].info.keep_row_open);
  EXPECT_EQ(seen()[2].info.kind, AccessKind::store);
  EXPECT_EQ(seen()[3].info.kind, AccessKind::load);
  const TraceCounts& counts = player_->counts();
  EXPECT_EQ(counts.reads.value(), 1u);
  EXPECT_EQ(counts.writes.value(), 1u);
  EXPECT_EQ(counts.atomics.value(), 2u);
  EXPECT_EQ(counts.read_latency.total(), 1u);
  EXPECT_EQ(counts.atomic_latency.bucket(counts.atomic_latency.bucket_of(10)), 2u);
}

TEST_F(TracePlayerTest, ATargetThatTakesNothingHoldsTheTrace) {
  trace_ = {};
  player_ = std::make_unique<TracePlayer>("trace", bench_.clock, 1, TracePlayerSetting{}, bench_.services.statistics);
  Sink sink("sink", bench_.clock, 10);
  sink.takes_from = 100;
  sink.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  player_->out(0).bind(sink.in());
  for (unsigned i = 0; i < 5; ++i) trace_.push_back(access(TraceKind::read, 128 * i, 128));
  player_->play(trace_, [](const TraceAccess&, std::uint64_t) { return 0U; });
  bench_.run_to(99);
  EXPECT_EQ(times(2).begin, 3u) << "two in the queue, one at the door";
  EXPECT_EQ(times(3).begin, kNever);
  EXPECT_FALSE(player_->waits_for(1));
  bench_.run_to(200);
  EXPECT_TRUE(player_->done());
  EXPECT_EQ(player_->counts().refused.value(), 5u);
}

}  // namespace
}  // namespace heddle::memory
