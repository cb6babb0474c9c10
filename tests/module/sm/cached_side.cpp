// SPDX-License-Identifier: Apache-2.0
#include "cached_side.h"

#include <memory>

#include "flat_memory.h"
#include "memory/cache/cache.h"
#include "sm/sm.h"

namespace heddle {
namespace {

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
    sm.has_l1d({static_cast<unsigned>(cache_->capacity() / cache_->line_bytes()),
                static_cast<unsigned>(cache_->line_bytes())});
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

}  // namespace

gpu::MemorySideFactory cached_side(Cycle latency, const memory::CacheParameters& parameters, Services& services) {
  return [=, &services](ClockTree&, ClockDomain& core, unsigned) {
    return std::make_unique<CachedSide>(core, latency, parameters, services);
  };
}

}  // namespace heddle
