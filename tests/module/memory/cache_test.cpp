// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/module/memory/cache_fixture.h"

namespace heddle::memory {
namespace {

TEST_F(CacheTest, AMissTakesLookupMemoryAndFillAndAHitLookupAndData) {
  build(l1());
  const auto miss = shooter().load(10, 0x1000);
  const auto hit = shooter().load(200, 0x1000);
  run_to(400);
  // Look-up 3 cycles after arrival, request below in that cycle, memory, reply one cycle after the line came.
  EXPECT_EQ(shooter().latency(miss), 3 + kMemory + 1);
  EXPECT_EQ(shooter().latency(hit), 3 + 2u);
  EXPECT_EQ(cache_->counts().read_misses.value(), 1u);
  EXPECT_EQ(cache_->counts().read_hits.value(), 1u);
  expect_conservation();
}

TEST_F(CacheTest, MissAndFillLatencyAddToAMiss) {
  auto p = l1();
  p.miss_latency = 7;
  p.fill_latency = 5;
  build(p);
  const auto miss = shooter().load(10, 0x1000);
  run_to(400);
  EXPECT_EQ(shooter().latency(miss), 3 + 7 + kMemory + 5);
}

TEST_F(CacheTest, HitsStreamAtOneACycle) {
  build(l1());
  shooter().load(10, 0x1000);
  for (unsigned i = 0; i < 50; ++i) shooter().load(100, 0x1000);
  run_to(400);
  for (std::size_t i = 1; i <= 50; ++i) {
    EXPECT_EQ(shooter().sent(i), 100 + i - 1);
    EXPECT_EQ(shooter().latency(i), 5u);
  }
  expect_conservation();
}

TEST_F(CacheTest, ASecondRequestForALineOnItsWayAsksNothingBelow) {
  build(l1());
  const auto first = shooter().load(10, 0x1000, 1);
  const auto second = shooter().load(11, 0x1000, 2);
  const auto late = shooter().load(62, 0x1000, 3);
  run_to(400);
  EXPECT_EQ(shooter().replied(first), 10 + 3 + kMemory + 1);
  EXPECT_EQ(shooter().replied(second), shooter().replied(first) + 1) << "one reply a cycle";
  EXPECT_EQ(shooter().replied(late), 62 + 5u) << "looked up after the fill";
  EXPECT_EQ(cache_->counts().read_merges.value(), 1u);
  EXPECT_EQ(memory_->counts().requests.value(), 1u);
  expect_conservation();
}

TEST_F(CacheTest, WithoutMergingBetweenWarpsEachWarpAsksForItself) {
  auto p = l1();
  p.miss_table.merge_across_owners = false;
  build(p);
  shooter().load(10, 0x1000, 1);
  shooter().load(11, 0x1000, 2);
  shooter().load(12, 0x1000, 1);
  run_to(400);
  EXPECT_EQ(cache_->counts().read_misses.value(), 2u);
  EXPECT_EQ(cache_->counts().read_merges.value(), 1u);
  EXPECT_EQ(memory_->counts().requests.value(), 2u);
  expect_conservation();
}

TEST_F(CacheTest, AFullMissTableHoldsTheNextMissUntilAnEntryFrees) {
  auto p = l1();
  p.miss_table.entries = 2;
  build(p);
  for (unsigned i = 0; i < 3; ++i) shooter().load(10, 0x1000 + 128 * i);
  run_to(400);
  const Cycle first = 10 + 3 + kMemory + 1;
  EXPECT_EQ(shooter().replied(0), first);
  EXPECT_EQ(shooter().replied(1), first + 1);
  // Looked up again in the cycle in which the first line filled and its reply left.
  EXPECT_EQ(shooter().replied(2), first + kMemory + 1);
  EXPECT_EQ(cache_->counts().stalls.miss_table.value(), first - (12 + 3));
  EXPECT_EQ(cache_->counts().most_misses.value(), 2u);
  expect_conservation();
}

TEST_F(CacheTest, AFullEntryHoldsTheNextRequestForItsLine) {
  auto p = l1();
  p.miss_table.requests_per_entry = 2;
  build(p);
  for (unsigned i = 0; i < 3; ++i) shooter().load(10, 0x1000);
  run_to(400);
  const Cycle first = 10 + 3 + kMemory + 1;
  EXPECT_EQ(shooter().replied(2), first + 2) << "a hit by then";
  EXPECT_EQ(cache_->counts().stalls.merge.value(), first - (12 + 3));
  EXPECT_EQ(cache_->counts().read_hits.value(), 1u);
  expect_conservation();
}

TEST_F(CacheTest, ASetWhoseLinesAreAllOnTheirWayHoldsTheNextMiss) {
  auto p = l1();
  p.tags.sets = 1;
  p.tags.ways = 2;
  build(p);
  for (unsigned i = 0; i < 3; ++i) shooter().load(10, 0x1000 + 128 * i);
  run_to(400);
  const Cycle first = 10 + 3 + kMemory + 1;
  EXPECT_EQ(shooter().replied(2), first + kMemory + 1);
  EXPECT_EQ(cache_->counts().stalls.ways.value(), first - (12 + 3));
  expect_conservation();
}

TEST_F(CacheTest, LinesThatGetTheirPlaceWhenTheyComeHoldNobodyUp) {
  auto p = l1();
  p.tags.sets = 1;
  p.tags.ways = 2;
  p.allocate = Allocate::on_fill;
  build(p);
  for (unsigned i = 0; i < 3; ++i) shooter().load(10, 0x1000 + 128 * i);
  const auto gone = shooter().load(300, 0x1000);  // the third took the place of the first
  const auto kept = shooter().load(301, 0x1000 + 256);
  run_to(600);
  const Cycle first = 10 + 3 + kMemory + 1;
  EXPECT_EQ(shooter().replied(0), first);
  EXPECT_EQ(shooter().replied(2), first + 2) << "one after the other";
  EXPECT_EQ(cache_->counts().stalls.ways.value(), 0u);
  EXPECT_EQ(shooter().latency(gone), 3 + kMemory + 1);
  EXPECT_LT(shooter().latency(kept), kMemory);
  EXPECT_EQ(cache_->counts().evictions.value(), 2u);
  expect_conservation();
}

TEST_F(CacheTest, ADirtyLineThatAFillDisplacesIsWrittenBelow) {
  auto p = l1();
  p.tags.sets = p.tags.ways = 1;
  p.allocate = Allocate::on_fill;
  p.allocate_on_store = true;
  build(p);
  shooter().store(10, 0x1000, true);
  shooter().load(100, 0x2000);
  run_to(400);
  EXPECT_EQ(cache_->counts().write_backs.value(), 1u);
  EXPECT_EQ(memory_->counts().written_bytes.value(), 128u);
  expect_conservation();
}

TEST_F(CacheTest, AGlobalStoreIsWrittenThroughAndEvictsTheLineItHits) {
  build(l1());
  shooter().load(10, 0x1000);
  const auto store = shooter().store(100, 0x1000, false, 32);
  const auto load = shooter().load(200, 0x1000);
  run_to(400);
  EXPECT_EQ(shooter().latency(store), 3 + kMemory + 1);
  EXPECT_EQ(shooter().latency(load), 3 + kMemory + 1) << "the line went";
  EXPECT_EQ(cache_->counts().evictions.value(), 1u);
  EXPECT_EQ(memory_->counts().written_bytes.value(), 32u);
  expect_conservation();
}

TEST_F(CacheTest, AGlobalStoreMayUpdateTheLineItHits) {
  auto p = l1();
  p.store_hit = StoreHit::update;
  build(p);
  shooter().load(10, 0x1000);
  shooter().store(100, 0x1000, false, 32);
  const auto load = shooter().load(200, 0x1000);
  run_to(400);
  EXPECT_EQ(shooter().latency(load), 5u);
  EXPECT_EQ(memory_->counts().written_bytes.value(), 32u);
  expect_conservation();
}

TEST_F(CacheTest, AStoreThatMissesAllocatesNothingInAnL1) {
  build(l1());
  shooter().store(10, 0x1000);
  shooter().store(11, 0x2000, true);
  const auto load = shooter().load(200, 0x1000);
  run_to(400);
  EXPECT_EQ(shooter().latency(load), 3 + kMemory + 1);
  EXPECT_EQ(memory_->counts().written_bytes.value(), 256u);
  expect_conservation();
}

TEST_F(CacheTest, ALocalStoreThatHitsStaysAndIsWrittenBackOnEviction) {
  auto p = l1();
  p.tags.sets = 1;
  p.tags.ways = 1;
  build(p);
  shooter().load(10, 0x1000);
  const auto store = shooter().store(100, 0x1000, true);
  const auto evicting = shooter().load(200, 0x2000);
  run_to(400);
  EXPECT_EQ(shooter().latency(store), 5u);
  EXPECT_EQ(shooter().latency(evicting), 3 + kMemory + 1) << "the fetch goes before the write-back";
  EXPECT_EQ(cache_->counts().write_backs.value(), 1u);
  EXPECT_EQ(memory_->counts().written_bytes.value(), 128u);
  EXPECT_EQ(memory_->counts().requests.value(), 3u);
  expect_conservation();
}

TEST_F(CacheTest, AnL2AllocatesOnStoreAndFetchesOnlyWhatTheStoreLeaves) {
  build(l2());
  const auto whole = shooter().store(10, 0x1000, false, 128);
  const auto part = shooter().store(11, 0x2000, false, 32);
  const auto holes = shooter().shoot({12, AccessKind::store, 0x3000, 128, 0, false, true});
  const auto load = shooter().load(200, 0x1000);
  run_to(400);
  EXPECT_EQ(shooter().latency(whole), 1u);
  EXPECT_EQ(shooter().latency(part), 1 + kMemory + 1);
  EXPECT_EQ(shooter().latency(holes), 1 + kMemory + 1);
  EXPECT_EQ(shooter().latency(load), 1u);
  EXPECT_EQ(memory_->counts().read_bytes.value(), 256u);
  EXPECT_EQ(memory_->counts().written_bytes.value(), 0u);
  expect_conservation();
}

TEST_F(CacheTest, AStoreMissMarksItsLineDirtyWhenItArrives) {
  auto p = l2();
  p.tags.sets = 1;
  p.tags.ways = 1;
  build(p);
  shooter().store(10, 0x1000, false, 32);
  shooter().load(200, 0x2000);
  run_to(400);
  EXPECT_EQ(memory_->counts().written_bytes.value(), 128u);
  expect_conservation();
}

TEST_F(CacheTest, AtomicsAreDoneInTheL2OneEveryInterval) {
  auto p = l2();
  p.atomic_interval = 4;
  build(p);
  shooter().load(10, 0x1000);
  for (unsigned i = 0; i < 3; ++i) shooter().shoot({200, AccessKind::atomic, 0x1000, 32});
  run_to(400);
  EXPECT_EQ(shooter().replied(1), 201u);
  EXPECT_EQ(shooter().replied(2), 205u);
  EXPECT_EQ(shooter().replied(3), 209u);
  EXPECT_EQ(cache_->counts().atomics.value(), 3u);
  expect_conservation();
}

TEST_F(CacheTest, AtomicsThatMissAreDoneWhenTheLineArrivesAndLeaveItDirty) {
  auto p = l2();
  p.tags.sets = 1;
  p.tags.ways = 1;
  build(p);
  const auto atomic = shooter().shoot({10, AccessKind::reduction, 0x1000, 32});
  shooter().load(200, 0x2000);
  run_to(400);
  EXPECT_EQ(shooter().latency(atomic), 1 + kMemory + 1);
  EXPECT_EQ(memory_->counts().written_bytes.value(), 128u);
  expect_conservation();
}

TEST_F(CacheTest, AnL1PassesAtomicsOnAndDropsTheLine) {
  auto p = l1();
  p.store_hit = StoreHit::update;
  build(p);
  shooter().load(10, 0x1000);
  const auto atomic = shooter().shoot({100, AccessKind::atomic, 0x1000, 32});
  const auto load = shooter().load(200, 0x1000);
  run_to(400);
  EXPECT_EQ(shooter().latency(atomic), 3 + kMemory + 1);
  EXPECT_EQ(shooter().latency(load), 3 + kMemory + 1);
  expect_conservation();
}

TEST_F(CacheTest, ACoherentLoadPassesACacheOfOneSmAndLeavesItsLine) {
  build(l1(), 1, 4096, true);
  cache_->preload(0x1000);
  const auto passes = shooter().shoot({10, AccessKind::load, 0x1000, 128, 0, false, false, false, true});
  const auto absent = shooter().shoot({100, AccessKind::load, 0x8000, 128, 0, false, false, false, true});
  const auto hits = shooter().load(200, 0x1000), misses = shooter().load(300, 0x8000);
  run_to(400);
  EXPECT_EQ(shooter().latency(passes), 3 + kMemory + 1);
  EXPECT_EQ(shooter().latency(absent), 3 + kMemory + 1);
  EXPECT_EQ(shooter().latency(hits), 5u);
  EXPECT_EQ(shooter().latency(misses), 3 + kMemory + 1);
  EXPECT_EQ(cache_->counts().reads_passed.value(), 2u);
  EXPECT_EQ(cache_->counts().read_hits.value(), 1u);
  EXPECT_EQ(cache_->counts().read_misses.value(), 1u);
  expect_conservation();
}

TEST_F(CacheTest, ACoherentLoadOfADirtyLineWritesItBelowFirst) {
  auto p = l1();
  p.global_store = WritePolicy::write_back;
  p.allocate_on_store = true;
  build(p, 1, 4096, true);
  shooter().store(10, 0x1000);
  shooter().shoot({100, AccessKind::load, 0x1000, 128, 0, false, false, false, true});
  run_to(300);
  EXPECT_EQ(cache_->counts().write_backs.value(), 1u);
  EXPECT_EQ(memory_->counts().written_bytes.value(), 128u);
  EXPECT_EQ(memory_->counts().read_bytes.value(), 128u);
  expect_conservation();
}

TEST_F(CacheTest, ALevelThatSmsShareAnswersACoherentLoad) {
  build(l2());
  cache_->preload(0x1000);
  const auto load = shooter().shoot({10, AccessKind::load, 0x1000, 128, 0, false, false, false, true});
  run_to(100);
  EXPECT_LT(shooter().latency(load), kMemory);
  EXPECT_EQ(cache_->counts().read_hits.value(), 1u);
  expect_conservation();
}

TEST_F(CacheTest, SectorsAreFetchedOneByOneAndOnlyOnce) {
  auto p = l1();
  p.tags.sector_bytes = 32;
  build(p);
  const auto first = shooter().load(10, 0x1000, 0, 32);
  const auto rest = shooter().load(100, 0x1000, 0, 128);
  const auto all = shooter().load(200, 0x1000, 0, 128);
  run_to(400);
  EXPECT_EQ(shooter().latency(first), 3 + kMemory + 1);
  EXPECT_EQ(shooter().latency(rest), 3 + kMemory + 1);
  EXPECT_EQ(shooter().latency(all), 5u);
  EXPECT_EQ(memory_->counts().read_bytes.value(), 128u);
  EXPECT_EQ(memory_->counts().requests.value(), 2u) << "sectors 1 to 3 are one request";
  expect_conservation();
}

TEST_F(CacheTest, ASectorMissAroundAPresentSectorIsTwoRequests) {
  auto p = l1();
  p.tags.sector_bytes = 32;
  build(p);
  shooter().load(10, 0x1020, 0, 32);
  shooter().load(100, 0x1000, 0, 128);
  run_to(400);
  EXPECT_EQ(memory_->counts().requests.value(), 3u);
  EXPECT_EQ(memory_->counts().read_bytes.value(), 128u);
  expect_conservation();
}

TEST_F(CacheTest, ANarrowDataPortHoldsTheNextLookup) {
  auto p = l2();
  p.data_bytes_per_cycle = 32;
  build(p);
  shooter().load(10, 0x1000);
  for (unsigned i = 0; i < 3; ++i) shooter().load(200, 0x1000);
  run_to(400);
  EXPECT_EQ(shooter().replied(1), 201u);
  EXPECT_EQ(shooter().replied(2), 205u);
  EXPECT_EQ(shooter().replied(3), 209u);
  expect_conservation();
}

TEST_F(CacheTest, ANarrowFillPortHoldsTheNextFill) {
  auto p = l1();
  p.fill_bytes_per_cycle = 32;
  build(p);
  for (unsigned i = 0; i < 3; ++i) shooter().load(10, 0x1000 + 128 * i);
  run_to(400);
  const Cycle first = 10 + 3 + kMemory + 1;
  EXPECT_EQ(shooter().replied(0), first);
  EXPECT_EQ(shooter().replied(1), first + 4);
  EXPECT_EQ(shooter().replied(2), first + 8);
  expect_conservation();
}

TEST_F(CacheTest, AFullMissQueueHoldsTheNextMiss) {
  auto p = l1();
  p.miss_queue = 1;
  p.miss_latency = 0;
  p.ports = 4;
  build(p, 4);
  for (unsigned i = 0; i < 4; ++i) shooter(i).load(10, 0x1000 + 128 * i);
  run_to(400);
  // All four are looked up in cycle 13; one goes below a cycle.
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(shooter(i).replied(0), 13 + i + kMemory + 1);
  EXPECT_EQ(cache_->counts().stalls.miss_queue.value(), 0u + 1 + 1 + 2 + 1 + 1);
  expect_conservation();
}

TEST_F(CacheTest, RepliesThatAreNotTakenStopTheCacheAndNothingIsLost) {
  auto p = l1();
  p.reply_queue = 2;
  build(p);
  shooter().load(10, 0x1000);
  for (unsigned i = 0; i < 40; ++i) shooter().load(100, i % 4 == 0 ? 0x1000 + 128 * i : 0x1000);
  run_to(90);
  shooter().take_replies_from(400);
  run_to(399);
  EXPECT_EQ(shooter().answers(), 1u);
  run_to(1000);
  EXPECT_GT(cache_->counts().stalls.replies.value(), 0u);
  expect_conservation();
}

TEST_F(CacheTest, AReadOnlyCacheRefusesStores) {
  auto p = l1();
  p.read_only = true;
  build(p);
  const auto store = shooter().store(10, 0x1000);
  const auto load = shooter().shoot({11, AccessKind::constant, 0x1000, 64});
  run_to(400);
  EXPECT_EQ(shooter().status(store), tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_EQ(shooter().status(load), tlm::TLM_OK_RESPONSE);
  expect_conservation();
}

TEST_F(CacheTest, InvalidationDropsLinesAndWritesNothing) {
  build(l1());
  shooter().load(10, 0x1000);
  shooter().store(100, 0x1000, true);
  run_to(150);
  cache_->invalidate();
  const auto load = shooter().load(200, 0x1000);
  run_to(400);
  EXPECT_EQ(shooter().latency(load), 3 + kMemory + 1);
  EXPECT_EQ(memory_->counts().written_bytes.value(), 0u);
  expect_conservation();
}

TEST_F(CacheTest, APreloadedLineHits) {
  build(l2());
  cache_->preload(0x1000);
  const auto load = shooter().load(10, 0x1000);
  run_to(100);
  EXPECT_EQ(shooter().latency(load), 1u);
  expect_conservation();
}

TEST(CacheBelow, AHintSurvivesMergingUntilTheRequestHasLeft) {
  Bench bench;
  auto p = l1();
  p.miss_latency = 10;
  Cache cache("cache", bench.clock, p, bench.group("cache"), bench.services);
  Shooter shooter("shooter", bench.clock, 3);
  Sink sink("sink", bench.clock, 20);
  shooter.out().bind(cache.in());
  cache.out().bind(sink.in());
  shooter.load(10, 0x1000, 1);
  shooter.shoot({12, AccessKind::load, 0x1000, 128, 2, false, false, true});  // before the request leaves in 23
  shooter.load(100, 0x2000, 1);
  shooter.shoot({120, AccessKind::load, 0x2000, 128, 2, false, false, true});  // after
  bench.run_to(300);
  ASSERT_EQ(sink.seen().size(), 2u);
  EXPECT_EQ(sink.seen()[0].cycle, 23u);
  EXPECT_TRUE(sink.seen()[0].info.keep_row_open);
  EXPECT_FALSE(sink.seen()[1].info.keep_row_open);
  EXPECT_TRUE(shooter.all_answered());
}

TEST(CacheBelow, RequestsBelowSayWhoAskedAndForWhat) {
  Bench bench;
  auto p = l1();
  p.tags.sets = 1;
  p.tags.ways = 1;
  Cache cache("cache", bench.clock, p, bench.group("cache"), bench.services);
  Shooter shooter("shooter", bench.clock, 3);
  Sink sink("sink", bench.clock, 20);
  shooter.out().bind(cache.in());
  cache.out().bind(sink.in());
  shooter.shoot({10, AccessKind::load, 0x1010, 32, 5});
  shooter.shoot({100, AccessKind::store, 0x1000, 128, 6, true});
  shooter.shoot({200, AccessKind::load, 0x2000, 128, 7});
  shooter.shoot({300, AccessKind::atomic, 0x3040, 32, 8});
  bench.run_to(500);
  struct Expected {
    AccessKind kind;
    std::uint64_t address;
    unsigned bytes, warp;
  };
  const std::vector<Expected> expected = {{AccessKind::load, 0x1000, 128, 5},
                                          {AccessKind::load, 0x2000, 128, 7},
                                          {AccessKind::write_back, 0x1000, 128, 5},
                                          {AccessKind::atomic, 0x3040, 32, 8}};
  ASSERT_EQ(sink.seen().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(sink.seen()[i].info.kind, expected[i].kind) << i;
    EXPECT_EQ(sink.seen()[i].address, expected[i].address) << i;
    EXPECT_EQ(sink.seen()[i].bytes, expected[i].bytes) << i;
    EXPECT_EQ(sink.seen()[i].info.warp, expected[i].warp) << i;
    EXPECT_EQ(sink.seen()[i].info.sm, 3u) << i;
  }
}

TEST(CacheBelow, AnErrorBelowReachesEveryRequestThatWaitedAndLeavesNoLine) {
  Bench bench;
  Cache cache("cache", bench.clock, l1(), bench.group("cache"), bench.services);
  Shooter shooter("shooter", bench.clock);
  Sink sink("sink", bench.clock, 20);
  sink.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  shooter.out().bind(cache.in());
  cache.out().bind(sink.in());
  shooter.load(10, 0x1000);
  shooter.load(11, 0x1000);
  shooter.store(12, 0x2000);
  shooter.load(100, 0x1000);
  bench.run_to(300);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(shooter.status(i), tlm::TLM_ADDRESS_ERROR_RESPONSE) << i;
  EXPECT_EQ(cache.counts().read_misses.value(), 2u);
}

Requester warp(unsigned number) { return {SmId(0), WarpId(number)}; }

struct Recorder : CacheListener {
  std::vector<CacheEvent> events;
  void cache_event(const CacheEvent& event) override { events.push_back(event); }
};

TEST_F(CacheTest, ListenersHearEvictBeforeMissAndWhoOwnedTheLine) {
  auto p = l1();
  p.tags.sets = 1;
  p.tags.ways = 1;
  build(p);
  Recorder recorder;
  cache_->listen(recorder);
  shooter().load(10, 0x1000, 7);
  shooter().load(100, 0x1000, 8);
  shooter().load(200, 0x2000, 9);
  shooter().load(201, 0x2000, 5);
  shooter().store(300, 0x2000);
  run_to(500);
  using What = CacheEvent::What;
  struct Expected {
    What what;
    std::uint64_t address;
    unsigned requester, owner;
  };
  const std::vector<Expected> expected = {
      {What::miss, 0x1000, 7, 7},  {What::fill, 0x1000, 7, 7},  {What::hit, 0x1000, 8, 7},
      {What::evict, 0x1000, 9, 7}, {What::miss, 0x2000, 9, 9},  {What::merge, 0x2000, 5, 5},
      {What::fill, 0x2000, 9, 9},  {What::write, 0x2000, 0, 9}, {What::evict, 0x2000, 0, 9}};
  ASSERT_EQ(recorder.events.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(recorder.events[i].what, expected[i].what) << i;
    EXPECT_EQ(recorder.events[i].address, expected[i].address) << i;
    EXPECT_EQ(recorder.events[i].requester, warp(expected[i].requester)) << i;
    EXPECT_EQ(recorder.events[i].owner, warp(expected[i].owner)) << i;
  }
  EXPECT_EQ(recorder.events[0].cycle, 13u);
}

TEST_F(CacheTest, TheOwnerMayFollowAMerge) {
  auto p = l1();
  p.owner_follows_merge = true;
  build(p);
  Recorder recorder;
  cache_->listen(recorder);
  shooter().load(10, 0x1000, 7);
  shooter().load(11, 0x1000, 8);
  shooter().load(100, 0x1000, 9);
  run_to(200);
  EXPECT_EQ(recorder.events.back().owner, warp(8));
}

/// Writes that reach the memory when a write-back cache of one line evicts stored data, and the level below writes
/// global stores through and local stores back.
std::size_t written_below(bool local) {
  Bench bench;
  CacheParameters one_line = l1(), shared = l2();
  one_line.tags.sets = one_line.tags.ways = 1;
  one_line.global_store = one_line.local_store = WritePolicy::write_back;
  one_line.allocate_on_store = true;
  shared.executes_atomics = false;
  shared.global_store = WritePolicy::write_through;
  Cache above("above", bench.clock, one_line, bench.group("above"), bench.services);
  Cache below("below", bench.clock, shared, bench.group("below"), bench.services);
  Sink memory("memory", bench.clock, kMemory);
  Shooter shooter("shooter", bench.clock);
  Checked checked;
  checked.connect(shooter.out(), above.in());
  checked.connect(above.out(), below.in());
  checked.connect(below.out(), memory.in());
  shooter.store(10, 0x1000, local);
  shooter.load(100, 0x2000);
  bench.run_to(400);
  EXPECT_EQ(above.counts().write_backs.value(), 1u);
  checked.expect_silence();
  return static_cast<std::size_t>(std::count_if(memory.seen().begin(), memory.seen().end(), [](const Sink::Seen& seen) {
    return seen.info.kind == AccessKind::write_back && seen.address == 0x1000;
  }));
}

TEST(WriteBacks, OfGlobalMemoryAreStoresToGlobalMemoryForTheLevelBelow) { EXPECT_EQ(written_below(false), 1u); }

TEST(WriteBacks, OfLocalMemoryAreStoresToLocalMemoryForTheLevelBelow) { EXPECT_EQ(written_below(true), 0u); }

}  // namespace
}  // namespace heddle::memory
