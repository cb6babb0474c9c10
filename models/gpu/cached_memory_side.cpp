// SPDX-License-Identifier: Apache-2.0
#include "gpu/cached_memory_side.h"

#include <string>

namespace heddle::gpu {

using memory::SmCacheKind;

CachedMemorySide::CachedMemorySide(ClockTree& clocks, ClockDomain& core, unsigned sms,
                                   const MachineParameters& parameters, Services& services, DeviceMemory& bytes)
    : parameters_(parameters), services_(services), core_(core) {
  // Clocks of equal frequency are one domain: their edges coincide anyway.
  const ClockParameters& c = parameters.gpu.clocks;
  ClockDomain* crossbar = &core;
  if (c.interconnect != c.core) {
    crossbar_clock_ = std::make_unique<ClockDomain>("crossbar_clock", clocks, c.interconnect);
    crossbar = crossbar_clock_.get();
  }
  ClockDomain* l2 = c.l2 == c.core ? &core : c.l2 == c.interconnect ? crossbar : nullptr;
  if (l2 == nullptr) {
    l2_clock_ = std::make_unique<ClockDomain>("l2_clock", clocks, c.l2);
    l2 = l2_clock_.get();
  }
  ClockDomain* dram = c.memory == c.core ? &core : nullptr;
  if (dram == nullptr) {
    dram_clock_ = std::make_unique<ClockDomain>("dram_clock", clocks, c.memory);
    dram = dram_clock_.get();
  }
  system_ = std::make_unique<memory::MemorySystem>("memory", memory::MemoryClocks{*crossbar, *l2, *dram},
                                                   parameters.memory, sms, services, parameters.seed);
  storage_ = std::make_unique<memory::HostStorage>(
      "storage", bytes.base(), bytes.reserved_bytes(), reinterpret_cast<unsigned char*>(bytes.base()),
      [&bytes](std::uint64_t first, std::uint64_t end) { return bytes.accessible(first, end); });
  system_->bind_storage(storage_->socket);
  sms_.resize(sms);
}

const SmClass& CachedMemorySide::class_of(unsigned sm) const {
  for (const SmClass& sms : parameters_.gpu.sm_classes) {
    if (sm < sms.count) return sms;
    sm -= sms.count;
  }
  return parameters_.gpu.sm_classes.back();
}

void CachedMemorySide::bind(sm::Sm& sm) {
  const unsigned number = sm.number();
  const memory::SmCachesParameters& parameters = class_of(number).caches;
  OfSm& mine = sms_[number];
  mine.caches = std::make_unique<memory::SmCaches>(("caches" + std::to_string(number)).c_str(), core_, parameters,
                                                   sm.statistics(), services_, parameters_.seed + number);
  sm.data.bind(mine.caches->in(SmCacheKind::kData));
  sm.constant.bind(mine.caches->in(SmCacheKind::kConstant));
  sm.texture.bind(mine.caches->in(SmCacheKind::kTexture));
  memory::Cache* instructions = mine.caches->cache(SmCacheKind::kInstruction);
  const unsigned line = instructions != nullptr ? static_cast<unsigned>(instructions->line_bytes()) : 128;
  mine.instructions =
      std::make_unique<InstructionPath>(("instructions" + std::to_string(number)).c_str(), core_, line, number);
  mine.instructions->declare_state(services_, sm.statistics().name() + ".instruction_path");
  mine.instructions->port.socket.bind(mine.caches->in(SmCacheKind::kInstruction));
  if (instructions != nullptr) {
    instructions->listen(mine.instructions.get());
    mine.instructions->cache.bind(instructions->uses);
  }
  sm.instructions.bind(mine.instructions->store);
  mine.caches->out().bind(system_->in(number));
}

bool CachedMemorySide::idle() const {
  for (const OfSm& sm : sms_) {
    if (sm.caches->busy() != 0 || sm.instructions->outstanding() != 0) return false;
  }
  return system_->idle();
}

void CachedMemorySide::end_of_kernel() {
  for (OfSm& sm : sms_) sm.caches->invalidate();
}

void CachedMemorySide::reset() {
  end_of_kernel();
  for (unsigned i = 0; i < system_->slices(); ++i) system_->slice(i).invalidate();
}

}  // namespace heddle::gpu
