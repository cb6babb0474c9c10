// SPDX-License-Identifier: Apache-2.0
// Banks of a cache, and written-through stores that allocate a line.
#include "tests/module/memory/cache_fixture.h"

namespace heddle::memory {
namespace {

/// Two sockets, two look-ups a cycle, four banks: lines n and n + 4 share one.
class CacheBanks : public CacheTest {
 protected:
  void build_banks(unsigned banks, unsigned data_bytes_per_cycle = 0, unsigned fill_bytes_per_cycle = 0) {
    auto p = l1();
    p.ports = 2;
    p.banks = banks;
    p.data_bytes_per_cycle = data_bytes_per_cycle;
    p.fill_bytes_per_cycle = fill_bytes_per_cycle;
    build(p, 2);
    for (unsigned i = 0; i < 32; ++i) cache_->preload(128 * i);
  }
};

TEST_F(CacheBanks, LookUpsOfDifferentBanksGoTogether) {
  build_banks(4);
  const auto a = shooter(0).load(100, 128 * 0), b = shooter(1).load(100, 128 * 1);
  run_to(200);
  EXPECT_EQ(shooter(0).latency(a), 5u);
  EXPECT_EQ(shooter(1).latency(b), 5u);
  EXPECT_EQ(cache_->counts().stalls.bank.value(), 0u);
  expect_conservation();
}

TEST_F(CacheBanks, TheSecondLookUpOfABankWaitsACycle) {
  build_banks(4);
  const auto a = shooter(0).load(100, 128 * 0), b = shooter(1).load(100, 128 * 4);
  run_to(200);
  EXPECT_EQ(shooter(0).latency(a), 5u);
  EXPECT_EQ(shooter(1).latency(b), 6u);
  EXPECT_EQ(cache_->counts().stalls.bank.value(), 1u);
  expect_conservation();
}

TEST_F(CacheBanks, WithoutBanksLookUpsOfOneSetGoTogether) {
  build_banks(1);
  const auto a = shooter(0).load(100, 128 * 0), b = shooter(1).load(100, 128 * 4);
  run_to(200);
  EXPECT_EQ(shooter(0).latency(a), 5u);
  EXPECT_EQ(shooter(1).latency(b), 5u);
  expect_conservation();
}

TEST_F(CacheBanks, AHitHoldsItsBankForItsBytesAndNoOther) {
  build_banks(4, 32);
  const auto a = shooter(0).load(100, 128 * 0), b = shooter(0).load(100, 128 * 1), c = shooter(0).load(100, 128 * 4);
  run_to(200);
  EXPECT_EQ(shooter(0).replied(a), 105u);
  EXPECT_EQ(shooter(0).replied(b), 106u) << "another bank, in the next cycle";
  EXPECT_EQ(shooter(0).replied(c), 109u) << "four cycles of 32 bytes after the first of its bank";
  EXPECT_EQ(cache_->counts().stalls.bank.value(), 2u);
  expect_conservation();
}

TEST_F(CacheBanks, AFillHoldsItsBank) {
  build_banks(4, 0, 32);
  const auto miss = shooter(0).load(100, 128 * 64);
  // The line arrives at 153 and is written in cycle 154, for four cycles.
  const auto same = shooter(1).load(151, 128 * 4), other = shooter(0).load(151, 128 * 1);
  run_to(300);
  EXPECT_EQ(shooter(0).replied(miss), 100 + 3 + kMemory + 1);
  EXPECT_EQ(shooter(0).replied(other), 151 + 5u);
  EXPECT_EQ(shooter(1).replied(same), 151 + 5 + 4u);
  EXPECT_EQ(cache_->counts().stalls.bank.value(), 4u);
  expect_conservation();
}

TEST_F(CacheBanks, AWaitForABankHoldsOnlyItsOwnSocket) {
  build_banks(4);
  for (unsigned i = 0; i < 8; ++i) {
    shooter(0).load(100, 128 * 4 * i);  // all of bank 0
    shooter(1).load(100, 128 * 4 * i);
  }
  run_to(300);
  // Two sockets, one bank: a look-up a cycle, sockets in turn.
  EXPECT_EQ(std::max(shooter(0).replied(7), shooter(1).replied(7)), 100 + 5 + 15u);
  EXPECT_LE(
      std::max(shooter(0).replied(7), shooter(1).replied(7)) - std::min(shooter(0).replied(7), shooter(1).replied(7)),
      1u);
  expect_conservation();
}

/// An L1 that leaves a line where a store misses.
class WriteAllocate : public CacheTest {
 protected:
  CacheParameters through() {
    auto p = l1();
    p.store_hit = StoreHit::update;
    p.allocate_on_store = true;
    return p;
  }
};

TEST_F(WriteAllocate, AWholeStoreLeavesACleanLineAndFetchesNothing) {
  build(through());
  const auto store = shooter().store(10, 0x1000);
  const auto load = shooter().load(200, 0x1000);
  run_to(400);
  EXPECT_EQ(shooter().latency(store), 3 + kMemory + 1);
  EXPECT_EQ(shooter().latency(load), 5u) << "a hit";
  EXPECT_EQ(cache_->counts().requests_below.value(), 1u);
  for (unsigned i = 1; i <= 4; ++i) shooter().load(500, 0x1000 + 4096 * i);
  run_to(900);
  EXPECT_EQ(cache_->counts().evictions.value(), 1u);
  EXPECT_EQ(cache_->counts().write_backs.value(), 0u);
  expect_conservation();
}

TEST_F(WriteAllocate, APartialStoreFetchesBehindItselfAndWaitsForTheWriteOnly) {
  build(through());
  const auto store = shooter().store(10, 0x1000, false, 4);
  const auto merged = shooter().load(20, 0x1000), hit = shooter().load(200, 0x1000);
  run_to(400);
  EXPECT_EQ(shooter().latency(store), 3 + kMemory + 1);
  // The fetch left a cycle after the store, at 14.
  EXPECT_EQ(shooter().replied(merged), 14 + kMemory + 1);
  EXPECT_EQ(shooter().latency(hit), 5u);
  EXPECT_EQ(cache_->counts().requests_below.value(), 2u);
  EXPECT_EQ(cache_->counts().read_merges.value(), 1u);
  expect_conservation();
}

TEST_F(WriteAllocate, WithoutItAStoreThatMissesLeavesNoLine) {
  auto p = through();
  p.allocate_on_store = false;
  build(p);
  shooter().store(10, 0x1000);
  const auto load = shooter().load(200, 0x1000);
  run_to(400);
  EXPECT_EQ(shooter().latency(load), 3 + kMemory + 1);
  expect_conservation();
}

TEST_F(WriteAllocate, WhatItLacksRoomForWaits) {
  auto p = through();
  p.miss_table.entries = 1;
  p.tags.sets = 1;
  p.tags.ways = 1;
  build(p);
  shooter().load(10, 0x1000);
  const auto store = shooter().store(11, 0x2000, false, 4);
  run_to(400);
  // The read's line arrives at 63 and frees the entry in cycle 64.
  EXPECT_EQ(shooter().replied(store), 64 + kMemory + 1);
  EXPECT_GT(cache_->counts().stalls.miss_table.value(), 0u);
  expect_conservation();
}

}  // namespace
}  // namespace heddle::memory
