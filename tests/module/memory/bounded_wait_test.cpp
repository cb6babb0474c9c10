// SPDX-License-Identifier: Apache-2.0
// Waits at arbiters are bounded, whatever the other requesters do: one class of requests saturates the resource, and
// the longest wait of another is measured.
#include <algorithm>
#include <string>

#include "memory/dram/memory_controller.h"
#include "memory/network/crossbar.h"
#include "memory/network/multiplexer.h"
#include "tests/module/memory/cache_fixture.h"

namespace heddle::memory {
namespace {

Cycle longest(const Shooter& shooter, std::size_t first, std::size_t count) {
  Cycle most = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    most = std::max(most, shooter.replied(i) == kNever ? kNever : shooter.latency(i));
  }
  return most;
}

TEST_F(CacheTest, AReplyToAMissLeavesWhileHitsTakeAReplyEachCycle) {
  auto p = l1();
  p.reply_queue = 64;
  build(p);
  cache_->preload(0x1000);
  std::vector<std::size_t> misses;
  for (unsigned i = 0; i < 2000; ++i) {
    if (i % 100 == 50) misses.push_back(shooter().load(100, 0x10000 + 128 * i));
    shooter().load(100, 0x1000);
  }
  run_to(2100);
  Cycle most = 0;
  for (const std::size_t miss : misses) {
    if (shooter().sent(miss) < 1900) most = std::max(most, longest(shooter(), miss, 1));
  }
  // The latency of an idle cache, plus the hits that were due by then.
  EXPECT_LE(most, 3 + kMemory + 1 + p.data_latency + 1);
  run_to(4000);
  expect_conservation();
}

TEST_F(CacheTest, AMissOfSeveralSectorsGetsItsEntriesWhileOthersTakeEachThatFrees) {
  auto p = l1();
  p.tags.sector_bytes = 32;
  p.miss_table.entries = 4;
  build(p, 3);
  for (unsigned i = 0; i < 1000; ++i) {
    shooter(1).load(20, 0x100000 + 128 * i, 0, 32);
    shooter(2).load(20, 0x200000 + 128 * i, 0, 32);
  }
  for (unsigned i = 0; i < 10; ++i) shooter(0).load(100 + 400 * i, 0x300000 + 128 * i);
  run_to(6000);
  // Up to four misses of each other socket return, then its own four.
  EXPECT_LE(longest(shooter(0), 0, 10), 4 * (kMemory + 10));
  run_to(80000);
  expect_conservation();
}

/// Streams of two sockets that hold the third's bank in step with its turns.
class BankWait : public CacheTest, public ::testing::WithParamInterface<unsigned> {};

TEST_P(BankWait, EverySocketIsServed) {
  auto p = l1();
  p.banks = 2;
  p.data_bytes_per_cycle = 64;
  build(p, 3);
  for (unsigned i = 0; i < 4; ++i) cache_->preload(128 * i);
  for (unsigned i = 0; i < 1000; ++i) {
    shooter(1).load(10, 128 * ((GetParam() & 1) != 0 ? i & 1 : 0));
    shooter(2).load(10, 128 * ((GetParam() & 2) != 0 ? i & 1 : 1));
  }
  for (unsigned i = 0; i < 50; ++i) shooter(0).load(30 + 7 * i, 128 * ((GetParam() & 4) != 0 ? i & 1 : 0));
  run_to(1500);
  // A look-up and the data, and a turn of the two others, each of which may hold the bank for two cycles.
  EXPECT_LE(longest(shooter(0), 0, 50), 5 + 2 * 3u);
  run_to(5000);
  expect_conservation();
}

INSTANTIATE_TEST_SUITE_P(Patterns, BankWait, ::testing::Range(0u, 8u));

class CrossbarWait : public ::testing::Test {
 protected:
  Bench bench_;
  Checked checked_;
};

/// The error response to a request without an output shares its socket with replies from below.
TEST_F(CrossbarWait, ARefusedRequestIsAnsweredWhileRepliesComeEachCycle) {
  AddressMapParameters map;
  map.controllers = 4;
  map.division_bit = 8;
  CrossbarParameters p;
  p.port_queue = 4;
  Crossbar crossbar(InterconnectSite{"crossbar",
                                     bench_.clock,
                                     bench_.clock,
                                     p,
                                     bench_.group("crossbar"),
                                     bench_.services,
                                     {1, 4, std::make_shared<const AddressMap>(map, ChannelGeometry{}, "map")}});
  Shooter shooter("shooter", bench_.clock);
  checked_.connect(shooter.out(), crossbar.in(0));
  std::vector<std::unique_ptr<Sink>> sinks;
  for (unsigned i = 0; i < 4; ++i) {
    sinks.push_back(std::make_unique<Sink>(("sink" + std::to_string(i)).c_str(), bench_.clock, 20));
    checked_.connect(crossbar.out(i), sinks.back()->in());
  }
  std::vector<std::size_t> spanning;
  for (unsigned i = 0; i < 2000; ++i) {
    if (i % 100 == 50) spanning.push_back(shooter.load(10, 256 * 4 - 16, 0, 32));
    shooter.load(10, 256 * i, 0, 32);
  }
  bench_.run_to(1900);
  Cycle most = 0;
  for (const std::size_t i : spanning) {
    if (shooter.sent(i) < 1800) most = std::max(most, longest(shooter, i, 1));
  }
  EXPECT_LE(most, 4u);
  bench_.run_to(4000);
  EXPECT_TRUE(shooter.all_answered());
  checked_.expect_silence();
}

TEST(MultiplexerWait, EveryInputGetsItsTurn) {
  Bench bench;
  Checked checked;
  Multiplexer multiplexer("multiplexer", bench.clock, {"a", "b", "c"}, bench.services, "mux");
  Sink sink("sink", bench.clock, 10, 4);
  std::vector<std::unique_ptr<Shooter>> shooters;
  for (unsigned i = 0; i < 3; ++i) {
    shooters.push_back(std::make_unique<Shooter>(("shooter" + std::to_string(i)).c_str(), bench.clock, i));
    checked.connect(shooters[i]->out(), multiplexer.in(i));
  }
  checked.connect(multiplexer.out(), sink.in());
  for (unsigned i = 0; i < 500; ++i) {
    shooters[1]->load(10, 128 * i);
    shooters[2]->load(10, 128 * i);
    if (i < 20) shooters[0]->load(50 + 10 * i, 128 * i);
  }
  bench.run_to(900);
  // A cycle each way, the memory, and a turn of the two others.
  EXPECT_LE(longest(*shooters[0], 0, 20), 1 + 10 + 1 + 2u);
  bench.run_to(2000);
  checked.expect_silence();
}

/// A socket of a controller, and a request that conflicts with a stream to the open row.
TEST(ControllerWait, ASocketAndARowGetTheirTurnUnderTheCap) {
  Bench bench;
  Checked checked;
  MemoryControllerParameters p;
  p.dram.geometry = {1, 4, 4, 4096, 64};
  p.dram.queue_entries = 8;
  p.dram.scheduler.choose("fr_fcfs_cap");
  MemoryController controller("mc0", bench.clock, p, bench.group("mc0"), bench.services,
                              MemoryControllerSetting{2, nullptr});
  Shooter other("other", bench.clock, 0), stream("stream", bench.clock, 1);
  checked.connect(other.out(), controller.in(0));
  checked.connect(stream.out(), controller.in(1));
  for (unsigned i = 0; i < 2000; ++i) stream.load(10, 64 * (i % 64), 0, 64);
  for (unsigned i = 0; i < 20; ++i) other.load(200 + 100 * i, std::uint64_t{65536} * (i + 1), 0, 64);
  bench.run_to(4000);
  // A turn at the full queue, then four requests to the open row, precharge, activate, read: below 100 cycles; and the
  // row of the one before may have been opened again in between.
  EXPECT_LE(longest(other, 0, 20), 250u);
  bench.run_to(40000);
  EXPECT_EQ(controller.busy(), 0u);
  checked.expect_silence();
}

}  // namespace
}  // namespace heddle::memory
