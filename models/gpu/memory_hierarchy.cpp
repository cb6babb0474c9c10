// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory_hierarchy.h"

#include <algorithm>
#include <string>

namespace heddle::gpu {

MemoryHierarchy::MemoryHierarchy(ClockTree& clocks, ClockDomain& core, unsigned sms,
                                 const MachineParameters& parameters, Services& services, memory::MemoryEntry entry,
                                 bool in_parts)
    : parameters_(parameters), services_(services), core_(core) {
  // Clocks of equal frequency are one domain: their edges coincide anyway.
  const ClockParameters& c = parameters.gpu.clocks;
  const auto own = [&](const char* name, std::uint64_t frequency) {
    own_clocks_.push_back(std::make_unique<ClockDomain>(name, clocks, frequency));
    return own_clocks_.back().get();
  };
  ClockDomain* const crossbar = c.interconnect == c.core ? &core : own("crossbar_clock", c.interconnect);
  l2_clock_ = c.l2 == c.core ? &core : c.l2 == c.interconnect ? crossbar : own("l2_clock", c.l2);
  dram_clock_ = c.memory == c.core ? &core : own("dram_clock", c.memory);
  system_ = std::make_unique<memory::MemorySystem>("memory",
                                                   memory::MemoryClocks{*crossbar, *l2_clock_, *dram_clock_, in_parts},
                                                   parameters.memory, sms, services, parameters.seed, entry);
  caches_.resize(entry == memory::MemoryEntry::ports ? sms : 0);
}

const SmClass& MemoryHierarchy::class_of(SmId sm) const {
  std::size_t left = sm;
  for (const SmClass& sms : parameters_.gpu.sm_classes) {
    if (left < sms.count) return sms;
    left -= sms.count;
  }
  return parameters_.gpu.sm_classes.back();
}

Lookahead MemoryHierarchy::lookahead() const {
  Lookahead found = system_->lookahead(core_);
  for (const auto& caches : caches_) {
    if (const memory::CacheLevel* const l1d = caches->cache(memory::SmCacheKind::l1d); l1d != nullptr)
      found.cycles = std::min(found.cycles, l1d->look_up_after());
  }
  return found;
}

memory::SmCaches& MemoryHierarchy::add_caches(SmId sm, StatisticsOwner& statistics, ClockDomain& clock) {
  caches_[sm] =
      std::make_unique<memory::SmCaches>(clock, class_of(sm).caches, statistics, services_, parameters_.seed + sm);
  connections_.connect(caches_[sm]->out(), system_->in(sm));
  if (memory::Interconnect* const between = system_->interconnect()) between->sent_by(sm, clock);
  return *caches_[sm];
}

bool MemoryHierarchy::idle() const {
  return std::all_of(caches_.begin(), caches_.end(), [](const auto& caches) { return caches->busy() == 0; }) &&
         system_->idle();
}

void MemoryHierarchy::settle() {
  for (auto& caches : caches_) caches->settle();
  system_->settle();
}

void MemoryHierarchy::end_of_kernel() {
  for (auto& caches : caches_) caches->invalidate();
}

void MemoryHierarchy::reset() {
  end_of_kernel();
  for (unsigned i = 0; i < system_->slices(); ++i) system_->slice(i).invalidate();
}

}  // namespace heddle::gpu
