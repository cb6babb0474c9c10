// SPDX-License-Identifier: Apache-2.0
// A cache between initiators that send at chosen cycles and a memory of constant latency, with protocol checkers.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "memory/cache/cache.h"
#include "memory/constant_latency_memory.h"
#include "tests/module/memory/bench.h"

namespace heddle::memory {

/// An L1 as of docs/sources/gtx480.md's GTX 480, with short latencies.
CacheParameters l1();
CacheParameters l2();

inline constexpr Cycle kMemory = 50;  // latency of the memory below

class CacheTest : public ::testing::Test {
 protected:
  CacheTest();
  ~CacheTest() override;
  /// shooters: on as many sockets; 0: on all.
  void build(const CacheParameters& parameters, unsigned sockets = 1, unsigned throughput = 4096,
             bool of_one_sm = false, unsigned shooters = 0);
  Shooter& shooter(unsigned i = 0) { return *shooters_[i]; }
  void run_to(Cycle cycle) { bench_.run_to(cycle); }
  /// Everything was answered, level by level, and the protocol kept.
  void expect_conservation();

  Bench bench_;
  std::unique_ptr<ConstantLatencyMemory> memory_;
  std::unique_ptr<Cache> cache_;
  std::vector<std::unique_ptr<Shooter>> shooters_;
  Checked checked_;
};

}  // namespace heddle::memory
