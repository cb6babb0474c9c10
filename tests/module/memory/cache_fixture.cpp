// SPDX-License-Identifier: Apache-2.0
#include "tests/module/memory/cache_fixture.h"

#include <string>

namespace heddle::memory {

CacheParameters l1() {
  CacheParameters p;
  p.tags.sets = 32;
  p.tags.ways = 4;
  p.lookup_latency = 3;
  p.data_latency = 2;
  p.miss_latency = 0;
  p.fill_latency = 1;
  return p;
}

CacheParameters l2() {
  CacheParameters p;
  p.tags.sets = 64;
  p.tags.ways = 8;
  p.global_store = p.local_store = WritePolicy::write_back;
  p.allocate_on_store = true;
  p.executes_atomics = true;
  p.miss_table.entries = 256;
  p.miss_table.requests_per_entry = 4;
  return p;
}

CacheTest::CacheTest() = default;
CacheTest::~CacheTest() = default;

void CacheTest::build(const CacheParameters& parameters, unsigned sockets, unsigned throughput, bool of_one_sm,
                      unsigned shooters) {
  ConstantLatencyParameters below;
  below.latency = kMemory;
  below.throughput_bytes = throughput;
  memory_ =
      std::make_unique<ConstantLatencyMemory>("memory", bench_.clock, below, bench_.group("memory"), bench_.services);
  cache_ = std::make_unique<Cache>("cache", bench_.clock, parameters, bench_.group("cache"), bench_.services,
                                   CacheSetting{sockets, 1, nullptr, of_one_sm});
  for (unsigned i = 0; i < (shooters == 0 ? sockets : shooters); ++i) {
    shooters_.push_back(std::make_unique<Shooter>(("shooter" + std::to_string(i)).c_str(), bench_.clock, i));
    checked_.connect(shooters_.back()->out(), cache_->in(i));
  }
  checked_.connect(cache_->out(), memory_->in());
}

void CacheTest::expect_conservation() {
  for (auto& s : shooters_) {
    EXPECT_TRUE(s->all_answered()) << s->name();
    EXPECT_EQ(s->pool().outstanding(), 0u);
  }
  EXPECT_EQ(cache_->busy(), 0u);
  const auto& c = cache_->counts();
  EXPECT_EQ(c.requests.value(), c.replies.value());
  EXPECT_EQ(c.requests_below.value(), c.replies_below.value());
  EXPECT_EQ(c.requests_below.value(), memory_->counts().requests.value());
  EXPECT_EQ(memory_->counts().requests.value(), memory_->counts().replies.value());
  checked_.expect_silence();
}

}  // namespace heddle::memory
