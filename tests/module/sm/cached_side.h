// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/cache/cache.h"
#include "sm_fixture.h"

namespace heddle {

/// An L1 data cache in front of a flat memory; constants, textures and instructions are not cached.
class CachedSide final : public gpu::MemorySide {
 public:
  CachedSide(ClockDomain& core, Cycle latency, const memory::CacheParameters& parameters, Services& services)
      : core_(core),
        parameters_(parameters),
        services_(services),
        memory_("memory", core, 3, latency),
        instructions_("instructions") {
    instructions_.bind(store_);
  }
  void bind(sm::Sm& sm) override {
    cache_ =
        std::make_unique<memory::Cache>("l1d", core_, parameters_, StatisticsGroup(sm.statistics(), "l1d"), services_);
    if (sm.wants_misses()) sm.expect_misses(sm::CachePath::data);
    if (CacheListener* const listener = sm.l1d_listener()) cache_->listen(*listener);
    sm.data.bind(cache_->in());
    cache_->out().bind(memory_.socket(0));
    sm.constant.bind(memory_.socket(1));
    sm.texture.bind(memory_.socket(2));
    sm.instructions.bind(instructions_);
  }
  bool idle() const override { return true; }

 private:
  ClockDomain& core_;
  memory::CacheParameters parameters_;
  Services& services_;
  FlatMemory memory_;
  PerfectInstructionStore store_;
  sc_core::sc_export<InstructionStore> instructions_;
  std::unique_ptr<memory::Cache> cache_;
};

}  // namespace heddle
